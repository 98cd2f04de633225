# expect: quiz/wrong
# %% q4
q4 = [10**300, -1e308]
