# expect: quiz/wrong
# %% q3
q3 = {"c", "e"}
