# %% piecewise
import math
from functools import partial
from jax.lax import switch

def _power(v, n):
    return v ** n

def _minus(v, c=0.0):
    return v - c

def piecewise(x):
    neg, mid = x < 0, x < math.pi
    return switch(2 - mid.astype(int) - neg.astype(int), [partial(_power, n=2), jnp.sin, partial(_minus, c=math.pi)], x)
