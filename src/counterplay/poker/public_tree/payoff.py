"""The payoff of a public tree of cards, as every solver takes it: `ShowdownPayoff`, the second kind of `Subgame.leaves`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import InputError
from counterplay.leaves.constants import ConstantArrays
from counterplay.leaves.matrix import ExplicitPayoff, Matrix
from counterplay.leaves.protocol import NO_BASE, advance_by, product
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.boards import Tables
from counterplay.poker.public_tree.hand_treeplex import DEAL, HandTreeplex, PublicNode, layer_of, layer_of_last_choice
from counterplay.poker.public_tree.payoff_kernel import (
    AWAY,
    BOARDS,
    BOARDS_END,
    COLUMNS,
    FAR,
    FAR_COLUMNS,
    FAR_END,
    IN_PLACE,
    LAYER,
    NEAR,
    TO,
    Branches,
    PayoffSweep,
    advance,
    advance_paid,
)
from counterplay.poker.showdown.terminals import Fold, Showdown, multiply_amounts, scratch_of, terminals_of
from counterplay.treeplex.sweeps import zeros
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, LANES, OFFSET, WIDTH

LARGE = 500_000
"""Sequences of both players from which on a tree is worked on branch by branch: below, threads cost more than they save."""
MOST = 12
"""At most so many branches: enough to even out threads that are slowed down, few enough to add up, and large enough that
their runs are long."""


class Offsets:
    """Where parts of an array stand, in order of first request. size: numbers of a part, by its key."""

    def __init__(self, size: Callable[[Any], int]) -> None:
        self._size, self._end, self.at = size, 0, dict[Any, int]()

    def __call__(self, key: Any) -> int:
        if key not in self.at:
            self.at[key] = self._end
            self._end += self._size(key)
        return self.at[key]


def branches_of(payoff: ShowdownPayoff, player: int, drops: Offsets, set_at: set[int]) -> Branches:
    """Lay out one player's branches of a whole tree, if it is large and has cards to come. `drops`, the runs that far
    terminals need, is extended; near terminals set the runs `set_at`."""
    whole = not any(payoff.part) and len(payoff.tables.boards.layers) > 1
    if not whole or sum(runs.tree.size for runs in payoff.runs) < LARGE:
        none = np.zeros(0, np.int64)
        return Branches(0, 0, none.reshape(0, 0, 4), 0, none.reshape(0, 4), 0, none.reshape(0, 3), 0, none, 0)
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
        len(spans) - 1, spans.shape[1], spans, len(nodes), np.array(sorted(nodes), np.int64), len(listed),
        np.array(listed, np.int64), len(drops.at), np.array(list(drops.at), np.int64), padded(boards.lanes(0)),
    )  # fmt: skip


def padded(lanes: int) -> int:
    """Lanes in whole vectors."""
    return -(-lanes // LANES) * LANES


def side_of(payoff: ShowdownPayoff, player: int, dtype: Any = np.float64) -> PayoffSweep:
    """One player's leaves, for plans and CFVs of a dtype: float64 or float32."""
    own, other, tables, betting = payoff.runs[player], payoff.runs[1 - player], payoff.tables, payoff.betting
    rows, far, set_at = list[I64](), list[tuple[int, ...]](), list[tuple[int, int, int]]()  # set_at: from, to, the run
    parts: list[list[AnyArray]] = [[], [], []]
    pad, row, most = padded(tables.boards.lanes(0)), max(board.hands for board in tables.widest), 0
    ups, drops = Offsets(lambda way: tables.boards.layers[way[0]].places), Offsets(lambda _: pad)

    def starts(node: int) -> tuple[int, int]:
        return int(other.start[other.before[node]]), int(own.start[own.before[node]])

    def pack(into: I64, d: int, terminals: list[Showdown | Fold], sizes: tuple[int, int]) -> None:
        """Lay out some terminals, append their arrays to the parts, and write their offsets."""
        laid = terminals_of(tables.widest[d], terminals, sizes, dtype, store=True)
        into[0] = len(laid.batches)
        for k, array in enumerate(laid):
            into[1 + k] = sum(len(part) for part in parts[k])
            parts[k].append(array)

    listed = payoff.terminals()
    for d, layer in enumerate(tables.boards.layers):
        begin, end = payoff.span(d) if d >= payoff.part.layer else (0, 0)
        near, away = list[int](), list[tuple[int, int, int]]()  # away: nodes, and the layers of the hands
        for node in listed.get(d, []):
            mine, theirs = (layer_of_last_choice(betting, runs, node) for runs in (own, other))
            if mine == theirs == d and tables.boards.is_direct(d):
                near.append(node)
            else:
                away.append((node, theirs, mine))
        packed, count = dict[int, I64](), len(away)  # by how many boards one stands for: a factor of all amounts
        # Runs of boards with equal multiplicity; one empty run without boards.
        ends = [*(np.flatnonzero(np.diff(layer.times[begin:end])) + begin + 1).tolist(), end]
        for low, high in zip([begin, *ends], ends, strict=False):
            times = int(layer.times[low]) if high > low else 1
            if times not in packed:  # a row of `PayoffSweep.layers` without its boards
                packed[times] = here = np.zeros(COLUMNS, np.int64)
                unit = payoff.unit * layer.chance * times  # of a chip
                shown = [terminal_at(betting, node, player, starts(node), unit) for node in near]
                pack(here[NEAR:AWAY], d, shown, (other.tree.size, own.tree.size))
                moved = [
                    terminal_at(betting, node, player, (k * row, (count + k) * row), unit)
                    for k, (node, *_) in enumerate(away)
                ]
                pack(here[AWAY:FAR], d, moved, (2 * count * row,) * 2)
                here[[FAR, FAR_END, LAYER]] = len(far), len(far) + count, d
            for run in (starts(node)[1] for node in near):
                set_at.append((run + int(layer.first[low]), run + int(layer.first[high]), run))
            rows.append(packed[times].copy())
            rows[-1][[BOARDS, BOARDS_END]] = tables.first[d] + low, tables.first[d] + high
        for node, theirs, mine in away:
            reach, cfv = starts(node)
            far.append((reach, ups((d, theirs)), cfv, ups((d, mine)), drops(cfv) if d > mine == 0 else IN_PLACE))
        most = max(most, 2 * count)
    gaps, done, size = list[tuple[int, int]](), 0, own.tree.size  # what near terminals leave
    for begin, end, _ in [*sorted(set_at), (size, size, 0)]:
        if begin > done:
            gaps.append((done, begin))
        done = max(done, end)
    batches, places, amounts = (np.concatenate(part) for part in parts)
    maps = np.concatenate([np.zeros(0, np.int64), *(tables.boards.above(*way) for way in ups.at)])
    return PayoffSweep(
        size, len(rows), np.array(rows, np.int64).reshape(-1, COLUMNS), tables.rows, tables.pairs, tables.steps, batches,
        places, amounts, len(gaps), np.array(gaps, np.int64).reshape(-1, 2),
        np.array(far, np.int64).reshape(-1, FAR_COLUMNS), maps,
        tables.scratch if dtype == np.float64 else scratch_of(tables.largest, dtype),
        zeros(most * row).astype(dtype), row, branches_of(payoff, player, drops, {run for *_, run in set_at}),
    )  # fmt: skip


