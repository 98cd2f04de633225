# expect: quiz/wrong
# %% q1
q1 = "c"
# %% q3
q3 = {"c"}
# %% q4
q4 = [3, 8]
# %% q8
q8 = "B"
