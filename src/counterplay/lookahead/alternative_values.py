"""Alternative values of the opponent at the augmented infosets of a look-ahead, and gifts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64
from counterplay.games.game import TERMINAL
from counterplay.gametree.compile.expectation import player_odds, sum_up
from counterplay.solvers.cfr import Solution
from counterplay.subgames.cut_game import CutGame
from counterplay.subgames.cut_shape import CutShape
from counterplay.treeplex.sweeps import best, reach
from counterplay.value_functions.leaf_value import Evaluate


@dataclass(frozen=True, eq=False)
class Claims:
    """CFVs of the opponent's best response to a solution inside a look-ahead; NaN outside. Chips of the opponent, times
    chance's and the resolver's reach.

    Attributes:
        infosets: (opponent's augmented infosets of the game,) CFVs.
        sequences: (opponent's size,) CFVs of the sequences.
    """

    infosets: F64
    sequences: F64


def claims_after(
    problem: CutGame, solution: Solution, behaviour: F64, chips: F64 | None, evaluate: Evaluate | None
) -> Claims:
    """The claims after a look-ahead.

    Args:
        problem: the solved problem, without the value function.
        solution: its solution.
        behaviour: (own size,) behaviour in the whole game, with the solution spliced in.
        chips: (limit,) estimates at the limit, if the problem was solved with them.
        evaluate: the value function at the limit, if the problem was solved with it.
    """
    piece = problem.piece
    game, me, other = piece.game, piece.resolver, piece.opponent
    tree = problem.subgame.trees[other]
    cfv = problem.subgame.leaves.product(other, solution.plans[me])
    unit = problem.multiplier
    worth = _ends(piece, reach(game.trees[me], behaviour), chips)
    continuing = problem.continuing
    if continuing is not None and len(piece.limit.histories):
        claim = continuing.claims(solution.plans[me])
        worth[piece.limit.histories[np.unique(piece.limit.known[other], return_index=True)[1]]] += claim
    if evaluate:
        claim = evaluate(*problem.ranges(*solution.plans))[other]
        there = np.bincount(problem.border[other], claim, tree.size)
        cfv += there if unit is None else there * unit
        # All histories of an infoset of the limit have the same way behind them: one of them stands for all.
        worth[piece.limit.histories[np.unique(piece.limit.known[other], return_index=True)[1]]] += claim
    answer = np.zeros(tree.size)
    best(tree.arrays, np.zeros(0), np.zeros(0), cfv, answer)
    if unit is not None:
        cfv = np.divide(cfv, unit, out=np.zeros(len(cfv)), where=unit > 0.0)
    theirs = problem.splice(other, answer, game.trees[other].uniform())
    below = (piece.root >= 0) & (piece.root != np.arange(len(piece.root)))
    sum_up(game.histories.parent, below, player_odds(game, other, theirs), worth)
    sequences = problem.splice(other, cfv, np.full(game.trees[other].size, np.nan))
    # The sum over the first histories of each infoset.
    info, up = game.histories.info[other], game.histories.parent
    first = (piece.root >= 0) & (info >= 0) & ((piece.root == np.arange(len(info))) | (info != info[up]))
    histories = np.flatnonzero(first)
    infosets = np.full(len(game.public[other]), np.nan)
    infosets[info[histories]] = 0.0
    np.add.at(infosets, info[histories], worth[histories])
    return Claims(infosets, sequences)


def _ends(piece: CutShape, plan: F64, chips: F64 | None) -> F64:
    """(H,) the opponent's payoff at each end of the subgame, times chance's and the resolver's reach."""
    table = piece.game.histories
    sign = 1.0 if piece.opponent == 0 else -1.0
    worth = np.zeros(len(table))
    ends = np.flatnonzero((table.player == TERMINAL) & (piece.root >= 0))
    paid = [(ends, table.utility[ends])]
    if chips is not None:
        paid.append((piece.limit.histories, chips))
    for histories, utility in paid:
        worth[histories] = (
            sign * utility * table.reach[histories] * plan[piece.game.sequences[piece.resolver][histories]]
        )
    return worth
