# expect: quiz/unanswered
# %% q6
# I leave this one out.
