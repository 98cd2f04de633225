# expect: quiz/form
# %% q8
q8 = 3
