# Runs the lines and assigns what comes of them.
# %% q1
q1 = "d"
# %% q2
def body(c, x):
    c = 10 * c + x
    return c, c

xs = jnp.array([1, 2, 3, 4])
_, q2 = lax.scan(body, 0, xs, reverse=True)
print(q2)
# %% q3
q3 = {"c", "d", "e"}
# %% q4
q4 = [8, 0]
# %% q5
rate = 2.0
def f(x):
    return rate * x
with jax.disable_jit(False):
    jf = jax.jit(f)
    jf(10.0)
    rate = 3.0
    q5 = [jf(10.0), jax.jit(f)(10.0), jax.jit(lambda x: f(x))(10.0), jf(jnp.array([10.0]))[0]]
# %% q6
q6 = {"b", "c", "f"}
# %% q7
try:
    with jax.disable_jit(False):
        jax.jit(lambda d, i: jax.ops.segment_sum(d, i))(jnp.ones(4), jnp.array([0, 1, 1, 7]))
except Exception as e:
    q7 = type(e)
# %% q8
q8 = "c"
