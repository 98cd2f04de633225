# expect: quiz/form
# %% q3
q3 = {"a": False, "b": False, "c": True, "d": True, "e": True}
