"""Milec et al. 2024, figures 6 and 7: gain of depth-limited and of local best responses against weak and random opponents.

The paper says only that the weak opponents are made by a few iterations of CFR. Both families that this may mean are shown:
vanilla CFR, and CFR+ with simultaneous updates, against which LBR that does not update the opponent's range stops gaining
before 34 iterations, as the paper says of LBR. The figures print no numbers.
"""

from __future__ import annotations

from functools import partial

from counterplay import BR, CDBR, LBR, LookAhead
from counterplay.responses.matchup.local_responses import local_best_response
from counterplay_papers.cells.model_cells import GAIN, Way
from counterplay_papers.cells.opponent_families import CFR, CFR_PLUS, RANDOM, lines
from counterplay_papers.experiment import Average, Cell, Experiment
from counterplay_papers.panels import Panel
from counterplay_papers.paper_sources import CDRNR

_GAMES = {"leduc": "leduc", "goofspiel 5": "goofspiel:5", "liar's dice 1x4": "liars_dice:1,4,wild=false"}
_POKER = ("leduc",)
_FAMILIES = (CFR, CFR_PLUS, RANDOM)
_LBR: dict[str, Way] = {
    "LBR": LBR(),
    "LBR (no range update)": partial(local_best_response, update_range=False),
}
_CDBR: dict[str, Way] = {f"CDBR{depth}": CDBR(look=LookAhead(depth)) for depth in (1, 3, 5)}


def experiment() -> Experiment:
    """Gain of player 0, a row of panels for each game."""
    cells: list[Cell | Average] = []
    panels: list[list[Panel]] = []
    for name, spec in _GAMES.items():
        ways = {"BR": BR(), **(_LBR if spec in _POKER else {}), **_CDBR}
        panels.append([])
        for family in _FAMILIES:
            more, drawn = lines(name, spec, family, ways, [GAIN])
            cells += more
            panels[-1] += drawn
    title = "gain against averages after N iterations, and against random opponents"
    return Experiment("cdbr-vs-lbr", title, f"{CDRNR}, figures 6 and 7", 4, cells, panels)
