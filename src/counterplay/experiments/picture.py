"""The picture of an experiment: bars for a table, panels for a figure, as PNG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterplay.errors import InputError
from counterplay.experiments.experiment import Experiment, Result
from counterplay.experiments.picture_panels import panels
from counterplay.files import write_whole


def draw(experiment: Experiment, results: Sequence[Result], path: Path) -> None:
    """Write the picture.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    try:
        import matplotlib
    except ImportError:
        raise InputError("pictures need matplotlib: pip install 'counterplay[plot]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = panels(experiment, results, pyplot) if experiment.panels else _bars(experiment, results, pyplot)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150 if not experiment.panels else 100)
    pyplot.close(figure)
    write_whole(path, buffer.getvalue())


def _bars(experiment: Experiment, results: Sequence[Result], pyplot: Any) -> Any:
    """For each row a group of bars, ours filled, the paper's as lines."""
    rows = list(dict.fromkeys(result.row for result in results))
    columns = list(dict.fromkeys(result.column for result in results))
    width = 0.8 / max(1, len(columns))
    figure, axes = pyplot.subplots(figsize=(8.0, 4.5), layout="constrained")
    for number, column in enumerate(columns):
        mine = [result for result in results if result.column == column]
        at = [rows.index(result.row) + (number - 0.5 * (len(columns) - 1)) * width for result in mine]
        axes.bar(at, [result.ours for result in mine], 0.9 * width, label=column)
        for x, result in zip(at, mine, strict=True):
            if result.paper is not None:
                axes.plot([x - 0.45 * width, x + 0.45 * width], [result.paper] * 2, color="black", linewidth=2)
    axes.set_xticks(range(len(rows)), rows)
    axes.set_title(f"{experiment.title}\nbars: ours; lines: {experiment.source}")
    axes.legend(ncols=len(columns), fontsize="small", loc="lower center")
    return figure
