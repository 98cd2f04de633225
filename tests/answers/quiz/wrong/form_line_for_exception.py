# expect: quiz/form
# %% q7
q7 = "line 4"
