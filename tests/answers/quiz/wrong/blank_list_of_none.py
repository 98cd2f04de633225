# expect: quiz/unanswered
# %% q4
q4 = [None, None]
