# expect: quiz/form
# %% q2
q2 = [4321, 432, 43]
