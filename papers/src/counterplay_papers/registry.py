"""The reproductions by name."""

from __future__ import annotations

import importlib

from counterplay.errors import unknown
from counterplay_papers.experiment import Experiment

REPRODUCTIONS = (
    "abd-figure5",
    "abd-figure6",
    "abd-table1",
    "abd-table2",
    "abd-table3",
    "abd-tictactoe",
    "adaptation",
    "cdbr-slumbot",
    "cdbr-table1",
    "cdbr-vs-lbr",
    "cdbrnn",
    "cdrnr-examples",
    "cdrnr-goofspiel6",
    "cdrnr-leduc",
    "cdrnr-steps",
    "gadget-counterexamples",
    "ggse-convergence",
    "ggse-examples",
    "ggse-exploitability",
    "ggse-matches",
    "ggse-nested",
    "ggse-tests",
    "models-from-hands",
    "rps",
    "ses-fhp",
    "ses-leduc",
    "ses-matrix",
    "ses-vs-rnr",
    "slumbot-hands",
    "stratformer",
)
"""Tables and figures of papers; each is a module of `reproductions`, with underscores."""


def reproduction(name: str) -> Experiment:
    """The experiment of that name.

    Raises:
        InputError: there is none.
    """
    if name not in REPRODUCTIONS:
        raise unknown("reproduction", name, REPRODUCTIONS)
    module = importlib.import_module(f"counterplay_papers.reproductions.{name.replace('-', '_')}")
    made: Experiment = module.experiment()
    return made
