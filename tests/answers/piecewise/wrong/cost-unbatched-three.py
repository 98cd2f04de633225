# expect: piecewise/cost-unbatched-index
# %% piecewise_cost
piecewise_cost = {"scalar": 1, "batched_index": 3, "unbatched_index": 3, "primitive": "select_n"}
