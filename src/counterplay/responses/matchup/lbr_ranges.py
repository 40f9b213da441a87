"""Local best response on ranges: `responses.lbr` with a betting node as the decision and all hands at once."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.betting.state import Move
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.matchup.pairing import Pairing
from counterplay.treeplex.sweeps import reach, values


def local_best_response_of_hands(match: Pairing) -> Outcome:
    """The complete strategy of a player who uses LBR at every decision: the value of an action is that against an
    opponent who folds to it as the model does and else calls, with no further bets.
    """
    game: SpotGame = match.game
    me, betting = match.seat, game.tree.betting
    tree, other = game.trees[me], game.trees[1 - me]
    calls = _passive(game, me, np.zeros(tree.size))
    passive = _passive(game, 1 - me, match.model.behaviour)
    depth = depths_of(betting)
    theirs = _by_sequence(game, 1 - me, depth)
    behaviour = game.dealt_behaviour(me, tree.uniform())
    own = game.tree.runs[me]
    nodes = np.flatnonzero(own.lane[:DEAL] >= 0)
    for level in np.unique(depth[nodes]).tolist():
        opponent = reach(other, np.where(theirs < level, match.model.behaviour, passive))
        worth = values(tree, calls, game.payoff.product(me, opponent))
        for node in nodes[depth[nodes] == level].tolist():
            count = game.tree.boards.layers[layer_of(betting, node)].places
            starts = own.start[betting.children(node)]
            rows = starts[:, None] + np.arange(count)
            behaviour[rows] = np.arange(len(starts))[:, None] == worth[rows].argmax(axis=0)
    return Outcome(reach(tree, behaviour), solver="sweep", behaviour=behaviour)


def depths_of(betting: BettingTree) -> I64:
    """(nodes,) the depth of each betting node."""
    depth = np.zeros(betting.nodes, np.int64)
    for node in range(1, betting.nodes):
        depth[node] = depth[betting.parent[node]] + 1
    return depth


def _by_sequence(game: SpotGame, player: int, depth: I64) -> I64:
    """(size,) the depth of the node at which each sequence's last action was taken; -1 for the deal."""
    runs, betting = game.tree.runs[player], game.tree.betting
    out = np.full(runs.tree.size, -1)
    for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist():
        count = game.tree.boards.layers[layer_of(betting, node)].places
        for child in betting.children(node):
            out[int(runs.start[child]) : int(runs.start[child]) + count] = depth[node]
    return out


def _passive(game: SpotGame, player: int, behaviour: F64) -> F64:
    """(size,) the behaviour that folds as often as `behaviour` does, and else checks or calls."""
    runs, betting = game.tree.runs[player], game.tree.betting
    out = np.zeros(runs.tree.size)
    for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist():
        count = game.tree.boards.layers[layer_of(betting, node)].places
        rows = runs.start[betting.children(node)][:, None] + np.arange(count)
        out[rows] = folding_as(betting, node, behaviour[rows])
    return game.dealt_behaviour(player, out)


def folding_as(betting: BettingTree, node: int, played: F64) -> F64:
    """(actions, n) the probabilities at a betting node of hands that fold as often as in (actions, n) others, and else check
    or call."""
    moves = [betting.move[child] for child in betting.children(node)]
    folds = sum(row for move, row in zip(moves, played, strict=True) if move == Move.FOLD)
    kept = {Move.FOLD: folds, Move.CHECK: 1.0 - folds, Move.CALL: 1.0 - folds}
    return np.stack([np.zeros(played.shape[1]) + kept.get(move, 0.0) for move in moves])
