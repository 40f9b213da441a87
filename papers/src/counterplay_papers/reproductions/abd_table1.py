"""Milec et al. 2025, table 1: value of CDBR and ABD by depth in battleships on 2 x 2 cells."""

from __future__ import annotations

from functools import partial

from counterplay import ABD, CDBR, LookAhead
from counterplay_papers import paper_sources
from counterplay_papers.cells.model_cells import Way, matchup, measure_response
from counterplay_papers.experiment import Cell, Experiment, printed

SPEC, OPPONENT = "battleships:2,2,1x1", "last:A1"
PORTFOLIO = "portfolio:last:A1;last:A2;last:B1;last:B2"
"""Four strategies, each of which shoots at one cell only when no other is left."""

_LEVELS = {1: 1, 2: 3, 3: 5, 4: 7}
"""Levels of look-ahead for a number of moves of the opponent, the first of which places the ship."""
_PRINTED = {"CDBR": (0.25, 0.25, 1.0, 1.0), "ABD": (1.0, 1.0, 1.0, 1.0)}


def experiment() -> Experiment:
    """A row for each depth; each public state is searched alone, as in play."""
    cells = []
    for place, (moves, levels) in enumerate(_LEVELS.items()):
        ways: dict[str, Way] = {
            "CDBR": CDBR(look=LookAhead(levels, solve="per-state")),
            "ABD": ABD(1.0, LookAhead(levels, leaf=PORTFOLIO, solve="per-state")),
        }
        cells += [
            Cell(f"depth {moves}", name, printed(_PRINTED[name][place]), False, partial(won, SPEC, OPPONENT, way))
            for name, way in ways.items()
        ]
    title = f"utility in 2x2 battleships against {OPPONENT}; depth in moves of the opponent, p = 1"
    return Experiment("abd-table1", title, f"{paper_sources.ABD}, table 1", 2, cells, measure="utility (chips)")


def won(spec: str, source: str, way: Way) -> float:
    """Chips of player 0 with a response against that model of player 1."""
    return measure_response(spec, source, way).gain + matchup(spec, source).game_value
