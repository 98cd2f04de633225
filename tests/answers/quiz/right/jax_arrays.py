# %% q1
q1 = "d"
# %% q2
q2 = jnp.array([4321, 432, 43, 4])
# %% q3
q3 = {"c", "d", "e"}
# %% q4
q4 = (jnp.int32(8), jnp.array(0))
# %% q5
q5 = jnp.array([[20.0, 20.0, 30.0, 30.0]], jnp.bfloat16)
# %% q6
q6 = {"b", "c", "f"}
# %% q7
q7 = "ConcretizationTypeError"
# %% q8
q8 = "c"
