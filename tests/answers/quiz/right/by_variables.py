# %% q1
weak = "d"
q1 = weak
# %% q2
q2 = [4321, 432, 43, 4]
# %% q3
q3 = set()
for letter in "cde":
    q3.add(letter)
# %% q4
mapped = 8
not_mapped = 0
q4 = mapped, not_mapped
# %% q5
q5 = [20, 20, 30, 30]
# %% q6
# NaN, uniform, and times the mask
q6 = ["b",
      "c",
      "f"]
# %% q7
q7 = "ConcretizationTypeError"
# %% q8
q8 = "c"
