# expect: quiz/wrong
# %% q4
q4 = [0, 8]
