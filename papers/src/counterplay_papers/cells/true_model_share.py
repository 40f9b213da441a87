"""What a response to a model of a player wins of what responses to the true player win at equal exploitability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

GAIN, RISK = "gain", "exploitability"
"""Columns of an experiment."""


def share_of_curve(truth: Sequence[str], found: Mapping[str, Sequence[float]]) -> float | None:
    """Per cent of the true model's gain at the exploitability of a response; the first number of each column is its own.
    None without it, and where the true model gains nothing at so small an exploitability, or was not asked for it."""
    gain, risk = found[GAIN], found[RISK]
    if len(gain) <= len(truth):  # this run has the true model alone
        return None
    most = gain_at(risk[0], list(zip(risk[1:], gain[1:], strict=True)))
    return None if most is None or most <= 0.0 else 100.0 * gain[0] / most


def gain_at(risk: float, points: Sequence[tuple[float, float]]) -> float | None:
    """The gain at an exploitability, on the least concave and rising curve above (0, 0) and some points (exploitability,
    gain); beyond the last of them its gain, and below the first None."""
    hull: list[tuple[float, float]] = []
    for point in sorted([(0.0, 0.0), *points], key=lambda one: (one[0], -one[1])):  # the best of equal risks first
        if hull and point[1] <= hull[-1][1]:
            continue
        while len(hull) > 1 and _slope(hull[-2], point) >= _slope(hull[-2], hull[-1]):
            hull.pop()
        hull.append(point)
    risks, gains = np.array(hull).T
    return None if risk < risks[0] else float(np.interp(risk, risks, gains))


def _slope(one: tuple[float, float], two: tuple[float, float]) -> float:
    return (two[1] - one[1]) / max(two[0] - one[0], 1e-12)
