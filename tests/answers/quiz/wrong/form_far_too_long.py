# expect: quiz/form
# %% q2
q2 = list(range(100_000))
