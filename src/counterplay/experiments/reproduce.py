"""The reproductions by name, and one run of one of them."""

from __future__ import annotations

import importlib
from pathlib import Path

from counterplay.errors import InputError
from counterplay.experiments.experiment import Experiment, Result
from counterplay.experiments.picture import draw
from counterplay.experiments.runner import Watch, run

REPRODUCTIONS = {
    "abd-figure5": "abd_figure5",
    "abd-figure6": "abd_figure6",
    "abd-table1": "abd_table1",
    "abd-table2": "abd_table2",
    "abd-table3": "abd_table3",
    "abd-tictactoe": "abd_tictactoe",
    "cdbr-table1": "cdbr_table1",
    "cdbr-vs-lbr": "cdbr_vs_lbr",
    "cdrnr-leduc": "cdrnr_leduc",
    "cdrnr-steps": "cdrnr_steps",
    "gadget-counterexamples": "gadget_counterexamples",
    "ggse-convergence": "ggse_convergence",
    "ggse-examples": "ggse_examples",
    "ggse-exploitability": "ggse_exploitability",
    "ggse-tests": "ggse_tests",
    "rps": "rps",
    "ses-fhp": "ses_fhp",
    "ses-leduc": "ses_leduc",
    "ses-matrix": "ses_matrix",
    "ses-vs-rnr": "ses_vs_rnr",
}
"""Name on the command line to module below `experiments.papers`."""


def reproduction(name: str) -> Experiment:
    """The experiment of that name.

    Raises:
        InputError: there is none.
    """
    if name not in REPRODUCTIONS:
        raise InputError(f"there is no reproduction '{name}'; there are {', '.join(REPRODUCTIONS)}")
    module = importlib.import_module(f"counterplay.experiments.papers.{REPRODUCTIONS[name]}")
    made: Experiment = module.experiment()
    return made


def reproduce(experiment: Experiment, folder: Path, quick: bool, watch: Watch | None = None) -> list[Result]:
    """Run it; `folder` gets CSV, PNG and the record for going on after an interruption."""
    results = run(experiment, folder, quick, watch)
    if results:
        draw(experiment, results, folder / f"{experiment.name}.png")
    return results
