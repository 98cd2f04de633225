# expect: quiz/wrong
# %% q3
q3 = {"b", "c", "d", "e"}
