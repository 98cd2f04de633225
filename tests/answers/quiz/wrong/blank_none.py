# expect: quiz/unanswered
# %% q1
q1 = None  # your answer: one letter, for example "a"
