# expect: quiz/wrong
# %% q3
q3 = {"a", "b"}
