"""Panels of lines, of trade-off curves and of dials in a grid, with one legend for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from counterplay_papers.experiment import Experiment, Result
from counterplay_papers.panels import DialPanel, HeatPanel, LinePanel, Panel, PointPanel, RangePanel, TradePanel
from counterplay_papers.picture_dials import dials
from counterplay_papers.picture_points import Numbers, heat, points, ranges
from counterplay_papers.picture_text import wrapped

_WIDTH, _LEAST, _HEIGHT, _HIGHER, _HEAD = 4.2, 1.6, 2.9, 4.4, 1.1
"""Inches of one panel, how many panels the width is at least, inches of height (the higher one for a matrix), and of title
and legend together."""

_KEY, _LETTER = 0.6, 0.1
"""Inches in the legend of a line with its margins, and of a letter."""

_APART = 0.4
"""How far the averages stand from the last opponent, beyond one place of the axis."""

_AVERAGE = "avg."
"""The tick of the averages."""

_TICKS = 12
"""The most opponents that each have a name on the axis."""

_MARKERS = "os^Dv*P<Xh"
_DASHES = ("-", "--", "-.", ":")
_LARGEST, _SMALLEST = 8.0, 4.0
"""Points of a marker, from the series that is drawn first to the last one."""


def computed(experiment: Experiment, results: Sequence[Result]) -> list[list[Panel]]:
    """The panels of which anything was computed, in their rows."""
    numbers = {(result.row, result.column): result.ours for result in results}
    grid = [[panel for panel in row if _has(panel, numbers)] for row in experiment.panels]
    return [row for row in grid if row]


def panels(experiment: Experiment, grid: Sequence[Sequence[Panel]], results: Sequence[Result], pyplot: Any) -> Any:
    """The figure of these panels of an experiment."""
    numbers = {(result.row, result.column): result.ours for result in results}
    styles = _styles(grid, pyplot)
    across = max(len(row) for row in grid)
    width = _WIDTH * max(_LEAST, across)
    heights = [_HIGHER if any(isinstance(panel, HeatPanel) for panel in row) else _HEIGHT for row in grid]
    figure, axes = pyplot.subplots(
        len(grid),
        across,
        figsize=(width, sum(heights) + _HEAD),
        height_ratios=heights,
        layout="constrained",
        squeeze=False,
    )
    for places, row in zip(axes, grid, strict=True):
        for place in places[len(row) :]:
            place.remove()
        for place, panel in zip(places, row, strict=False):
            place.grid(alpha=0.3)
            _drawn(place, panel, numbers, styles)
            place.set_title(wrapped(panel.title, width / across), fontsize="medium")
    figure.suptitle(wrapped(f"{experiment.title}\nafter {experiment.source}", width), fontsize="medium")
    shown = {name: line for place in figure.axes for line, name in zip(*place.get_legend_handles_labels(), strict=True)}
    if shown:
        room = int(width / (_KEY + _LETTER * max(map(len, shown))))
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=max(1, min(6, len(shown), room)))
    return figure


def _has(panel: Panel, numbers: Numbers) -> bool:
    """Whether there is anything to draw in a panel."""
    if isinstance(panel, TradePanel):
        return any(all((row, x) in numbers for x in pair) for row in panel.rows for pair in panel.columns.values())
    columns = set(panel.columns)
    if isinstance(panel, LinePanel):
        return any((row, column) in numbers for row in (*panel.rows, panel.average) for column in columns)
    if isinstance(panel, PointPanel):
        placed = [row for row in panel.rows if not isinstance(panel.x, str) or (row, panel.x) in numbers]
        return any((row, column) in numbers for row in placed for column in columns)
    if isinstance(panel, RangePanel) and any(all((row, end) in numbers for end in panel.ends) for row in panel.rows):
        return True
    return any((row, column) in numbers for row in panel.rows for column in columns)


def _styles(grid: Sequence[Sequence[Panel]], pyplot: Any) -> dict[str, dict[str, Any]]:
    """Colour, marker and dashes of every name, the same in all panels; what is drawn later has smaller markers, which are
    hollow, so that of lines that coincide all are seen."""
    names = list(dict.fromkeys(name for row in grid for panel in row for name in panel.names))
    colours = pyplot.get_cmap("tab10").colors
    step = (_LARGEST - _SMALLEST) / max(1, len(names) - 1)
    looks = zip(names, cycle(colours), cycle(_MARKERS), cycle(_DASHES), strict=False)
    return {
        name: {
            "color": colour,
            "marker": marker,
            "linestyle": dashes,
            "markersize": _LARGEST - step * number,
            "markerfacecolor": "none",
        }
        for number, (name, colour, marker, dashes) in enumerate(looks)
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
            axes.plot(*zip(*at, strict=True), label=name, linewidth=0.9, **styles[name])
        if (panel.average, column) in numbers:
            aside = (number + 0.5) / len(panel.columns) - 0.5  # beside each other, for averages are often close
            axes.plot(apart + aside, numbers[panel.average, column], **styles[name])
    axes.axhline(0.0, color="black", linewidth=0.8)
    every = 1 + len(rows) // _TICKS
    places: list[float] = list(range(0, len(rows), every))
    words = ticks[::every]
    if panel.average:
        axes.axvline(apart - 0.5 * (1.0 + _APART), color="grey", linewidth=0.8, linestyle=":")
        places, words = [*places, apart], [*words, _AVERAGE]
    axes.set_xticks(places, words)
    axes.set_xlabel(f"{panel.across}; {_AVERAGE}: average over these" if panel.average else panel.across)
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
            axes.plot(*zip(*at, strict=True), label=name, linewidth=1.2, **styles[name])
    axes.set_xlabel("exploitability (chips)")
    axes.set_ylabel("gain (chips)")
