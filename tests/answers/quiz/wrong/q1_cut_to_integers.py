# expect: quiz/wrong
# %% q1
q1 = "e"
