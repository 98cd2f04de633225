# expect: piecewise/cost-batched-index
# %% piecewise_cost
piecewise_cost = {"scalar": 1, "batched_index": "all of them", "unbatched_index": 1, "primitive": "select_n"}
