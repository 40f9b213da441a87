"""A comparison as a picture, one panel per game: gain of each method over allowed exploitability, mean over opponents."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from counterplay.measure.comparison.comparison import Comparison, best_within
from counterplay.measure.figures import plotter, save_figure

_GRID, _BEYOND, _LEAST = 101, 1.2, 0.05
"""Number of limits at which a line is drawn; how far it goes beyond the table's largest limit, and its least extent."""
_WIDTH, _HEIGHT, _FOOT = 4.4, 3.3, 0.8
"""Inches of a panel, and of the legend."""
_ACROSS = 2
_DASHES = ("-", "--", "-.")


def draw(comparison: Comparison, path: Path) -> None:
    """Write the picture; the format follows the file's ending.

    A line is a staircase: within a limit, the best point against each opponent, or 0 without one. Crosses are the largest
    possible gains within the limits of the table.

    Raises:
        InputError: matplotlib is missing, or the format is unknown.
    """
    pyplot = plotter()
    games = comparison.games
    across = min(_ACROSS, len(games))
    down = -(-len(games) // across)
    size = (_WIDTH * max(across, 1.4), _HEIGHT * down + _FOOT)
    figure, places = pyplot.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    for axes, spec in zip(places.flat, games, strict=False):
        _panel(axes, comparison, spec)
    for axes in places.flat[len(games) :]:
        axes.set_axis_off()
    handles, labels = places.flat[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(4 if across > 1 else 3, len(labels)), fontsize="small"
    )
    save_figure(figure, path, pyplot, dpi=100)


def _panel(axes: Any, comparison: Comparison, spec: str) -> None:
    traced, within = comparison.games[spec], comparison.asked.within
    end = _BEYOND * max(_LEAST, *within)
    limits = end * np.linspace(0.0, 1.0, _GRID) ** 2  # finer near 0, as the axis is
    for method, dashes in zip(comparison.asked.methods, cycle(_DASHES), strict=False):
        gains = [fmean(best_within(one, method, float(limit)) or 0.0 for one in traced) for limit in limits]
        axes.plot(limits, gains, dashes, label=method, linewidth=1.4, drawstyle="steps-post")
    most = [fmean(limit) for limit in zip(*(one.most for one in traced), strict=True)]
    axes.plot(within, most, "kx", markersize=7, label="most that can be won")
    axes.set_xscale("function", functions=(np.sqrt, np.square))
    axes.set_xlim(0.0, end)
    axes.set_xticks([0.0, *within], ["0", *(f"{limit:g}" for limit in within)])
    axes.set_xlabel(f"exploitability allowed (share of the span, {traced[0].contest.game.span:g} chips)")
    axes.set_ylabel("gain (chips)")
    axes.set_title(f"{spec}, {len(traced)} opponent{'s' * (len(traced) > 1)}", fontsize="medium")
    axes.grid(alpha=0.3)
