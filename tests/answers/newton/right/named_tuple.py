# %% newton_sqrt_scan
from typing import NamedTuple


class State(NamedTuple):
    x: jax.Array
    k: jax.Array


def newton_sqrt_scan(a: jax.Array) -> State:
    def body(state: State, _: None) -> tuple[State, None]:
        active = jnp.abs(jnp.square(state.x) - a) >= 1e-6 * a
        moved = State(0.5 * (state.x + a / state.x), state.k + 1)
        return jax.tree.map(lambda new, old: jnp.where(active, new, old), moved, state), None

    state, _ = lax.scan(body, State(jnp.asarray(a), jnp.int32(0)), None, length=30)
    return state

# %% newton_sqrt_while
from typing import NamedTuple


class Loop(NamedTuple):
    x: jax.Array
    k: jax.Array


def newton_sqrt_while(a):
    return lax.while_loop(
        lambda s: (s.k < 30) & (jnp.abs(s.x * s.x - a) >= 1e-6 * a),
        lambda s: Loop(0.5 * (s.x + a / s.x), s.k + 1),
        Loop(a, jnp.int32(0)),
    )
