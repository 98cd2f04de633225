# expect: quiz/wrong
# Forgets rate altogether.
# %% q5
q5 = [10, 10, 10, 10]
