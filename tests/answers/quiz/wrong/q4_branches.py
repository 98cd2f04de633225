# expect: quiz/wrong
# %% q4
q4 = (2, 1)
