# expect: quiz/wrong
# %% q4
q4 = [8, 8]
