# expect: quiz/wrong
# %% q8
q8 = "e"
