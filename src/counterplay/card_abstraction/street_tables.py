"""Lanes of decks with too many boards to list: tables by board before the last street, centres on the last.

Boards of a table are sets of cards up to suit isomorphism. The last street has no table: a hand's lane is the cluster of its
features, which one sweep over the board's hands computes. All boards of a street share lanes: imperfect recall.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F32, I8, I64, U16, U32
from counterplay.card_abstraction.nested_centres import NestedCentres
from counterplay.card_abstraction.showdown_features import GROUPS, group_room, sweep_groups, tie_starts
from counterplay.jit import kernel
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.boards.card_sets import card_sets


@dataclass(frozen=True, eq=False)
class LastStreet:
    """Lanes of the last street. rivals: (hands of the deck,) the group of opposing hands that each belongs to. columns:
    the first feature in use: 0, or `GROUPS` for equity against all hands alone. scale: the whole number for an equity
    of 1."""

    rivals: I8
    columns: int
    scale: int
    centres: NestedCentres

    def features(self, board: Board) -> F32:
        """(n, features) features of the hand at each place of a board."""
        assert board.layout is not None
        n = len(board.hand)
        starts = np.empty(n + 1, np.int32)
        ties = tie_starts(board.layout.steps, n, starts)
        found = np.empty((n, GROUPS + 1), np.float32)
        sweep_groups(board.layout.pairs, starts, ties, self.rivals[board.hand], self.scale, group_room(n), found)
        return found[:, self.columns :]

    def lanes(self, board: Board) -> U32:
        """(n,) lane of the hand at each place."""
        out = np.empty(len(board.hand), np.uint32)
        self.centres.label(self.features(board), out)
        return out


@dataclass(frozen=True, eq=False)
class StreetTables:
    """Lanes shared by all boards of a street. preflop: (classes,) lane of each class of hand. tables: for each street
    in between, (boards, places) the lane of each hand of each different set of cards."""

    deck: Deck
    preflop: U32
    tables: tuple[U16, ...]
    last: LastStreet
    name: str
    _latest: dict[int, tuple[Board, U32]] = field(default_factory=dict, repr=False)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of lanes of each street."""
        between = (int(table.max()) + 1 for table in self.tables)
        return (int(self.preflop.max()) + 1, *between, self.last.centres.count)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all lanes; equal abstractions have equal digests."""
        content, centres = hashlib.sha256(), self.last.centres
        for array in (*self.tables, self.last.rivals, centres.clusters, centres.cells, centres.starts):
            content.update(np.ascontiguousarray(array).tobytes())
        return content.hexdigest()

    @cached_property
    def _hands(self) -> I64:
        """(hands of the deck, 2) positions in the deck."""
        return np.searchsorted(self.deck.cards, self.deck.hands)

    def sizes_on(self, street: int) -> I64:
        return np.array([self.sizes[street]])

    def lanes_on(self, board: Board) -> tuple[int, U32]:
        # Several strategies of these buckets are asked for one board in turn.
        known, lanes = self._latest.get(board.street, (None, None))
        if known is board and lanes is not None:
            return 0, lanes
        if board.street > len(self.tables):
            lanes = self.last.lanes(board)
        else:
            sets = card_sets(self.deck, DEALT[board.street])
            number, image = sets.find(board.cards)
            lanes = np.empty(len(board.hand), np.uint32)
            look_up(self.tables[board.street - 1][number], sets.cards[number], image, self._hands, board.hand, lanes)
        self._latest[board.street] = board, lanes
        return 0, lanes

    def __str__(self) -> str:
        return f"{self.name}: {' / '.join(f'{count:,}' for count in self.sizes)} buckets by street"


@kernel(allocates=True)
def look_up(row: Any, board: Any, image: Any, hands: Any, hand: Any, out: Any) -> None:
    """Fill (n,) the lanes of hands in one row (places,) of a table, for a board of positions. image: (cards,) what each
    position becomes there. hands: (hands of the deck, 2) positions of each. hand: (n,) numbers of hands."""
    n = len(image)
    place = np.empty(n, np.int64)  # of each card among those that the board leaves
    for card in range(n):
        at = image[card]
        for other in board:
            at -= other < image[card]
        place[card] = at
    for i in range(len(hand)):
        low, high = place[hands[hand[i], 0]], place[hands[hand[i], 1]]
        if low > high:
            low, high = high, low
        out[i] = row[high * (high - 1) // 2 + low]
