# expect: quiz/unanswered
# %% q5
q5 = []
