# expect: quiz/form
# %% q1
q1 = "c, d"
