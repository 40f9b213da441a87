"""The reproductions by name."""

from __future__ import annotations

import importlib

from counterplay.catalogue import REPRODUCTIONS
from counterplay.errors import unknown
from counterplay.experiments.experiment import Experiment


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
