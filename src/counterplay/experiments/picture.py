"""The picture of an experiment: bars for a table, panels for a figure, as PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterplay.experiments.experiment import Experiment, Result
from counterplay.experiments.picture_panels import computed, panels
from counterplay.experiments.picture_text import wrapped
from counterplay.measure.figures import plotter, save_figure

_WIDTH, _HEIGHT = 8.0, 4.8
"""Inches of a picture of bars."""


def draw(experiment: Experiment, results: Sequence[Result], path: Path) -> None:
    """Write the picture.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    pyplot = plotter()
    save_figure(figure(experiment, results, pyplot), path, pyplot, dpi=100 if experiment.panels else 150)


def figure(experiment: Experiment, results: Sequence[Result], pyplot: Any) -> Any:
    """Panels as far as they were computed; bars for a table, and where no panel has anything to show yet."""
    grid = computed(experiment, results)
    return panels(experiment, grid, results, pyplot) if grid else _bars(experiment, results, pyplot)


def _bars(experiment: Experiment, results: Sequence[Result], pyplot: Any) -> Any:
    """For each row a group of bars, ours filled, the paper's as lines."""
    rows = list(dict.fromkeys(result.row for result in results))
    columns = list(dict.fromkeys(result.column for result in results))
    width = 0.8 / max(1, len(columns))
    made, axes = pyplot.subplots(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    shown: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for number, column in enumerate(columns):
        mine = [result for result in results if result.column == column]
        at = [rows.index(result.row) + (number - 0.5 * (len(columns) - 1)) * width for result in mine]
        shown[column] = axes.bar(at, [result.ours for result in mine], 0.9 * width)
        for x, result in zip(at, mine, strict=True):
            if result.paper is not None:
                ends = [x - 0.45 * width, x + 0.45 * width]
                (theirs[experiment.source],) = axes.plot(ends, [result.paper] * 2, color="black", linewidth=2)
    shown |= theirs
    axes.set_xticks(range(len(rows)), rows)
    axes.set_ylabel(experiment.measure)
    made.suptitle(wrapped(experiment.title, _WIDTH), fontsize="medium")
    made.legend(shown.values(), shown.keys(), ncols=min(4, len(shown)), fontsize="small", loc="outside lower center")
    return made
