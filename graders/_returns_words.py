"""What exercise 1 tells a student: for each code a headline, the reason and the next step."""

TELL: dict[str, tuple[str, str, str]] = {
    # For those that a model stands for, the reason goes on from "… comes out when".
    "returns/forward-scan": (
        "the sum runs from the front instead of from the end",
        "the carry collects past rewards; a return collects future ones.",
        "Run the scan from the last step to the first: lax.scan(..., reverse=True).",
    ),
    "returns/flipped-output": (
        "the result is in reversed order",
        "the outputs are flipped once too often. lax.scan with reverse=True already stores the "
        "output of step t at position t.",
        "Hand the arrays to lax.scan(..., reverse=True) as they are and return its outputs as "
        "they come, without [::-1] or jnp.flip.",
    ),
    "returns/carry-only": (
        "the final carry comes back instead of one return per step",
        "the first item of what lax.scan returns, (final carry, outputs), is taken.",
        "Return the second item, the stacked outputs.",
    ),
    "returns/exclusive": (
        "each step shows what comes after it, without its own reward",
        "the scan's body emits what it received from step t + 1, before r_t is added.",
        "Emit the new carry: return (g, g) where g is G_t.",
    ),
    "returns/ignores-dones": (
        "episodes are never cut",
        "dones is not used: the return of one episode leaks into the episode before it.",
        "Multiply G_{t+1} by (1 − d_t), so that nothing from after the end of an episode counts.",
    ),
    "returns/inverted-dones": (
        "the done flags are used the wrong way round",
        "d_t stands where (1 − d_t) belongs: everything is cut except at the end of an episode.",
        "Multiply G_{t+1} by (1 − d_t): that is 1 inside of an episode and 0 at its end.",
    ),
    "returns/done-off-by-one": (
        "the done flag of a neighbouring step cuts the return",
        "d_{t+1} or d_{t−1} stands where d_t belongs.",
        "Scan over rewards and dones together, and multiply by (1 − d_t) in step t, before r_t "
        "is added.",
    ),
    "returns/drops-terminal-reward": (
        "the reward of the last step of an episode is lost",
        "(1 − d_t) multiplies the reward r_t too. The step that ends an episode still earns its "
        "reward; only what comes later is cut.",
        "Let (1 − d_t) multiply γ·G_{t+1} and nothing else.",
    ),
    "returns/no-discount": (
        "gamma is not used",
        "the discount is a fixed number, such as 1, whatever gamma is.",
        "Multiply G_{t+1} by gamma once per step.",
    ),
    "returns/discounts-reward": (
        "the reward of the present step is discounted too",
        "γ multiplies r_t as well as G_{t+1}.",
        "Discount only what comes later: r_t stands outside of the product with gamma.",
    ),
    # The others.
    "returns/python-loop": (
        "the loop is unrolled",
        "The traced program grows with T: a Python loop runs while JAX traces, and every pass "
        "leaves its own copy of the body in the program.",
        "Put the body into a function (carry, x) → (carry, y) and hand it to lax.scan.",
    ),
    "returns/not-reverse": (
        "there is a scan, but it does not run in reverse",
        "The loop runs from index 0 upwards. Turning the arrays round before and after it, or "
        "counting down inside, can give the right numbers, but reverse=True does so by itself "
        "and without copies. (A fori_loop with fixed bounds becomes a forward scan, too.)",
        "Use lax.scan(..., reverse=True) on the arrays as they are.",
    ),
    "returns/no-scan": (
        "there is no lax.scan in the traced program",
        "The task is to express the recurrence as one lax.scan; your program computes its result "
        "in another way.",
        "Write G_t as a function of the carry G_{t+1} and of (r_t, d_t), and scan in reverse.",
    ),
    "returns/not-traceable": (
        "it does not work under jax.jit, jax.vmap or jax.grad",
        "Under a transformation the arguments are tracers, which have a shape and a dtype but no "
        "values: an if, float(), a NumPy function or a loop over their values cannot run.",
        "Keep to jnp and lax operations on the arguments; use jnp.where instead of if.",
    ),
    "returns/dtype": (
        "the dtypes do not work out",
        "G must have the dtype of rewards, and dones may be float, int or bool. A carry whose "
        "dtype differs from the body's result makes lax.scan raise; a float32 array turns "
        "everything computed with it from float16 into float32.",
        "Start the carry as jnp.zeros((), rewards.dtype) and turn dones into that dtype first.",
    ),
    "returns/gradient": (
        "the derivative is not right",
        "The values are right, but the gradient with respect to rewards or gamma is not: "
        "something on the way cuts or bends it, such as stop_gradient, rounding, an integer "
        "cast, a while loop or a custom rule.",
        "Compute G with differentiable operations only and compare jax.grad with a difference "
        "quotient.",
    ),
    "returns/shape": (
        "the result is not one array with one entry per step",
        "The function must return one array G with the shape of rewards, (T,).",
        "Print the shape of what you return. lax.scan gives the pair (final carry, outputs): you "
        "need the outputs, as they are.",
    ),
    "returns/wrong-value": (
        "the returns are not right",
        "They do not follow G_t = r_t + γ(1 − d_t)G_{t+1} with G_T = 0.",
        "Work out a small input of this length by hand, from the last step to the first, and "
        "compare step by step.",
    ),
}
