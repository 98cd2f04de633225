# expect: quiz/unanswered
# %% q3
q3 = set()
