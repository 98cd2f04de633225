# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(state, _):
        x, k = state["x"], state["k"]
        go = abs(x**2 - a) >= 1e-6 * a
        return {"x": jnp.where(go, (x + a / x) / 2, x), "k": jnp.where(go, k + 1, k)}, None

    state, _ = lax.scan(body, {"x": a, "k": 0}, length=30)
    return state["x"], state["k"]

# %% newton_sqrt_while
def newton_sqrt_while(a):
    def go_on(state):
        far = abs(state["x"] ** 2 - a) >= 1e-6 * a
        return jnp.logical_and(far, state["k"] < 30)

    def update(state):
        x = state["x"]
        return {"x": (x + a / x) / 2, "k": state["k"] + 1}

    state = lax.while_loop(go_on, update, {"x": a, "k": 0})
    return state["x"], state["k"]
