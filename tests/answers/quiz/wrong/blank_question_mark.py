# expect: quiz/unanswered
# %% q7
q7 = "?"
