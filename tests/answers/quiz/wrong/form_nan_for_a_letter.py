# expect: quiz/form
# %% q6
q6 = float("nan")
