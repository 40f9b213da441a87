"""Solves on the compact engine of a tree that is an array problem elsewhere: its plans are written out."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.compact_solve import solve_run
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.public_tree.size_estimate import DOUBLE, SINGLE
from counterplay.read_only import frozen
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.minimiser import Minimiser


def solve_in_store(tree: PublicTree, method: Minimiser, stop: Stop, progress: Progress | None = None) -> Solution:
    """Solve a tree, both players dealt from their ranges, with plans of the same tree.

    Args:
        tree: the tree, whose boards are those that are dealt.
        method: a minimiser that `compact_run.has_compact_form`; in float64 or `single`.
        stop: stopping rule.
        progress: see `solve_cfr`.
    """
    run = CompactRun(CompactLayout(tree.betting, tree.tables), method, SINGLE if method.single else DOUBLE)
    found = solve_run(run, stop, progress)
    averages = Averages.of_run(run)
    plans = frozen(plan_of(tree, averages, 0)), frozen(plan_of(tree, averages, 1))
    return Solution(plans, found.value, found.nash_conv, method.name, run.done, found.seconds, found.interrupted)


def plan_of(tree: PublicTree, averages: Averages, player: int) -> F64:
    """(size,) the realization plan of a player's averages, who plays in one way, on the boards of their own layout."""
    boards, runs, (way,) = tree.boards, tree.runs[player], averages.sides[player]
    plan = np.zeros(runs.tree.size)
    hands = boards.layers[0].hand[boards.kept(0)]
    plan[0], plan[runs.start[DEAL] : runs.start[DEAL] + len(hands)] = 1.0, boards.cards.weights[player][hands]
    for node, (segment, decision) in sorted(averages.decisions.items()):  # parents first
        if decision.player == player:
            layer = averages.layout.whole[segment].layer
            lanes = np.arange(boards.lanes(layer))
            come = plan[tree.sequences_to(player, node)[boards.kept(layer)]]
            for child, played in zip(
                tree.betting.children(node), averages.played(player, way, node, lanes), strict=True
            ):
                plan[runs.start[child] + lanes] = come * played
    return plan
