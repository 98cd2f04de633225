# expect: quiz/wrong
# %% q5
q5 = [20.0] * 4
