# expect: piecewise/cost-scalar
# %% piecewise_cost
piecewise_cost = {"scalar": 3, "batched_index": 3, "unbatched_index": 1, "primitive": "select_n"}
