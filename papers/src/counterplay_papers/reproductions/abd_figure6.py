"""Milec et al. 2025, figure 6: gain over exploitability in Leduc, against the uniform player and S1. It prints no numbers.

The paper estimates the values at the limit from 10 samples for each history. ABD is shown twice: with these, and with exact
values.
"""

from __future__ import annotations

from collections.abc import Callable

from counterplay import ABD, CDRNR, RNR, LookAhead
from counterplay_papers import paper_sources
from counterplay_papers.cells.model_cells import Way
from counterplay_papers.cells.tradeoffs import tradeoffs
from counterplay_papers.experiment import Experiment
from counterplay_papers.reproductions.abd_table2 import PORTFOLIO

_OPPONENTS = ("uniform", "s1")
_TRUST = tuple(step / 20 for step in range(21))
_SAMPLED = PORTFOLIO.replace("portfolio:", "sampled:10:")
_FEW = (0.0, 0.3, 0.7, 1.0)

_METHODS: dict[str, Callable[[float], Way]] = {
    "RNR": lambda p: RNR(p),
    "ABD, 10 samples": lambda p: ABD(p, LookAhead("round", leaf=_SAMPLED)),
    "ABD, exact": lambda p: ABD(p, LookAhead("round", leaf=PORTFOLIO)),
    "CDRNR": lambda p: CDRNR(p, LookAhead("round")),
}


def experiment() -> Experiment:
    """One panel for each opponent, side by side."""
    cells, panels = tradeoffs("leduc", "leduc", _OPPONENTS, _METHODS, _TRUST, lambda _, p: p not in _FEW)
    title = "Leduc, p from 0 to 1, depth of a round"
    return Experiment("abd-figure6", title, f"{paper_sources.ABD}, figure 6", 4, cells, [panels])
