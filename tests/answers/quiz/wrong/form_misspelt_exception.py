# expect: quiz/form
# %% q7
q7 = "ConcretizationError"
