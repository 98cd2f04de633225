# expect: quiz/form
# %% q4
q4 = 8
