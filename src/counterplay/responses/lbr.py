"""Local best response (Lisý and Bowling 2017): the best action if both sides only call (or fold) from then on.

At each own decision the opponent's range is the model's, and the value of an action is that against an opponent who
folds to it as the model does and else calls, with no further bets. It needs no look-ahead and no value function, and
gives no guarantee: its gain may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import lane_levels
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.matchup.lbr_ranges import local_best_response_of_hands
from counterplay.responses.matchup.matchup import Matchup, Outcome
from counterplay.responses.method import Method
from counterplay.treeplex.sweeps import reach, values
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]
FOLD, CALL = "Fold", "Call"
"""The names of actions that a poker game must use; a check is a call of nothing."""


@dataclass(frozen=True, repr=False)
class LBR(Method):
    """The best action at each decision if both sides only call from then on; in poker games."""

    HEAD: ClassVar[str] = "lbr"
    RAKED: ClassVar[bool] = True

    def response(self, match: Matchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        """LBR, by infosets or by hands."""
        if isinstance(match.game, SpotGame):
            return local_best_response_of_hands(match, match.game)
        return local_best_response(match)


def local_best_response(match: Matchup, update_range: bool = True) -> Outcome:
    """The complete strategy of a player who uses LBR at every decision.

    Args:
        match: the match-up in a poker game, that is one in which every decision offers Call.
        update_range: whether the opponent's actions update their range by Bayes' rule, as in the standard method.

    Raises:
        InputError: the game is not a poker game.
    """
    if not isinstance(match.game, GameTree):
        raise InputError(f"lbr needs a compiled game, and {match.game.name} is not one")
    tree, other = match.game.trees[match.seat], match.model.tree
    own_levels, other_levels = (lane_levels(match.game, seat) for seat in (match.seat, 1 - match.seat))
    calls = _calling(match, tree)
    passive = _folding_as(match, other, match.model.behaviour)
    unread = np.where(other.owner >= 0, 1.0, match.model.behaviour)
    above = match.model.behaviour if update_range else unread
    behaviour = tree.uniform()
    for level in sorted(set(own_levels[own_levels >= 0].tolist())):
        so_far = (other.owner >= 0) & (other_levels[other.owner] < level)
        opponent = reach(other, np.where(so_far, above, passive))
        worth = values(tree, calls, match.game.payoff.product(match.seat, opponent))
        for lane in np.flatnonzero(own_levels == level).tolist():
            actions = tree.sequences_of(lane)
            behaviour[actions] = np.arange(len(worth[actions])) == int(np.argmax(worth[actions]))
    return Outcome(reach(tree, behaviour), solver="sweep")


def _calling(match: Matchup, tree: Treeplex) -> Floats:
    """(size,) the behaviour that always calls."""
    return _folding_as(match, tree, np.zeros(tree.size))


def _folding_as(match: Matchup, tree: Treeplex, behaviour: Floats) -> Floats:
    """(size,) the behaviour that folds as often as `behaviour` does, and else calls."""
    passive = np.zeros(tree.size)
    passive[0] = 1.0
    labels = tree.labels
    for names, lane in zip(labels.actions, labels.lanes, strict=True):
        if CALL not in names:
            raise InputError(f"lbr plays poker games, in which every decision offers {CALL}, not {match.game.name}")
        if lane >= 0:
            actions = tree.sequences_of(lane)
            folds = float(behaviour[actions][names.index(FOLD)]) if FOLD in names else 0.0
            passive[actions] = [{FOLD: folds, CALL: 1.0 - folds}.get(name, 0.0) for name in names]
    return passive
