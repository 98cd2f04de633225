# expect: quiz/wrong
# %% q5
q5 = [30, 30, 30, 30]
