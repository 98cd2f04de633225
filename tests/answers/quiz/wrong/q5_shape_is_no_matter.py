# expect: quiz/wrong
# %% q5
q5 = jnp.array([20, 20, 30, 20])
