"""Milec et al. 2025, table 3: how often ABD finds the best first decision in 5x5 Battleships, by the number of samples.

The opponent places uniformly and shoots uniformly, but at the top left cell with 5 % at every shot. The best response has
a ship there. A trial is right if the placement that looks best has one; where several look equally good, the share of them.

The paper says that its look-ahead has depth 2 and that samples are taken of each history. Then the value of a placement is
the mean over all placements of the opponent, and one sample of each is enough: 100 %, where the paper has 83 %. Its shares
come out, in trend, only if fewer games stand behind a number, as at depth 1, where the opponent's placement is part of the
sample. The authors' public code differs from the paper too: two 1x2 ships, of which the first is optimised.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from counterplay.arrays import Flags
from counterplay.games import make_game
from counterplay.games.kernel_rules import FastGame
from counterplay.lookahead.belief_search import BeliefSide, respond_to
from counterplay.opponents.opponent import actor
from counterplay_papers.experiment import Cell, Experiment, printed
from counterplay_papers.paper_sources import ABD

OPPONENT = "last:A1,0.05"
PORTFOLIO = ("uniform", "even", "odd")
_CELL = "A1"
_PRINTED = {1: 83.0, 2: 88.0, 3: 95.0, 4: 98.0, 5: 100.0}
_READING = "of each of 78 x 78 pairs of placements one sample is enough; the paper's trend is that of depth 1"
_SAMPLES = (*_PRINTED, 20, 100)
_TRIALS, _FEW = 100, 10
_UNLIMITED = 10**15
_CLOSE = 1e-9
_MANY = 150_000
"""Random games per trial above which only a few trials are made."""

_COLUMNS = {"two 2x2 ships, depth 2": ("2x2/2x2", 2), "two 2x2 ships, depth 1": ("2x2/2x2", 1)}
_OTHERS = {"two 1x2 ships, depth 2": ("1x2/1x2", 2), "two 1x2 ships, depth 1": ("1x2/1x2", 1)}


def experiment() -> Experiment:
    """A row for each number of samples; the paper's numbers stand beside depth 2 of its fleet."""
    cells = []
    for samples in _SAMPLES:
        for number, (column, (fleet, depth)) in enumerate({**_COLUMNS, **_OTHERS}.items()):
            if fleet == "1x2/1x2" and depth == 2 and samples > max(_PRINTED):
                continue  # hours
            paper = printed(_PRINTED[samples]) if number == 0 and samples in _PRINTED else None
            reason = _READING if paper is not None and paper.number < 100.0 else ""
            slow = column not in _COLUMNS or samples == 100 or (depth == 2 and samples > 1)
            cells.append(Cell(f"{samples} samples", column, paper, slow, partial(share, fleet, depth, samples), reason))
    title = f"share of trials in which a ship at {_CELL} looks best (%), 5x5 battleships against {OPPONENT}, p = 1"
    return Experiment("abd-table3", title, f"{ABD}, table 3", 0, cells, measure="trials (%)")


def share(fleet: str, depth: int, samples: int) -> float:
    """Per cent of the trials that are right."""
    side, right = _side(fleet)
    root = side.game.root()[None, :]
    games = len(side.own) * samples * len(right) ** depth
    found = []
    for trial in range(_TRIALS if games < _MANY else _FEW):
        worth = respond_to(side, root, np.ones(1), depth, samples, _UNLIMITED, trial).actions
        found.append(float(right[worth >= worth.max() - _CLOSE].mean()))
    return 100.0 * float(np.mean(found))


@cache
def _side(fleet: str) -> tuple[BeliefSide, Flags]:
    """The match-up, and the placements with a ship at the cell."""
    game = make_game(f"battleships:5,5,{fleet}")
    assert isinstance(game, FastGame)
    root = game.root()
    names = [game.action_name(root, action) for action in game.actions(root)]
    own = tuple(actor(game, text) for text in PORTFOLIO)
    return BeliefSide(game, 0, actor(game, OPPONENT), own), np.array([_CELL in name.split("+") for name in names])
