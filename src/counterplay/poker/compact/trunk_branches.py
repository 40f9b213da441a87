"""The branches of a sweep in order: what follows its trunk, one next card after one betting sequence each."""

from __future__ import annotations

import numpy as np

from counterplay.poker.compact.kernels.compact_kernels import TrunkBranches
from counterplay.poker.compact.kernels.shared_turns import new_turns
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.segments import Pair, Segment
from counterplay.poker.compact.layout.streets import CHILD, CHILD_END, DEAL

ALL = -1
"""Stands, where a task names a deal, for all showdowns of the trunk with two cards to come, or for all that follows the
trunk on a last board."""


def listed_branches(layout: CompactLayout, trunk: Segment, number: int, board: int) -> TrunkBranches:
    """Those of a trunk, the segment of a number, on a board, largest first, without sums."""
    streets, betting = layout.streets, layout.betting
    tasks, rows, cost = list[tuple[int, int, int]](), list[Pair](), list[int]()
    boards = range(*streets.boards[board, [CHILD, CHILD_END]].tolist())
    followed = layout.followed(trunk)
    if followed:
        for b in boards:
            tasks.append((ALL, b, len(rows)))
            cost.append(1)
            rows += [one.leaf.rows for one in followed]
    elif trunk.shown:
        for b in boards:
            tasks.append((ALL, b, len(rows)))
            cost.append(len(trunk.shown))
            rows += [leaf.rows for leaf in trunk.shown]
    for k, leaf in enumerate([] if followed else trunk.deals, int(streets.segments[number, DEAL])):
        for b in boards:
            tasks.append((k, b, len(rows)))
            cost.append(int(betting.end[leaf.node]) - leaf.node)
            rows.append(leaf.rows)
    order = np.argsort(-np.array(cost, np.int64), kind="stable")
    listed = np.ascontiguousarray(np.array(tasks, np.int64).reshape(-1, 3)[order])
    return TrunkBranches(listed, new_turns(0), np.zeros((0, 0)), np.array(rows, np.int64).reshape(-1, 2))
