# expect: quiz/wrong
# One number is mistyped.
# %% q2
q2 = [4321, 432, 34, 4]
