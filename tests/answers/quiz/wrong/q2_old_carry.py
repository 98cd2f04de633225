# expect: quiz/wrong
# %% q2
q2 = [432, 43, 4, 0]
