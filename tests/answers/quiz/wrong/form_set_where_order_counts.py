# expect: quiz/form
# %% q5
q5 = {20, 30}
