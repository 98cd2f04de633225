# expect: quiz/wrong
# %% q2
q2 = [1, 12, 123, 1234]
