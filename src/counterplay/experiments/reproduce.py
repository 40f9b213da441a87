"""The reproductions by name, and one run of one of them."""

from __future__ import annotations

import importlib
from pathlib import Path

from counterplay.catalogue import REPRODUCTIONS
from counterplay.errors import unknown
from counterplay.experiments.experiment import Experiment, Result
from counterplay.experiments.picture import draw
from counterplay.experiments.runner import Watch, run


def reproduction(name: str) -> Experiment:
    """The experiment of that name.

    Raises:
        InputError: there is none.
    """
    if name not in REPRODUCTIONS:
        raise unknown("reproduction", name, REPRODUCTIONS)
    module = importlib.import_module(f"counterplay.experiments.papers.{name.replace('-', '_')}")
    made: Experiment = module.experiment()
    return made


def reproduce(experiment: Experiment, folder: Path, quick: bool, watch: Watch | None = None) -> list[Result]:
    """Run it; `folder` gets CSV, PNG and the record for going on after an interruption."""
    results = run(experiment, folder, quick, watch)
    if results:
        draw(experiment, results, folder / f"{experiment.name}.png")
    return results