def terminal_at(betting: BettingTree, node: int, player: int, places: tuple[int, int], unit: float) -> Showdown | Fold:
    """A terminal node as a player's. places: of the opponent's reach and of the CFVs. unit: the weight of a chip."""
    win, lose, tie = (unit * float(x[node]) for x in (betting.win, betting.lose, betting.tie))
    kind = int(betting.kind[node])
    if kind == Kind.SHOWDOWN:
        return Showdown(*places, win, -lose, tie)
    folded = kind == (Kind.FOLD0, Kind.FOLD1)[player]
    return Fold(*places, lose if folded else win)


WRITTEN_OUT = 30_000_000
"""The most payoff entries for which the matrix is written out, for a linear program or as a witness: 2 GiB
of memory.
"""


@dataclass(frozen=True, eq=False)
class ShowdownPayoff(ExplicitPayoff):
    """The payoff of all folds and showdowns of a betting tree on all boards; with the layout of the payoff `like`, if
    given, in another unit.

    Attributes:
        runs: the positions of both players' hands in their plans.
        unit: the weight of a chip: 1 over the weight of all pairs of hands.
        part: only the terminals below this node; the root for all.
    """

    betting: BettingTree
    tables: Tables
    runs: tuple[HandTreeplex, HandTreeplex]
    unit: float
    part: PublicNode = field(default_factory=PublicNode)
    like: ShowdownPayoff | None = None

    def terminals(self) -> dict[int, list[int]]:
        """The terminals of the part by layer."""
        found: dict[int, list[int]] = {}
        first, end = self.part.node, int(self.betting.end[self.part.node])
        for node in (first + np.flatnonzero(self.betting.kind[first:end] > int(Kind.DEAL))).tolist():
            found.setdefault(layer_of(self.betting, node), []).append(node)
        return found

    def span(self, layer: int) -> tuple[int, int]:
        """The boards of the part on a layer: first, and one past the last."""
        layers = self.tables.boards.layers
        begin, end = self.part.board, self.part.board + 1
        for k in range(self.part.layer + 1, layer + 1):
            begin, end = np.searchsorted(layers[k].parent, [begin, end]).tolist()
        return begin, end

    @cached_property
    def leaves(self) -> tuple[PayoffSweep, PayoffSweep]:
        if self.like is not None:
            return self._times(self.like.leaves)
        return side_of(self, 0), side_of(self, 1)

    @cached_property
    def single(self) -> tuple[PayoffSweep, PayoffSweep]:
        """The leaves for plans and CFVs in float32."""
        if self.like is not None:
            return self._times(self.like.single)
        return side_of(self, 0, np.float32), side_of(self, 1, np.float32)

    def times(self, factor: float) -> ShowdownPayoff:
        """The payoff with all chips multiplied by a factor; it shares the layout of this one."""
        return self if factor == 1.0 else replace(self, unit=factor * self.unit, like=self)

    def _times(self, sides: tuple[PayoffSweep, PayoffSweep]) -> tuple[PayoffSweep, PayoffSweep]:
        """Sides of the payoff `like` in the unit of this one: all amounts are proportional to it."""
        assert self.like is not None
        factor = self.unit / self.like.unit
        first, second = (side._replace(amounts=multiply_amounts(side.batches, side.amounts, factor)) for side in sides)
        return first, second

    @cached_property
    def entries(self) -> int:
        """Number of entries of the payoff matrix, including pairs of hands with a common card."""
        boards, total = self.tables.boards, 0
        for layer, nodes in self.terminals().items():
            hands = np.diff(boards.layers[layer].first)
            total += len(nodes) * int(hands @ hands)
        return total

    @property
    def largest(self) -> float:
        """The most chips that a player can win or lose, per pair of hands."""
        betting = self.betting
        return float(max(np.abs(betting.win).max(), np.abs(betting.lose).max()))

    def product(self, player: int, plan: F64) -> F64:
        """(size,) CFVs of `player`'s sequences in that player's own chips, against the other player's plan."""
        if len(plan) != self.runs[1 - player].tree.size:
            raise InputError(f"a plan of {len(plan)} sequences does not fit player {1 - player}")
        out = np.empty(self.runs[player].tree.size)
        product(self.leaves[player], NO_BASE, np.ascontiguousarray(plan, np.float64), out)
        return out

    def paid(self, plan0: F64, plan1: F64) -> float:
        """The rake in chips under plans (size of tree 0,) and (size of tree 1,)."""
        if not self.betting.rules.rake:
            return 0.0
        return -self.value(plan0, plan1) - float(plan1 @ self.product(1, plan0))

    @cached_property
    def explicit(self) -> Matrix:
        """The payoff written out as a sparse matrix, for linear programs and witnesses; an `InputError` if it is too
        large, or there is a rake, so that the players' payoffs are two matrices."""
        if self.betting.rules.rake:
            raise InputError("with a rake the game is not zero-sum: use a minimiser instead of the linear program")
        if self.entries > WRITTEN_OUT:
            raise InputError(
                f"the linear program would need {self.entries:,} payoff entries, more than {WRITTEN_OUT:,}; use a "
                "minimiser such as dcfr"
            )
        # From the definition: every pair of hands that can be dealt, at every terminal on every board.
        boards, betting, runs = self.tables.boards, self.betting, self.runs
        hands, parts = boards.cards.hands, []
        for d, nodes in self.terminals().items():
            layer = boards.layers[d]
            for b in range(*self.span(d)):
                # All pairs of places of one board whose hands share no card.
                places = np.arange(layer.first[b], layer.first[b + 1])
                own, rank = hands[layer.hand[places]], layer.rank[places]
                apart = ~(own[:, None, :, None] == own[None, :, None, :]).any((2, 3))
                one, two = np.nonzero(apart)
                better = np.sign(rank[one] - rank[two])
                for node in nodes:
                    # The sequence of each player's last choice, at the place of the hand when it was made.
                    row, column = (
                        runs[i].start[runs[i].before[node]]
                        + boards.above(d, layer_of_last_choice(betting, runs[i], node))[places[who]]
                        for i, who in ((0, one), (1, two))
                    )
                    chips = [betting.tie[node], betting.win[node], betting.lose[node]]
                    sign = {Kind.FOLD0: -1, Kind.FOLD1: 1}.get(Kind(betting.kind[node]), better)
                    weight = self.unit * layer.chance * int(layer.times[b])
                    value = weight * np.array(chips)[np.broadcast_to(sign, better.shape)]
                    parts.append((row.astype(np.int32), column.astype(np.int32), value))
        row, column, value = (np.concatenate(part) for part in zip(*parts, strict=True))
        trees = runs[0].tree, runs[1].tree
        groups = (trees[0].arrays.groups, trees[1].arrays.groups)
        return Matrix.from_entries(row, column, value, (trees[0].size, trees[1].size), groups)


advance_by(PayoffSweep, advance)
advance_by(ConstantArrays, advance_paid)
