# expect: quiz/form
# A NameError where c is not defined.
# %% q1
q1 = c
