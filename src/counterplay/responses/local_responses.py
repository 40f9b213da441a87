"""Local best responses: the best action if both sides only call from then on (Lisý and Bowling 2017).

The value of an action is that against an opponent who folds to it as the model does and else calls, with no further bets.
In enumerated games a decision is an infoset; on ranges it is a betting node, with all hands at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64, I8, I64
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import lane_levels
from counterplay.poker.betting.state import Move
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.method import AnyMatchup, Outcome
from counterplay.treeplex.sweeps import reach, values
from counterplay.treeplex.treeplex import Treeplex

FOLD, CALL = "Fold", "Call"
"""The names of actions that a poker game must use; a check is a call of nothing."""


def local_best_response(match: AnyMatchup, update_range: bool = True) -> Outcome:
    """LBR at every decision of an enumerated poker game, one in which every decision offers Call."""
    tree, other, name = match.game.trees[match.seat], match.model.tree, match.game.name
    own_levels, other_levels = (lane_levels(match.game, seat) for seat in (match.seat, 1 - match.seat))
    calls = _passive_in_tree(name, tree, np.zeros(tree.size))
    passive = _passive_in_tree(name, other, match.model.behaviour)
    unread = np.where(other.owner >= 0, 1.0, match.model.behaviour)
    above = match.model.behaviour if update_range else unread
    behaviour = tree.uniform()
    for level in sorted(set(own_levels[own_levels >= 0].tolist())):
        earlier = (other.owner >= 0) & (other_levels[other.owner] < level)
        opponent = reach(other, np.where(earlier, above, passive))
        worth = values(tree, calls, match.game.payoff.product(match.seat, opponent))
        for lane in np.flatnonzero(own_levels == level).tolist():
            actions = tree.sequences_of(lane)
            behaviour[actions] = np.arange(len(worth[actions])) == int(np.argmax(worth[actions]))
    return Outcome(reach(tree, behaviour), solver="sweep")


def _passive_in_tree(name: str, tree: Treeplex, behaviour: F64) -> F64:
    """(size,) the behaviour that folds as often as `behaviour` does, and else calls."""
    passive = np.zeros(tree.size)
    passive[0] = 1.0
    for names, lane in zip(tree.labels.actions, tree.labels.lanes, strict=True):
        if CALL not in names:
            raise InputError(f"lbr plays poker games, in which every decision offers {CALL}, not {name}")
        if lane >= 0:
            actions = tree.sequences_of(lane)
            folds = float(behaviour[actions][names.index(FOLD)]) if FOLD in names else 0.0
            passive[actions] = [{FOLD: folds, CALL: 1.0 - folds}.get(name, 0.0) for name in names]
    return passive


def local_best_response_of_hands(match: AnyMatchup) -> Outcome:
    """LBR at every decision of a spot with plans as arrays."""
    game: SpotGame = match.game
    me, betting = match.seat, game.tree.betting
    tree, other = game.trees[me], game.trees[1 - me]
    calls = _passive_in_spot(game, me, np.zeros(tree.size))
    passive = _passive_in_spot(game, 1 - me, match.model.behaviour)
    depth, theirs = _depths_of(betting), np.full(other.size, -1)
    for node in _decisions(game, 1 - me):  # the depth at which each of the opponent's sequences was chosen
        theirs[game.tree.sequences_at(1 - me, node).T] = depth[node]
    behaviour = game.dealt_behaviour(me, tree.uniform())
    nodes = np.array(_decisions(game, me))
    for level in np.unique(depth[nodes]).tolist():
        opponent = reach(other, np.where(theirs < level, match.model.behaviour, passive))
        worth = values(tree, calls, game.payoff.product(me, opponent))
        for node in nodes[depth[nodes] == level].tolist():
            rows = game.tree.sequences_at(me, node).T
            behaviour[rows] = np.arange(len(rows))[:, None] == worth[rows].argmax(axis=0)
    return Outcome(reach(tree, behaviour), solver="sweep", behaviour=behaviour)


def local_best_response_of_store(model: CompactPlans, me: int) -> Outcome:
    """LBR at every decision of a large spot, on all boards; hands outside the range play uniformly."""
    plans, betting = model.on_all_boards, model.tree.betting
    depth, decisions = _depths_of(betting), plans.averages.layout.decisions

    def call(node: int, lanes: I64) -> F64:
        return _folding_as(betting, node, np.zeros((len(betting.children(node)), len(lanes))))

    calls = plans.with_choices(me, call, keep=False)
    mine = [node for node, one in decisions.items() if one.player == me]
    chosen: dict[int, I8] = {}
    for level in np.unique(depth[mine]).tolist():

        def facing(node: int, played: F64, level: int = level) -> F64:
            return played if depth[node] < level else _folding_as(betting, node, played)

        averages, nodes = calls.with_changes(1 - me, facing).averages, [node for node in mine if depth[node] == level]
        segments = [decisions[node].segment for node in nodes]
        worth = averages.action_cfvs(me, averages.sides[me][0], range(min(segments), max(segments) + 1))
        for node in nodes:
            held = averages.layout.own[me].layers[decisions[node].layer].kept.astype(np.int64)
            chosen[node] = worth.at(node, held).argmax(axis=0).astype(np.int8)

    def best(node: int, _: Any) -> F64:
        return np.asarray(chosen[node] == np.arange(len(betting.children(node)))[:, None], np.float64)

    return Outcome(plans.with_choices(me, best, keep=False), solver="sweep")


def _depths_of(betting: BettingTree) -> I64:
    """(nodes,) the depth of each betting node."""
    depth = np.zeros(betting.nodes, np.int64)
    for node in range(1, betting.nodes):
        depth[node] = depth[betting.parent[node]] + 1
    return depth


def _decisions(game: SpotGame, player: int) -> list[int]:
    """The betting nodes where a player decides."""
    return np.flatnonzero(game.tree.runs[player].lane[:DEAL] >= 0).tolist()


def _passive_in_spot(game: SpotGame, player: int, behaviour: F64) -> F64:
    """(size,) the behaviour that folds as often as `behaviour` does, and else checks or calls."""
    out = np.zeros(game.tree.runs[player].tree.size)
    for node in _decisions(game, player):
        rows = game.tree.sequences_at(player, node).T
        out[rows] = _folding_as(game.tree.betting, node, behaviour[rows])
    return game.dealt_behaviour(player, out)


def _folding_as(betting: BettingTree, node: int, played: F64) -> F64:
    """(actions, n) probabilities at a betting node of hands that fold as often as (actions, n) others, and else call."""
    moves = [betting.move[child] for child in betting.children(node)]
    folds = sum(row for move, row in zip(moves, played, strict=True) if move == Move.FOLD)
    kept = {Move.FOLD: folds, Move.CHECK: 1.0 - folds, Move.CALL: 1.0 - folds}
    return np.stack([np.zeros(played.shape[1]) + kept.get(move, 0.0) for move in moves])
