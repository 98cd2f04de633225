# expect: quiz/wrong
# %% q4
q4 = [3, 0]
