# expect: piecewise/cost-scalar
# %% piecewise_cost
piecewise_cost = {"batched_index": 3, "unbatched_index": 1, "primitive": "select_n"}
