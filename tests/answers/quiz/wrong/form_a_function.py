# expect: quiz/form
# %% q2
def q2(xs):
    return xs[::-1]
