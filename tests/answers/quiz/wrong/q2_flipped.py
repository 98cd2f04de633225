# expect: quiz/wrong
# %% q2
q2 = [4, 43, 432, 4321]
