"""Panels of points over a number, of intervals, and of matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterplay_papers.panels import HeatPanel, PointPanel, RangePanel
from counterplay_papers.picture_text import log_ticks

Numbers = Mapping[tuple[str, str], float]
"""What was computed, by row and column."""


def points(axes: Any, panel: PointPanel, numbers: Numbers, styles: Mapping[str, Any]) -> None:
    """The rows that were computed; the grey line is where both axes are equal, the black one 0."""
    x = panel.x
    across = {row: numbers.get((row, x)) if isinstance(x, str) else x[row] for row in panel.rows}
    known = {row: number for row, number in across.items() if number is not None}
    ranks = {row: rank + 1.0 for rank, row in enumerate(sorted(known, key=known.__getitem__))}
    place = ranks if panel.ranked else known
    for column, name in panel.columns.items():
        at = [(place[row], numbers[row, column]) for row in panel.rows if row in known and (row, column) in numbers]
        if at:
            style = styles[name] if panel.joined else {**styles[name], "linestyle": ""}
            axes.plot(*zip(*at, strict=True), label=name, linewidth=0.9, **style)
    if not panel.ranked:
        log_ticks(axes.xaxis, list(known.values()))
        log_ticks(
            axes.yaxis, [numbers[row, column] for row in known for column in panel.columns if (row, column) in numbers]
        )
        if isinstance(x, str) and known:
            ends = [min(known.values()), max(known.values())]
            axes.plot(ends, ends, color="grey", linewidth=0.8, zorder=0)
    else:
        axes.axhline(0.0, color="black", linewidth=0.8)
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel(panel.across)
    axes.set_ylabel(panel.measure)


def ranges(axes: Any, panel: RangePanel, numbers: Numbers, styles: Mapping[str, Any]) -> None:
    """For each row a grey bar from one end to the other, and the points side by side over it."""
    low, high = panel.ends
    for at, row in enumerate(panel.rows):
        if (row, low) in numbers and (row, high) in numbers:
            ends = numbers[row, low], numbers[row, high]
            axes.plot([at, at], ends, color="lightgrey", linewidth=24.0, solid_capstyle="butt", zorder=0)
            axes.plot([at, at], ends, color="black", linewidth=0.0, marker="_", markersize=24, zorder=1)
    for number, (column, name) in enumerate(panel.columns.items()):
        aside = 0.8 * ((number + 0.5) / len(panel.columns) - 0.5)
        found = [(at + aside, numbers[row, column]) for at, row in enumerate(panel.rows) if (row, column) in numbers]
        if found:
            axes.plot(*zip(*found, strict=True), label=name, **{**styles[name], "linestyle": ""})
    axes.set_xticks(range(len(panel.rows)), list(panel.rows.values()))
    axes.set_ylabel(panel.measure)


def heat(axes: Any, panel: HeatPanel, numbers: Numbers) -> None:
    """Red is 0, green 1; what was not computed stays white."""
    absent = float("nan")
    matrix = [[numbers.get((row, column), absent) for column in panel.columns] for row in panel.rows]
    axes.imshow(matrix, vmin=0.0, vmax=1.0, cmap="RdYlGn", aspect="auto")
    for down, row in enumerate(matrix):
        for right, number in enumerate(row):
            if number == number:
                axes.text(right, down, f"{number:.2f}", ha="center", va="center", fontsize="x-small")
    axes.set_xticks(range(len(panel.columns)), list(panel.columns.values()), rotation=90, fontsize="small")
    axes.set_yticks(range(len(panel.rows)), list(panel.rows.values()), fontsize="small")
    axes.grid(visible=False)
