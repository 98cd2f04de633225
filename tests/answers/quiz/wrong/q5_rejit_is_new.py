# expect: quiz/wrong
# %% q5
q5 = [20, 30, 30, 30]
