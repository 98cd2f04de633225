# expect: returns/ignores-dones
# expect: returns/no-discount
# expect: returns/no-scan
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    return lax.cumsum(rewards, reverse=True)
