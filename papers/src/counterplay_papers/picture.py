"""The picture of an experiment: bars for a table, panels for a figure, as PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from counterplay.measure.figures import plotter, save_figure
from counterplay_papers.experiment import Experiment, Result
from counterplay_papers.picture_bars import bars
from counterplay_papers.picture_panels import computed, panels


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
    return panels(experiment, grid, results, pyplot) if grid else bars(experiment, results, pyplot)
