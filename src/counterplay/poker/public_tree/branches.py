"""Decomposition of a public tree: the trunk, before a card is dealt, and *branches*, each some of the possible first cards
with all that follows.

Work on the boards of one branch touches no other branch, so that several threads may work at once. The CFVs of a few runs
that go up from a branch into the trunk are summed separately. The number of branches does not depend on the threads, nor do
the sums. This file has the layout; `payoff_kernel` has the kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
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


class Drops:
    """The runs of the trunk into which branches add CFVs, in order of first request."""

    def __init__(self, lanes: int) -> None:
        self.pad, self._at = -(-lanes // LANES) * LANES, dict[int, int]()

    def __call__(self, start: int) -> int:
        """The offset of the sums of a run."""
        return self.pad * self._at.setdefault(start, len(self._at))

    def listed(self) -> I64:
        """(D,) the starts of these runs."""
        return np.array(list(self._at), np.int64)


def falls_apart(payoff: PublicTerminals) -> bool:
    """Whether a tree is large enough to decompose, and has cards to come."""
    whole = not any(payoff.part) and len(payoff.tables.boards.layers) > 1
    return whole and sum(runs.tree.size for runs in payoff.runs) >= LARGE


def branches_of(payoff: PublicTerminals, player: int, drops: Drops, set_at: set[int]) -> Branches:
    """Lay out one player's branches of a whole tree. `drops`, the runs that far terminals need, is extended; near
    terminals set the runs `set_at`."""
    if not falls_apart(payoff):
        none = np.zeros(0, np.int64)
        return Branches(0, none.reshape(0, 0, 4), none.reshape(0, 4), none.reshape(0, 3), none, 0)
    spans, nodes, runs = _spans(payoff, player), _nodes(payoff, player, drops), _runs(payoff, player, set_at)
    return Branches(len(spans) - 1, spans, nodes, runs, drops.listed(), drops.pad)


def _front(payoff: PublicTerminals, player: int) -> I64:
    """(groups, 5) the groups in front of the player's deal: the decisions of an entry."""
    runs = payoff.runs[player]
    groups = runs.tree.arrays.groups
    return groups[groups[:, LANE] < int(runs.lane[DEAL])]


def _spans(payoff: PublicTerminals, player: int) -> I64:
    boards, first, front = payoff.tables.boards, payoff.tables.first, _front(payoff, player)
    cards = len(boards.layers[1].boards)
    ends = np.linspace(0, cards, min(MOST, cards) + 1).round().astype(np.int64)
    spans = np.zeros((len(ends), len(boards.layers) + 2 * len(front), 4), np.int64)
    for k in range(1, len(boards.layers)):
        if k > 1:
            ends = np.searchsorted(boards.layers[k].parent, ends)
        lanes = boards.first(k)[ends]
        spans[:-1, k] = np.transpose([lanes[:-1], lanes[1:], first[k] + ends[:-1], first[k] + ends[1:]])
    spans[-1, 0] = 0, boards.lanes(0), 0, 1
    for k, group in enumerate(front.tolist()):
        own = len(boards.layers) + 2 * k
        spans[-1, own, TO], spans[-1, own + 1, TO] = group[COUNT], group[WIDTH] * group[ACTIONS]
    return spans


def _nodes(payoff: PublicTerminals, player: int, drops: Drops) -> I64:
    betting, runs = payoff.betting, payoff.runs[player]
    groups, depth = runs.tree.arrays.groups, len(payoff.tables.boards.layers)
    rows = [(k, 0, depth + 2 * k, IN_PLACE) for k in range(len(_front(payoff, player)))]
    layers = _layers(payoff, player)
    for node, layer in layers.items():
        lane, before = int(runs.lane[node]), DEAL if node == DEAL else int(runs.before[node])
        group = int(np.searchsorted(groups[:, LANE], lane, "right")) - 1
        above = 0 if before == DEAL else layers[int(betting.parent[before])]
        up = IN_PLACE
        if layer > 0 and above == 0:
            start = int(runs.start[before])
            up = drops(start) - start
        rows.append((group, lane - int(groups[group, LANE]), layer, up))
    assert groups[:, COUNT].sum() == runs.tree.infosets
    return np.array(sorted(rows), np.int64)


def _runs(payoff: PublicTerminals, player: int, set_at: set[int]) -> I64:
    betting, runs, depth = payoff.betting, payoff.runs[player], len(payoff.tables.boards.layers)
    rows = [(group[OFFSET], depth + 2 * k + 1, 1) for k, group in enumerate(_front(payoff, player).tolist())]
    for node, layer in _layers(payoff, player).items():
        if node == DEAL:
            held, width = int(runs.start[DEAL]), int(runs.tree.arrays.groups[0, 1])
            starts = [held, held + width]
        else:
            starts = [int(runs.start[after]) for after in betting.children(node)]
        rows += [(start, layer, start not in set_at) for start in starts]
    return np.array(rows, np.int64)


def _layers(payoff: PublicTerminals, player: int) -> dict[int, int]:
    """The layers of the player's decisions, the deal first."""
    lanes = payoff.runs[player].lane
    own = [node for node in range(payoff.betting.nodes) if lanes[node] >= 0]
    return {DEAL: 0, **{node: layer_of(payoff.betting, node) for node in own}}


def room_for(branches: Branches, dtype: Any) -> AnyArray:
    """(number, D * pad) scratch for sums into the trunk."""
    return np.empty((branches.number, len(branches.drops) * branches.pad), dtype)
