# expect: quiz/form
# %% q6
q6 = []
q6.append(q6)
