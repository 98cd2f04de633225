# expect: quiz/wrong
# %% q7
q7 = "IndexError"
