# %% q1
q1 = "d"
# %% q2
q2 = [4321, 432, 43, 4]
# %% q3
q3 = {"c", "d", "e"}
# %% q4
q4 = [8, 0]
# %% q5
q5 = [20, 20, 30, 30]
# %% q6
q6 = {"b", "c", "f"}
# %% q7
q7 = "jax.errors.ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected"
# %% q8
q8 = "c"
