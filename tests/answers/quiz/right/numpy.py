# NumPy is not imported by the notebook.
# %% q1
q1 = "d"
# %% q2
import numpy as np
q2 = np.array([4321, 432, 43, 4])
# %% q3
q3 = {"c", "d", "e"}
# %% q4
import numpy as np
q4 = [np.int64(8), np.float32(0)]
# %% q5
import numpy as np
q5 = np.array([20, 20, 30, 30], np.float16)
# %% q6
q6 = {"b", "c", "f"}
# %% q7
q7 = "ConcretizationTypeError"
# %% q8
q8 = "c"
