# expect: piecewise/cost-scalar
# expect: piecewise/cost-batched-index
# expect: piecewise/cost-unbatched-index
# expect: piecewise/cost-primitive
# %% piecewise_cost
piecewise_cost = (1, 3, 1, "select_n")
