# expect: quiz/wrong
# %% q2
q2 = [4322, 432, 43, 4]
