# expect: quiz/form
# %% q1
q1 = True
