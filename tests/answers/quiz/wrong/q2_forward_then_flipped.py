# expect: quiz/wrong
# %% q2
q2 = "1234, 123, 12, 1"
