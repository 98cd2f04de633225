# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    table = jnp.stack([rewards, dones.astype(rewards.dtype)], axis=1)  # (T, 2)

    def body(g, row):
        g = row[0] + gamma * (1 - row[1]) * g
        return g, g

    return lax.scan(body, jnp.zeros((), table.dtype), table, reverse=True)[1]
