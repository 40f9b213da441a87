"""Words in pictures: lines that fit, and ticks that do not run into each other."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import log10
from typing import Any

LETTERS = 13.0
"""Letters of a line in an inch, at the usual size."""

_DECADES, _FEW = 1.5, 0.5
"""Below so many decades an axis has ticks at 1, 2 and 5; below so few at some even numbers."""


def wrapped(text: str, width: float) -> str:
    """The text in lines that fit so many inches; its own lines stay apart."""
    return "\n".join(textwrap.fill(line, int(LETTERS * width)) for line in text.splitlines())


def log_ticks(axis: Any, numbers: Sequence[float]) -> None:
    """Make an axis logarithmic, with few plain ticks, for the usual ones overprint where there is less than a decade.

    Args:
        axis: `axes.xaxis` or `axes.yaxis`.
        numbers: that are drawn along it.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    positive = [number for number in numbers if number > 0.0]
    if not positive:
        return
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    decades = log10(max(positive) / min(positive))
    if decades < _FEW:
        axis.set_major_locator(MaxNLocator(4))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < _DECADES else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axis.set_minor_formatter(NullFormatter())
