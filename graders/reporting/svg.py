"""Small pictures as inline SVG, with their content in words."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

BINS = 10


def histogram(shares: Sequence[float], title: str) -> str:
    """How marks are distributed.

    Args:
        shares: each student's share of the points, from 0 to 1.
        title: what the picture shows.

    Returns:
        An SVG element with a bar for each tenth of the points, whose text alternative has the
        same numbers.
    """
    counts = [0] * BINS
    for share in shares:
        counts[min(max(int(share * BINS + 1e-9), 0), BINS - 1)] += 1
    tallest = max([*counts, 1])
    width, height, left, top, bottom = 300, 132, 6, 16, 24
    step = (width - 2 * left) / BINS
    bars = []
    for number, count in enumerate(counts):
        x, tall = left + number * step, (height - top - bottom) * count / tallest
        y = height - bottom - tall
        if count:
            bars.append(
                f'<rect class="bar" x="{x + 1.5:.1f}" y="{y:.1f}" width="{step - 3:.1f}" '
                f'height="{tall:.1f}" rx="2"/>'
                f'<text class="label" x="{x + step / 2:.1f}" y="{y - 3:.1f}">{count}</text>'
            )
    ticks = "".join(
        f'<text class="tick" x="{left + (width - 2 * left) * percent / 100:.1f}" '
        f'y="{height - 7}" style="text-anchor:{anchor}">{percent} %</text>'
        for percent, anchor in ((0, "start"), (50, "middle"), (100, "end"))
    )
    words = "; ".join(
        f"{number * 10} to {number * 10 + 10} %: {count}"
        for number, count in enumerate(counts)
        if count
    )
    axis = height - bottom
    return (
        f'<svg class="histogram" viewBox="0 0 {width} {height}" role="img">'
        f"<title>{escape(title)}. Students by share of the points – "
        f"{escape(words) or 'nobody'}</title>"
        f'<line class="axis" x1="{left}" x2="{width - left}" y1="{axis}" y2="{axis}"/>'
        f"{''.join(bars)}{ticks}</svg>"
    )


def meter(share: float) -> str:
    """A bar beside a number that says the same; nothing for screen readers."""
    percent = 100 * min(max(share, 0.0), 1.0)
    return (
        f'<span class="meter" aria-hidden="true"><span style="width:{percent:.0f}%"></span></span>'
    )
