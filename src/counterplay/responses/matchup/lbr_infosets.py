"""Local best response on infosets, in enumerated games: `responses.lbr`."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import lane_levels
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Pairing
from counterplay.treeplex.sweeps import reach, values
from counterplay.treeplex.treeplex import Treeplex

FOLD, CALL = "Fold", "Call"
"""The names of actions that a poker game must use; a check is a call of nothing."""


def local_best_response(match: Pairing, update_range: bool = True) -> Outcome:
    """The complete strategy of a player who uses LBR at every decision.

    Args:
        match: the match-up in a poker game, that is one in which every decision offers Call.
        update_range: whether the opponent's actions update their range by Bayes' rule, as in the standard method.

    Raises:
        InputError: the game is not a poker game.
    """
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


def _calling(match: Pairing, tree: Treeplex) -> F64:
    """(size,) the behaviour that always calls."""
    return _folding_as(match, tree, np.zeros(tree.size))


def _folding_as(match: Pairing, tree: Treeplex, behaviour: F64) -> F64:
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
