"""The payoff of a public tree of cards, as every solver takes it: `ShowdownPayoff`, the second kind of `Subgame.leaves`."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from counterplay.poker.public_tree.branches import IN_PLACE, Offsets, branches_of, padded
from counterplay.poker.public_tree.hand_treeplex import HandTreeplex, layer_of_last_choice
from counterplay.poker.public_tree.payoff_kernel import (
    AWAY,
    BOARDS,
    BOARDS_END,
    COLUMNS,
    FAR,
    FAR_COLUMNS,
    FAR_END,
    LAYER,
    NEAR,
    PayoffSweep,
    advance,
    advance_paid,
)
from counterplay.poker.public_tree.public_terminals import PublicTerminals
from counterplay.poker.showdown.terminals import Fold, Showdown, multiply_amounts, terminals_of
from counterplay.treeplex.memory import zeros


def side_of(payoff: PublicTerminals, player: int, dtype: Any = np.float64) -> PayoffSweep:
    """One player's leaves, for plans and CFVs of a dtype: float64 or float32."""
    side, listed = _PayoffLayout(payoff, player, dtype), payoff.terminals()
    for d in range(len(payoff.tables.boards.layers)):
        side.add(d, listed.get(d, []))
    return side.laid_out()


class _PayoffLayout:
    """A player's leaves under construction, layer by layer."""

    def __init__(self, payoff: PublicTerminals, player: int, dtype: Any) -> None:
        self._payoff, self._player, self._dtype = payoff, player, dtype
        self._own, self._other = payoff.runs[player], payoff.runs[1 - player]
        tables = payoff.tables
        self._rows: list[I64] = []
        self._parts: list[list[AnyArray]] = [[], [], []]
        self._far: list[tuple[int, ...]] = []
        self._set: list[tuple[int, int, int]] = []  # what near terminals set: from, to, the run
        pad = padded(tables.boards.lanes(0))
        self._ups, self._drops = Offsets(lambda way: tables.boards.layers[way[0]].places), Offsets(lambda _: pad)
        self._row, self._most = max(board.hands for board in tables.widest), 0

    def add(self, d: int, nodes: list[int]) -> None:
        payoff, layer = self._payoff, self._payoff.tables.boards.layers[d]
        begin, end = payoff.span(d) if d >= payoff.part.layer else (0, 0)
        near, away = list[int](), list[tuple[int, int, int]]()  # away: nodes, and the layers of the hands
        for node in nodes:
            mine, theirs = (layer_of_last_choice(payoff.betting, runs, node) for runs in (self._own, self._other))
            if mine == theirs == d and payoff.tables.boards.is_direct(d):
                near.append(node)
            else:
                away.append((node, theirs, mine))
        packed: dict[int, I64] = {}  # by how many boards one stands for: that is a factor of all amounts
        # Runs of boards with equal multiplicity; one empty run without boards.
        ends = [*(np.flatnonzero(np.diff(layer.times[begin:end])) + begin + 1).tolist(), end]
        for low, high in zip([begin, *ends], ends, strict=False):
            times = int(layer.times[low]) if high > low else 1
            if times not in packed:
                packed[times] = self._packed(d, near, [node for node, *_ in away], payoff.unit * layer.chance * times)
            runs = [_starts(self._other, self._own, node)[1] for node in near]
            self._set += [(run + int(layer.first[low]), run + int(layer.first[high]), run) for run in runs]
            self._rows.append(packed[times].copy())
            self._rows[-1][[BOARDS, BOARDS_END]] = payoff.tables.first[d] + low, payoff.tables.first[d] + high
        for node, theirs, mine in away:
            reach, cfv = _starts(self._other, self._own, node)
            drop = self._drops(cfv) if d > mine == 0 else IN_PLACE
            self._far.append((reach, self._ups((d, theirs)), cfv, self._ups((d, mine)), drop))
        self._most = max(self._most, 2 * len(away))

    def _packed(self, d: int, near: list[int], away: list[int], unit: float) -> I64:
        """A row of `PayoffSweep.layers` without its boards; `unit` is the weight of a chip."""
        here, payoff, row, count = np.zeros(COLUMNS, np.int64), self._payoff, self._row, len(away)
        shows = [
            terminal_at(payoff.betting, node, self._player, _starts(self._other, self._own, node), unit)
            for node in near
        ]
        self._pack(here[NEAR:AWAY], d, shows, (self._other.tree.size, self._own.tree.size))
        moved = [
            terminal_at(payoff.betting, node, self._player, (k * row, (count + k) * row), unit)
            for k, node in enumerate(away)
        ]
        self._pack(here[AWAY:FAR], d, moved, (2 * count * row,) * 2)
        here[[FAR, FAR_END, LAYER]] = len(self._far), len(self._far) + count, d
        return here

    def _pack(self, row: I64, d: int, terminals: list[Showdown | Fold], sizes: tuple[int, int]) -> None:
        """Lay out some terminals, append their arrays to the parts, and write their offsets into `row`."""
        laid = terminals_of(self._payoff.tables.widest[d], terminals, sizes, self._dtype, store=True)
        row[0] = len(laid.batches)
        for k, array in enumerate(laid):
            row[1 + k] = sum(len(part) for part in self._parts[k])
            self._parts[k].append(array)

    def laid_out(self) -> PayoffSweep:
        tables, size, single = self._payoff.tables, self._own.tree.size, self._dtype == np.float32
        batches, places, amounts = (np.concatenate(part) for part in self._parts)
        ups = [np.zeros(0, np.int64), *(tables.boards.above(*way) for way in self._ups.at)]
        gaps, done = [], 0  # what near terminals leave
        for begin, end, _ in [*sorted(self._set), (size, size, 0)]:
            if begin > done:
                gaps.append((done, begin))
            done = max(done, end)
        return PayoffSweep(
            size, np.array(self._rows, np.int64).reshape(-1, COLUMNS), tables.rows, tables.pairs, tables.steps, batches,
            places, amounts, np.array(gaps, np.int64).reshape(-1, 2),
            np.array(self._far, np.int64).reshape(-1, FAR_COLUMNS), np.concatenate(ups),
            tables.scratch_single if single else tables.scratch, zeros(self._most * self._row).astype(self._dtype),
            self._row, branches_of(self._payoff, self._player, self._drops, {run for *_, run in self._set}),
        )  # fmt: skip


def _starts(other: HandTreeplex, own: HandTreeplex, node: int) -> tuple[int, int]:
    return int(other.start[other.before[node]]), int(own.start[own.before[node]])


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
class ShowdownPayoff(PublicTerminals, ExplicitPayoff):
    """The payoff of all folds and showdowns of a betting tree on all boards; with the layout of the payoff `like`, if
    given, in another unit."""

    like: ShowdownPayoff | None = None

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
