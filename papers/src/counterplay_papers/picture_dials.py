"""Panels of means over a dial, with standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from counterplay_papers.panels import DialPanel

_MARGIN = 0.05
"""Share of the dial that is free on both sides of it."""


def dials(axes: Any, panel: DialPanel, numbers: Mapping[tuple[str, str], float], styles: Mapping[str, Any]) -> None:
    """Means of the rows that were computed, over the whole dial; bars of a standard error where rows share a number."""
    for column, name in panel.columns.items():
        found: dict[float, list[float]] = {}
        for row, at in panel.rows.items():
            if (row, column) in numbers:
                found.setdefault(at, []).append(numbers[row, column])
        if not found:
            continue
        means = [fmean(some) for some in found.values()]
        if name == panel.level:
            axes.plot(list(found), means, label=name, linewidth=1.6, linestyle="--", color="black")
            continue
        errors = [stdev(some) / sqrt(len(some)) if len(some) > 1 else 0.0 for some in found.values()]
        axes.errorbar(list(found), means, errors, linewidth=1.0, capsize=2, **styles[name])
        axes.plot([], [], label=name, **styles[name])  # so that the legend has no bars
    ends = min(panel.rows.values()), max(panel.rows.values())
    aside = _MARGIN * (ends[1] - ends[0])
    axes.set_xlim(ends[0] - aside, ends[1] + aside)
    axes.set_xlabel(panel.dial)
    axes.set_ylabel(panel.measure)
