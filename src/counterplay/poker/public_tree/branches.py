"""Decomposition of a public tree: the trunk, before a card is dealt, and *branches*, each some of the possible first cards
with all that follows.

Work on the boards of one branch touches no other branch, so that several threads may work at once. The CFVs of a few runs
that go up from a branch into the trunk are summed separately. The number of branches does not depend on the threads, nor do
the sums. This file has the layout; `payoff_kernel` has the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of, layer_of_last_choice
from counterplay.poker.public_tree.public_terminals import PublicTerminals
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, LANES, OFFSET, WIDTH

LARGE = 500_000
"""Sequences of both players from which on a tree is worked on branch by branch: below, threads cost more than they save."""
MOST = 12
"""At most so many branches: enough to even out threads that are slowed down, few enough to add up, and large enough that
their runs are long."""
GROUP, BEFORE, ON, UP = range(4)
"""Columns of `Branches.nodes`: the group of the treeplex, how many of its lanes come before the node's, the node's layer,
and how far the sums for the trunk stand from the sequences before its lanes, `IN_PLACE` if they are not apart."""
START, RUN_ON, FRESH = range(3)
"""Columns of `Branches.runs`: where the run begins in the CFVs, its layer, whether no near terminal sets it."""
FROM, TO, BOARD, BOARD_TO = range(4)
"""Columns of `Branches.spans`."""
IN_PLACE = -(1 << 62)
"""Stands for a place among the sums where there is none."""


class Branches(NamedTuple):
    """One player's branches.

    number: number of branches; 0 if the tree is not decomposed. spans: (number + 1, layers, 4) for each branch, and last the
    trunk, on each layer: its first lane and one past the last; the same of its boards, as `PayoffSweep.boards` numbers them.
    After the layers of boards come two for each group in front of the deal, which only the trunk has: the group's lanes, and
    its sequences. nodes: (N, 4) the player's decisions, parents first. runs: (R, 3) the runs that these lead to. drops: (D,)
    the starts of the trunk's runs into which branches add CFVs. pad: lanes of such a run, padded to whole vectors. All are
    int64.
    """

    number: int
    spans: I64
    nodes: I64
    runs: I64
    drops: I64
    pad: int


class Offsets:
    """Where parts of an array stand, in order of first request. size: numbers of a part, by its key."""

    def __init__(self, size: Callable[[Any], int]) -> None:
        self._size, self._end, self.at = size, 0, dict[Any, int]()

    def __call__(self, key: Any) -> int:
        if key not in self.at:
            self.at[key] = self._end
            self._end += self._size(key)
        return self.at[key]


def falls_apart(payoff: PublicTerminals) -> bool:
    """Whether a tree is large enough to decompose, and has cards to come."""
    whole = not any(payoff.part) and len(payoff.tables.boards.layers) > 1
    return whole and sum(runs.tree.size for runs in payoff.runs) >= LARGE


def branches_of(payoff: PublicTerminals, player: int, drops: Offsets, set_at: set[int]) -> Branches:
    """Lay out one player's branches of a whole tree. `drops`, the runs that far terminals need, is extended; near
    terminals set the runs `set_at`."""
    if not falls_apart(payoff):
        none = np.zeros(0, np.int64)
        return Branches(0, none.reshape(0, 0, 4), none.reshape(0, 4), none.reshape(0, 3), none, 0)
    betting, boards, runs, first = payoff.betting, payoff.tables.boards, payoff.runs[player], payoff.tables.first
    groups, depth = runs.tree.arrays.groups, len(boards.layers)
    front = groups[groups[:, LANE] < int(runs.lane[DEAL])].tolist()  # those of an entry, before the player's deal
    cards = len(boards.layers[1].boards)
    ends = np.linspace(0, cards, min(MOST, cards) + 1).round().astype(np.int64)
    spans = np.zeros((len(ends), depth + 2 * len(front), 4), np.int64)
    for k in range(1, depth):
        if k > 1:
            ends = np.searchsorted(boards.layers[k].parent, ends)
        lanes = boards.first(k)[ends]
        spans[:-1, k] = np.transpose([lanes[:-1], lanes[1:], first[k] + ends[:-1], first[k] + ends[1:]])
    spans[-1, 0] = 0, boards.lanes(0), 0, 1
    nodes, listed = list[tuple[int, ...]](), list[tuple[int, ...]]()
    for k, group in enumerate(front):
        own = depth + 2 * k
        spans[-1, own, TO], spans[-1, own + 1, TO] = group[COUNT], group[WIDTH] * group[ACTIONS]
        nodes.append((k, 0, own, IN_PLACE))
        listed.append((group[OFFSET], own + 1, 1))
    for node in [DEAL, *np.flatnonzero(runs.lane[: betting.nodes] >= 0).tolist()]:
        lane, layer, up = int(runs.lane[node]), 0 if node == DEAL else layer_of(betting, node), IN_PLACE
        if node == DEAL:
            held = int(runs.start[DEAL])
            starts = [held, held + int(groups[0, 1])]
        else:
            starts = [int(runs.start[after]) for after in betting.children(node)]
            if layer > 0 and layer_of_last_choice(betting, runs, node) == 0:
                start = int(runs.start[runs.before[node]])
                up = drops(start) - start
        group = int(np.searchsorted(groups[:, LANE], lane, "right")) - 1
        nodes.append((group, lane - int(groups[group, LANE]), layer, up))
        listed += [(start, layer, int(start not in set_at)) for start in starts]
    assert groups[:, COUNT].sum() == runs.tree.infosets
    return Branches(
        len(spans) - 1, spans, np.array(sorted(nodes), np.int64), np.array(listed, np.int64),
        np.array(list(drops.at), np.int64), padded(boards.lanes(0)),
    )  # fmt: skip


def padded(lanes: int) -> int:
    """Lanes in whole vectors."""
    return -(-lanes // LANES) * LANES


def room_for(branches: Branches, dtype: Any) -> AnyArray:
    """(number, D * pad) scratch for sums into the trunk."""
    return np.empty((branches.number, len(branches.drops) * branches.pad), dtype)
