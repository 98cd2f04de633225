# expect: quiz/form
# %% q3
q3 = "abcde" * 1_000_000
