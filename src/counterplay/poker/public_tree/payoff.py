"""The payoff of a public tree of cards, as every solver takes it: `ShowdownPayoff`, the second kind of `Subgame.leaves`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.leaves.constants import ConstantArrays
from counterplay.leaves.matrix import ExplicitPayoff, Matrix
from counterplay.leaves.protocol import NO_BASE, advance_by, product
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.hand_treeplex import layer_of_last_choice
from counterplay.poker.public_tree.payoff_kernel import PayoffSweep
from counterplay.poker.public_tree.payoff_layout import side_of
from counterplay.poker.public_tree.public_terminals import PublicTerminals
from counterplay.poker.public_tree.thread_pool import advance, advance_paid
from counterplay.poker.showdown.terminals import multiply_amounts

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
