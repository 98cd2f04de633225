# expect: quiz/wrong
# %% q6
q6 = "b c e f"
