# %% newton_sqrt_scan
import jax.lax as jl
import jax.numpy as np


def newton_sqrt_scan(a: float):
    a = np.asarray(a, dtype=np.result_type(float))

    def one_step(carry, unused):
        (root, steps) = carry
        far = ~(np.abs(root * root - a) < a * 1e-6)
        return (np.where(far, np.mean(np.stack([root, a / root])), root), steps + np.int32(far)), ()

    (root, steps), _ = jl.scan(one_step, (a, np.int32(0)), xs=np.zeros(30))
    return [root, steps]

# %% newton_sqrt_while
import jax.lax as jl
import jax.numpy as np


def newton_sqrt_while(a: float):
    a = np.asarray(a, dtype=np.result_type(float))

    def far(root):
        return np.abs(root * root - a) >= a * 1e-6

    def unfinished(carry):
        (root, steps) = carry
        return np.where(steps < 30, far(root), False)

    def one_step(carry):
        (root, steps) = carry
        return [(root + a / root) / 2.0, steps + 1]

    return jl.while_loop(unfinished, one_step, [a, 0])
