# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    xs = {"reward": rewards, "alive": jnp.logical_not(dones).astype(rewards.dtype)}

    def body(carry, x):
        new = {"ret": x["reward"] + gamma * x["alive"] * carry["ret"]}
        return new, new["ret"]

    carry, ys = lax.scan(body, {"ret": jnp.array(0, rewards.dtype)}, xs, reverse=True)
    return ys
