# expect: quiz/form
# %% q8
q8 = "c because the steps are computed twice"
