# expect: piecewise/cost-primitive
# %% piecewise_cost
piecewise_cost = {"scalar": True + 0, "batched_index": 3, "unbatched_index": 1, "primitive": 3}
