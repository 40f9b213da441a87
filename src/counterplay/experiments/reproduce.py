"""One run of a reproduction: numbers, CSV and picture."""

from __future__ import annotations

from pathlib import Path

from counterplay.experiments.experiment import Experiment, Result
from counterplay.experiments.picture import draw
from counterplay.experiments.runner import Say, run
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch


def reproduce(
    experiment: Experiment,
    folder: Path,
    quick: bool,
    *,
    executor: Executor | None = None,
    watch: Watch | None = None,
    say: Say | None = None,
) -> list[Result]:
    """Run it as `run_experiment` does; `folder` gets CSV, PNG and the record for going on after an interruption."""
    results = run(experiment, folder, quick, executor=executor, watch=watch, say=say)
    if results:
        draw(experiment, results, folder / f"{experiment.name}.png")
    return results
