"""What exercise 2 tells a student: for each code a headline, the reason and the next step."""

TELL: dict[str, tuple[str, str, str]] = {
    "newton/sqrt-shortcut": (
        "a ready-made root does the work",
        "the traced program takes a root (sqrt, rsqrt, cbrt, pow or exp of log). Here the loop "
        "itself has to find it, with +, /, * and comparisons.",
        "Take the root out and let x come from x ← (x + a/x)/2 alone. x * x is all you need for "
        "the test.",
    ),
    "newton/absolute-tolerance": (
        "the tolerance does not scale with a",
        "your result is what you get when |x² − a| is compared with 1e-6, or with 1e-6 plus "
        "something, instead of with 1e-6·a. For a small a that stops too early; for a large one "
        "it asks for more than float32 can give.",
        "Compare with 1e-6 * a.",
    ),
    "newton/counts-idle-steps": (
        "steps are counted after convergence",
        "your counts are what you get when the scan's idle steps count too: once the test is met "
        "nothing moves any more, and k has to stand still.",
        "Add 1 to k only where the test asked for another step, for example "
        "k + active.astype(jnp.int32).",
    ),
    "newton/count-off-by-one": (
        "the count is off by one",
        "k is the number of updates of x. It starts at 0, the test comes before the update, and "
        "at most 30 updates are made. At a = 1 there is none at all.",
        "Check where k starts, whether you test the old x or the new one, and whether you "
        "compare k < 30.",
    ),
    "newton/wrong-count": (
        "the count is not that of the loop in the task",
        "x is right, so the update is; but the test asks for more or for fewer steps than "
        "|x² − a| ≥ 1e-6·a does, or k does not count the steps.",
        "Write the test as it stands in the task, with the x from before the update, and follow "
        "k by hand for a = 2: there are 4 steps.",
    ),
    "newton/unbounded": (
        "the loop does not stop after 30 steps",
        "A negative a has no real root, so |x² − a| never gets small and the bound alone can end "
        "the loop. Without one such a loop runs for ever, and in compiled code nothing can "
        "interrupt it.",
        "Carry k along and go on only while (… >= 1e-6 * a) & (k < 30); a scan has 30 steps.",
    ),
    "newton/early-stop": (
        "a loop that cannot converge stops too early",
        "A negative a has no real root, so |x² − a| ≥ 1e-6·a holds in every step and all 30 are "
        "taken. "
        "Yours ended before: fewer steps are allowed, or the test or the update is written in "
        "another way (the test divided by a, or an update in which x becomes NaN).",
        "Use the formulas as they stand in the task: x = 0.5 * (x + a / x), "
        "|x * x − a| >= 1e-6 * a, 30 steps.",
    ),
    "newton/wrong-root": (
        "x is not the square root of a",
        "x has to agree with √a to one part in a million. It does not if the update is another "
        "one, if there are too few steps or a test that is met too soon, or if what comes back "
        "is not the last x.",
        "Follow x by hand for a = 2: 2, 1.5, 1.416667, 1.414216, 1.414214.",
    ),
    "newton/no-scan": (
        "there is no lax.scan in the traced program",
        "the task is one lax.scan of 30 steps. A Python loop leaves 30 copies of its body in the "
        "program.",
        "Put one step into a function (carry, _) → (carry, None) and call lax.scan on it with "
        "length=30.",
    ),
    "newton/no-while": (
        "there is no lax.while_loop in the traced program",
        "this version has to stop by itself once it has converged. A scan, or a fori_loop with "
        "fixed bounds, always takes all its steps.",
        "Move the test into a function of the carry (x, k) and use "
        "lax.while_loop(test, step, start).",
    ),
    "newton/not-differentiable": (
        "reverse mode cannot differentiate it",
        "jax.grad walks back through the steps and needs what each of them saved. How many steps "
        "a while loop takes is not known when the program is compiled, so there is no room to "
        "save them in, and JAX raises. A fori_loop whose bounds are traced is a while loop too.",
        "In newton_sqrt_scan use lax.scan with length=30, and jnp.where to leave x alone once it "
        "has converged.",
    ),
    "newton/gradient": (
        "the derivative is not right",
        "the values are right, but the derivative of x with respect to a is not 1/(2√a): "
        "something on the way cuts it or makes it NaN (stop_gradient, a detour through NumPy or "
        "integers, a division by 0 in the branch that jnp.where throws away).",
        "Compute x with differentiable operations only, from a itself, and compare "
        "jax.grad(lambda a: newton_sqrt_scan(a)[0])(2.0) with 1/(2√2) = 0.35355.",
    ),
    "newton/float-count": (
        "k is not an integer",
        "k counts steps, so it must have an integer dtype. It becomes a float when it starts as "
        "0.0 or when a float is added to it.",
        "Start k as an integer, and turn the test into one before you add it: "
        "active.astype(jnp.int32).",
    ),
    "newton/not-traceable": (
        "it does not work under jax.jit or jax.vmap",
        "under a transformation a is a tracer without a concrete value, and so is everything "
        "computed from it: an if, and, or, a Python while, float(), int() or NumPy cannot use it.",
        "Keep to jnp and lax operations, with & in place of and; let jnp.where or the loop's own "
        "test decide.",
    ),
    "newton/shape": (
        "the result is not a pair (x, k) of two scalars",
        "the function must return the root x, a float, and the number of steps k, in this order, "
        "both with shape ().",
        "Look at what you return: lax.scan gives (final carry, outputs), lax.while_loop the "
        "final carry.",
    ),
}  # fmt: skip
