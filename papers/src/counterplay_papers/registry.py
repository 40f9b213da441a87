"""The reproductions by name."""

from __future__ import annotations

import importlib

from counterplay.errors import unknown
from counterplay_papers.experiment import Experiment

_MODULES = {
    "milec_2024_curves": ("cdbr-vs-lbr", "cdrnr-goofspiel6", "cdrnr-leduc", "cdrnr-steps", "rps"),
    "milec_2024_shares": ("cdbr-table1", "cdbrnn"),
    "milec_2024_examples": ("cdrnr-examples", "gadget-counterexamples"),
    "milec_2025": ("abd-figure5", "abd-figure6", "abd-table1", "abd-table2", "abd-table3"),
    "milec_2025_tictactoe": ("abd-tictactoe",),
    "kubicek_2026_blueprints": ("ggse-convergence", "ggse-exploitability", "ggse-tests"),
    "kubicek_2026_examples": ("ggse-examples",),
    "kubicek_2026_matches": ("ggse-matches", "ggse-nested"),
    "liu_2022": ("ses-leduc", "ses-matrix", "ses-vs-rnr"),
    "liu_2022_flop_holdem": ("ses-fhp",),
    "models_from_hands": ("models-from-hands", "stratformer"),
    "adaptation": ("adaptation",),
    "slumbot": ("cdbr-slumbot",),
    "slumbot_hands": ("slumbot-hands",),
}
"""The modules of `reproductions`, and what each holds: functions of these names, with underscores."""
REPRODUCTIONS = tuple(sorted(name for names in _MODULES.values() for name in names))
"""Tables and figures of papers."""


def reproduction(name: str) -> Experiment:
    """The experiment of that name.

    Raises:
        InputError: there is none.
    """
    if name not in REPRODUCTIONS:
        raise unknown("reproduction", name, REPRODUCTIONS)
    home = next(module for module, names in _MODULES.items() if name in names)
    module = importlib.import_module(f"counterplay_papers.reproductions.{home}")
    made: Experiment = getattr(module, name.replace("-", "_"))()
    return made
