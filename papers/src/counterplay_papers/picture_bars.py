"""Bars of a table: standing, or lying where the names of the rows do not fit beside each other."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from counterplay_papers.experiment import KINDS, Experiment, Result
from counterplay_papers.picture_text import LETTERS, wrapped

_WIDTH, _HEIGHT, _ROWS = 8.0, 4.8, 6.8
"""Inches of a picture of standing bars, and of its axis of rows."""
_LEGEND = 120
"""Letters in a line of the legend."""
_BAR, _APART, _MOST, _LINE, _HEAD = 0.11, 0.15, 0.5, 0.17, 1.0
"""Inches of a lying bar, between the groups, of a group at the most, of a line of words, and of title and measure."""
_NAME = 34
"""Letters in a line of a row's name beside lying bars."""


def bars(experiment: Experiment, results: Sequence[Result], pyplot: Any) -> Any:
    """For each row a group of bars, ours filled, references as lines."""
    places = {row: float(at) for at, row in enumerate(dict.fromkeys(result.row for result in results))}
    columns = list(dict.fromkeys(result.column for result in results))
    lying = len(places) * (1 + max(map(len, places))) > LETTERS * _ROWS
    names = [textwrap.fill(row, _NAME) if lying else row for row in places]
    legend = [*columns, *(_legend(experiment, kind) for kind in {one.kind for one in results if one.kind})]
    across = max(1, min(4, len(legend), _LEGEND // (6 + max(map(len, legend)))))
    size = _WIDTH, _height(names, len(columns), -(-len(legend) // across)) if lying else _HEIGHT
    made, axes = pyplot.subplots(figsize=size, layout="constrained")
    axes.set_prop_cycle(color=pyplot.get_cmap("tab10" if len(columns) <= 10 else "tab20").colors)
    shown = _groups(axes, experiment, results, places, columns, lying)
    if lying:
        axes.set_yticks(list(places.values()), names, fontsize="small")
        axes.set_ylim(len(places) - 0.5, -0.5)  # from the top, as in the table
        axes.set_xlabel(experiment.measure)
    else:
        axes.set_xticks(list(places.values()), names)
        axes.set_ylabel(experiment.measure)
    made.suptitle(wrapped(experiment.title, _WIDTH), fontsize="medium")
    made.legend(shown.values(), shown.keys(), ncols=across, fontsize="small", loc="outside lower center")
    return made


def _height(names: Sequence[str], columns: int, legend: int) -> float:
    """Inches of a picture of lying bars, with so many lines of the legend."""
    group = min(_MOST, _APART + _BAR * columns)
    lines = max(name.count("\n") + 1 for name in names)
    return max(_HEIGHT, _HEAD + 1.2 * _LINE * legend + len(names) * max(group, _LINE * (lines + 0.4)))


def _groups(
    axes: Any,
    experiment: Experiment,
    results: Sequence[Result],
    places: Mapping[str, float],
    columns: Sequence[str],
    lying: bool,
) -> dict[str, Any]:
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
