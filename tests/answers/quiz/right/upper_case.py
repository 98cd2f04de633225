# %% q1
q1 = "D"
# %% q2
q2 = [4321, 432, 43, 4]
# %% q3
q3 = {"C", "D", "E"}
# %% q4
q4 = [8, 0]
# %% q5
q5 = [20, 20, 30, 30]
# %% q6
q6 = {"B", "C", "F"}
# %% q7
q7 = "CONCRETIZATIONTYPEERROR"
# %% q8
q8 = "C"
