"""The picture of an experiment, as PNG: panels for a figure; bars for a table, and where no panel has anything to show."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from counterplay.figures import plotter, save_figure
from counterplay_papers.experiment import KINDS, Experiment, Result
from counterplay_papers.panels import HeatPanel, Panel

_LETTERS = 13.0
"""Letters of a line in an inch, at the usual size."""


def draw(experiment: Experiment, results: Sequence[Result], path: Path) -> None:
    """Write the picture.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    pyplot = plotter()
    save_figure(figure(experiment, results, pyplot), path, pyplot, dpi=100 if experiment.panels else 150)


def figure(experiment: Experiment, results: Sequence[Result], pyplot: Any) -> Any:
    """Panels as far as they were computed, else bars."""
    found = {(result.row, result.column): result.ours for result in results}
    panels = [[panel for panel in row if panel.is_computed(found)] for row in experiment.panels]
    panels = [row for row in panels if row]
    return _panels(experiment, panels, found, pyplot) if panels else _bars(experiment, results, pyplot)


def _wrapped(text: str, width: float) -> str:
    """The text in lines that fit so many inches; its own lines stay apart."""
    return "\n".join(textwrap.fill(line, int(_LETTERS * width)) for line in text.splitlines())


_WIDTH, _LEAST, _HEIGHT, _HIGHER, _HEAD = 4.2, 1.6, 2.9, 4.4, 1.1
"""Inches of one panel, how many panels the width is at least, inches of height (the higher one for a matrix), and of title
and legend together."""
_KEY, _LETTER = 0.6, 0.1
"""Inches in the legend of a line with its margins, and of a letter."""
_MARKERS, _DASHES = "os^Dv*P<Xh", ("-", "--", "-.", ":")
_LARGEST, _SMALLEST = 8.0, 4.0
"""Points of a marker, from the series that is drawn first to the last one."""


def _panels(
    experiment: Experiment, panels: Sequence[Sequence[Panel]], found: Mapping[tuple[str, str], float], pyplot: Any
) -> Any:
    """Panels in a grid, with one legend for all of them."""
    styles = _styles(panels, pyplot)
    across = max(len(row) for row in panels)
    width = _WIDTH * max(_LEAST, across)
    heights = [_HIGHER if any(isinstance(panel, HeatPanel) for panel in row) else _HEIGHT for row in panels]
    figure, axes = pyplot.subplots(
        len(panels), across, figsize=(width, sum(heights) + _HEAD), height_ratios=heights, layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for places, row in zip(axes, panels, strict=True):
        for place in places[len(row) :]:
            place.remove()
        for place, panel in zip(places, row, strict=False):
            place.grid(alpha=0.3)
            panel.draw(place, found, styles)
            place.set_title(_wrapped(panel.title, width / across), fontsize="medium")
    figure.suptitle(_wrapped(f"{experiment.title}\nafter {experiment.source}", width), fontsize="medium")
    shown = {name: line for place in figure.axes for line, name in zip(*place.get_legend_handles_labels(), strict=True)}
    if shown:
        room = int(width / (_KEY + _LETTER * max(map(len, shown))))
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=max(1, min(6, len(shown), room)))
    return figure


def _styles(panels: Sequence[Sequence[Panel]], pyplot: Any) -> dict[str, dict[str, Any]]:
    """Colour, marker and dashes of every name, equal in all panels; what is drawn later has smaller markers, which are
    hollow, so that of lines that coincide all are seen."""
    names = list(dict.fromkeys(name for row in panels for panel in row for name in panel.names))
    step = (_LARGEST - _SMALLEST) / max(1, len(names) - 1)
    looks = zip(names, cycle(pyplot.get_cmap("tab10").colors), cycle(_MARKERS), cycle(_DASHES), strict=False)
    return {
        name: {
            "color": colour, "marker": marker, "linestyle": dashes, "markersize": _LARGEST - step * number,
            "markerfacecolor": "none",
        }
        for number, (name, colour, marker, dashes) in enumerate(looks)
    }  # fmt: skip


_TABLE, _ROWS = (8.0, 4.8), 6.8
"""Inches of a picture of standing bars, and of its axis of rows."""
_LEGEND = 120
"""Letters in a line of the legend."""
_BAR, _APART, _MOST, _LINE, _TOP = 0.11, 0.15, 0.5, 0.17, 1.0
"""Inches of a lying bar, between the groups, of a group at the most, of a line of words, and of title and measure."""
_NAME = 34
"""Letters in a line of a row's name beside lying bars."""


def _bars(experiment: Experiment, results: Sequence[Result], pyplot: Any) -> Any:
    """For each row a group of bars, ours filled, references as lines; lying where the names of the rows do not fit beside
    each other."""
    places = {row: float(at) for at, row in enumerate(dict.fromkeys(result.row for result in results))}
    columns = list(dict.fromkeys(result.column for result in results))
    lying = len(places) * (1 + max(map(len, places))) > _LETTERS * _ROWS
    names = [textwrap.fill(row, _NAME) if lying else row for row in places]
    legend = [*columns, *(_legend(experiment, kind) for kind in {one.kind for one in results if one.kind})]
    across = max(1, min(4, len(legend), _LEGEND // (6 + max(map(len, legend)))))
    wide, high = _TABLE
    if lying:
        group = min(_MOST, _APART + _BAR * len(columns))
        lines = max(name.count("\n") + 1 for name in names)
        high = max(
            high, _TOP + 1.2 * _LINE * -(-len(legend) // across) + len(names) * max(group, _LINE * (lines + 0.4))
        )
    made, axes = pyplot.subplots(figsize=(wide, high), layout="constrained")
    axes.set_prop_cycle(color=pyplot.get_cmap("tab10" if len(columns) <= 10 else "tab20").colors)
    shown = _groups(axes, experiment, results, places, columns, lying)
    if lying:
        axes.set_yticks(list(places.values()), names, fontsize="small")
        axes.set_ylim(len(places) - 0.5, -0.5)  # from the top, as in the table
        axes.set_xlabel(experiment.measure)
    else:
        axes.set_xticks(list(places.values()), names)
        axes.set_ylabel(experiment.measure)
    made.suptitle(_wrapped(experiment.title, wide), fontsize="medium")
    made.legend(shown.values(), shown.keys(), ncols=across, fontsize="small", loc="outside lower center")
    return made


def _groups(
    axes: Any, experiment: Experiment, results: Sequence[Result], places: Mapping[str, float], columns: Sequence[str],
    lying: bool,
) -> dict[str, Any]:  # fmt: skip
    """Draw the bars and lines; what stands in the legend, by name."""
    shown: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    width = 0.8 / max(1, len(columns))
    for number, column in enumerate(columns):
        mine = [result for result in results if result.column == column]
        at = [places[result.row] + (number - 0.5 * (len(columns) - 1)) * width for result in mine]
        shown[column] = (axes.barh if lying else axes.bar)(at, [result.ours for result in mine], 0.9 * width)
        for place, result in zip(at, mine, strict=True):
            if result.reference is not None:
                line = [place - 0.45 * width, place + 0.45 * width], [result.reference] * 2
                drawn = axes.plot(*(line[::-1] if lying else line), color="black", linewidth=2)
                (theirs[_legend(experiment, result.kind)],) = drawn
    return shown | theirs


def _legend(experiment: Experiment, kind: str) -> str:
    return f"{experiment.source}: {KINDS[kind]}"
