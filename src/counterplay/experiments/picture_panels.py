"""Panels of lines, of trade-off curves and of dials in a grid, with one legend for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from counterplay.experiments.experiment import Experiment, Result
from counterplay.experiments.panels import DialPanel, HeatPanel, LinePanel, Panel, PointPanel, RangePanel, TradePanel
from counterplay.experiments.picture_dials import dials
from counterplay.experiments.picture_points import Numbers, heat, points, ranges

_WIDTH, _HEIGHT, _HIGHER, _HEAD = 4.2, 2.9, 4.4, 1.1
"""Inches of one panel (the higher one's for a matrix), and of title and legend together."""

_KEY, _LETTER = 0.6, 0.1
"""Inches in the legend of a line with its margins, and of a letter."""

_APART = 0.4
"""How far the averages stand from the last opponent, beyond one place of the axis."""

_TICKS = 12
"""The most opponents that each have a name on the axis."""

_MARKERS = "os^Dv*P<Xh"


def panels(experiment: Experiment, results: Sequence[Result], pyplot: Any) -> Any:
    """The figure; a panel of which nothing was computed stays empty, and a row of such panels is left out (not all)."""
    numbers = {(result.row, result.column): result.ours for result in results}
    grid = [row for row in experiment.panels if any(_has(panel, numbers) for panel in row)] or experiment.panels
    styles = _styles(grid, pyplot)
    across = max(len(row) for row in grid)
    heights = [_HIGHER if any(isinstance(panel, HeatPanel) for panel in row) else _HEIGHT for row in grid]
    figure, axes = pyplot.subplots(
        len(grid),
        across,
        figsize=(_WIDTH * max(2, across), sum(heights) + _HEAD),
        height_ratios=heights,
        layout="constrained",
        squeeze=False,
    )
    for places, row in zip(axes, grid, strict=True):
        for place in places[len(row) :]:
            place.set_axis_off()
        for place, panel in zip(places, row, strict=False):
            place.grid(alpha=0.3)
            _drawn(place, panel, numbers, styles)
            place.set_title(panel.title, fontsize="medium")
    figure.suptitle(f"{experiment.title}\nours, after {experiment.source}", fontsize="medium")
    shown = {name: line for place in axes.flat for line, name in zip(*place.get_legend_handles_labels(), strict=True)}
    room = int(_WIDTH * max(2, across) / (_KEY + _LETTER * max(map(len, shown), default=1)))
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=max(1, min(6, len(shown), room)))
    return figure


def _has(panel: Panel, numbers: Numbers) -> bool:
    """Whether any point of a panel was computed."""
    return any(row in panel.rows for row, _ in numbers)


def _styles(grid: Sequence[Sequence[Panel]], pyplot: Any) -> dict[str, dict[str, Any]]:
    """Colour and marker of every name, the same in all panels."""
    names = dict.fromkeys(name for row in grid for panel in row for name in panel.names)
    colours = pyplot.get_cmap("tab10").colors
    return {
        name: {"color": colour, "marker": marker}
        for name, colour, marker in zip(names, cycle(colours), cycle(_MARKERS), strict=False)
    }


def _drawn(axes: Any, panel: Panel, numbers: Numbers, styles: Mapping[str, Any]) -> None:
    if isinstance(panel, LinePanel):
        _lines(axes, panel, numbers, styles)
    elif isinstance(panel, TradePanel):
        _trade(axes, panel, numbers, styles)
    elif isinstance(panel, PointPanel):
        points(axes, panel, numbers, styles)
    elif isinstance(panel, DialPanel):
        dials(axes, panel, numbers, styles)
    elif isinstance(panel, RangePanel):
        ranges(axes, panel, numbers, styles)
    else:
        heat(axes, panel, numbers)


def _lines(axes: Any, panel: LinePanel, numbers: Numbers, styles: Mapping[str, Any]) -> None:
    """The opponents that were computed, from left to right, and the average apart from them."""
    rows = [row for row in panel.rows if any((row, column) in numbers for column in panel.columns)]
    ticks, apart = [panel.rows[row] for row in rows], len(rows) + _APART
    for number, (column, name) in enumerate(panel.columns.items()):
        at = [(x, numbers[row, column]) for x, row in enumerate(rows) if (row, column) in numbers]
        if at:
            axes.plot(*zip(*at, strict=True), label=name, linewidth=0.9, markersize=5, **styles[name])
        if (panel.average, column) in numbers:
            aside = (number + 0.5) / len(panel.columns) - 0.5  # beside each other, for averages are often close
            axes.plot(apart + aside, numbers[panel.average, column], markersize=7, **styles[name])
    axes.axhline(0.0, color="black", linewidth=0.8)
    every = 1 + len(rows) // _TICKS
    places: list[float] = list(range(0, len(rows), every))
    words = ticks[::every]
    if panel.average:
        axes.axvline(apart - 0.5 * (1.0 + _APART), color="grey", linewidth=0.8, linestyle=":")
        places, words = [*places, apart], [*words, "a"]
    axes.set_xticks(places, words)
    axes.set_ylabel(panel.measure)


def _trade(axes: Any, panel: TradePanel, numbers: Numbers, styles: Mapping[str, Any]) -> None:
    """The points of a curve are joined in their order, for more trust need not mean more exploitability."""
    for name, (gain, exploitability) in panel.columns.items():
        at = [
            (numbers[row, exploitability], numbers[row, gain])
            for row in panel.rows
            if (row, exploitability) in numbers and (row, gain) in numbers
        ]
        if at:
            axes.plot(*zip(*at, strict=True), label=name, linewidth=1.2, markersize=4, **styles[name])
    axes.set_xlabel("exploitability (chips)")
    axes.set_ylabel("gain (chips)")
