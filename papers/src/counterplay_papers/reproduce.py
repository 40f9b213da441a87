"""One run of a reproduction: numbers, CSV and picture."""

from __future__ import annotations

from pathlib import Path

from counterplay.measure.figures import plotter
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch
from counterplay_papers.experiment import Experiment
from counterplay_papers.picture import draw
from counterplay_papers.runner import ExperimentRun, Say, run


def reproduce(
    experiment: Experiment,
    folder: Path,
    quick: bool,
    *,
    executor: Executor | None = None,
    watch: Watch | None = None,
    say: Say | None = None,
) -> ExperimentRun:
    """Run it as `run` does; `folder` gets CSV, PNG and the record for going on after an interruption.

    Raises:
        InputError: matplotlib is not installed.
    """
    plotter()
    found = run(experiment, folder, quick, executor=executor, watch=watch, say=say)
    if found:
        draw(experiment, found, folder / f"{experiment.name}.png")
    return found
