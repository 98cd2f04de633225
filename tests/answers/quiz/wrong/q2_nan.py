# expect: quiz/wrong
# NaN equals nothing, and is not right either.
# %% q2
q2 = [float("nan")] * 4
