"""Milec et al. 2025, figure 5: gain over exploitability in battleships on 2 x 2 cells. It prints no numbers."""

from __future__ import annotations

from collections.abc import Callable

from counterplay import ABD, CDRNR, RNR, LookAhead
from counterplay_papers import paper_sources
from counterplay_papers.cells.model_cells import Way
from counterplay_papers.cells.tradeoffs import tradeoffs
from counterplay_papers.experiment import Experiment
from counterplay_papers.reproductions.abd_table1 import OPPONENT, PORTFOLIO, SPEC

_LEVELS = 4
"""Both placements and both first shots: two moves of the opponent."""
_TRUST = tuple(step / 20 for step in range(21))
_FEW = (0.0, 0.25, 0.45, 0.55, 0.75, 1.0)

_METHODS: dict[str, Callable[[float], Way]] = {
    "RNR": lambda p: RNR(p),
    "ABD": lambda p: ABD(p, LookAhead(_LEVELS, leaf=PORTFOLIO)),
    "CDRNR": lambda p: CDRNR(p, LookAhead(_LEVELS)),
}


def experiment() -> Experiment:
    """One panel."""
    cells, panel = tradeoffs("battleships 2x2", SPEC, [OPPONENT], _METHODS, _TRUST, lambda _, p: p not in _FEW)
    title = "2x2 battleships, p from 0 to 1, depth 2 moves of the opponent; at p = 1/2 all mixtures are as good"
    return Experiment("abd-figure5", title, f"{paper_sources.ABD}, figure 5", 4, cells, [panel])
