"""The rivers after the end of a turn's betting: what hands win there without further bets, and whom they meet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import BOARD_COLUMNS, Fold, RankedBoard, Showdown, Terminals, terminals_of
from counterplay.poker.subtrees.street_limit import StreetEnd


@dataclass(frozen=True, eq=False)
class RiverShowdowns:
    """The showdowns of all deals of a river after the end of a turn. Hands are numbered board by board in order of
    strength."""

    end: StreetEnd

    @property
    def layer(self) -> int:
        return self.end.layer + 1

    @property
    def boards(self) -> int:
        return len(self.end.whole.boards.layers[self.layer].boards)

    @property
    def first(self) -> I64:
        """(boards + 1,) offset of each river's hands."""
        return self.end.whole.boards.layers[self.layer].first

    @cached_property
    def up(self) -> I64:
        """(hands,) the place of each hand before the river."""
        return self.end.whole.boards.above(self.layer, self.end.layer)

    @cached_property
    def board(self) -> I64:
        """(hands,) the number of each hand's river."""
        return np.repeat(np.arange(self.boards), np.diff(self.first))

    @cached_property
    def strength(self) -> F64:
        """(hands,) share of the deck's hands on the river that each beats; ties count half."""
        whole = self.end.whole.boards
        layer = whole.layers[self.layer]
        hands = whole.cards.hands[layer.hand]
        spans = zip(layer.boards, layer.first.tolist(), layer.first[1:].tolist(), strict=False)
        return np.concatenate([strength_on(whole.cards, board, hands[a:b]) for board, a, b in spans])

    def values(self, reach: F64) -> tuple[F64, F64]:
        """Two (deals, hands): chips that hands win at showdown times the other player's reach, and that reach. reach:
        (deals, places before the river)."""
        shown, met = np.empty((len(reach), len(self.up))), np.empty((len(reach), len(self.up)))
        room, out = np.zeros(self._plan), np.empty(2 * self._plan)
        rows = room.reshape(len(reach), -1)
        ends = self.first.tolist()
        for layout, begin, end in zip(self._layouts, ends, ends[1:], strict=False):
            n = end - begin
            rows[:, :n] = reach[:, self.up[begin:end]]
            out[:] = 0.0
            evaluate(layout, self._terminals, room, out, self.end.whole.tables.scratch)
            both = out.reshape(2, len(reach), -1)
            shown[:, begin:end], met[:, begin:end] = both[0, :, :n], both[1, :, :n]
        return shown, np.maximum(met, 0.0)

    @cached_property
    def _layouts(self) -> list[RankedBoard]:
        tables = self.end.whole.tables
        found = []
        for row in tables.rows[tables.first[self.layer] : tables.first[self.layer + 1]].tolist():
            hands, slots, groups, begin, steps = row[:BOARD_COLUMNS]
            pairs = tables.pairs[begin : begin + 2 * hands].reshape(-1, 2)
            found.append(RankedBoard(hands, slots, groups, pairs, tables.steps[steps:]))
        return found

    @property
    def _widest(self) -> int:
        return int(np.diff(self.first).max())

    @property
    def _plan(self) -> int:
        return len(self.end.deals) * self._widest

    @cached_property
    def _terminals(self) -> Terminals:
        """Of either player: a showdown and a fold, which sums the other's reach, at every deal."""
        pots, wide, listed = self.end.pots, self._widest, list[Showdown | Fold]()
        for k, half in enumerate((0.5 * pots).tolist()):
            listed += [Showdown(k * wide, k * wide, half, half), Fold(k * wide, self._plan + k * wide, 1.0)]
        largest = max(self._layouts, key=lambda board: board.hands)
        return terminals_of(largest, listed, (self._plan, 2 * self._plan))


def strength_on(cards: Cards, board: tuple[int, ...], hands: I64) -> F64:
    """(n,) share of all hands of the deck that each of some hands beats on a whole board; ties count half."""
    live = [card for card in cards.deck if card not in board]
    every = np.sort(cards.rank(board, np.array(list(combinations(live, 2)))))
    own = cards.rank(board, hands)
    below, upto = np.searchsorted(every, own, "left"), np.searchsorted(every, own, "right")
    return np.asarray((below + upto) / (2.0 * len(every)), np.float64)
