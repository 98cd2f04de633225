# expect: quiz/unanswered
# %% q8
q8 = ""
