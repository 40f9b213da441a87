"""Learned values behind the limit of a look-ahead.

Where a turn ends they are the mean over all rivers of a showdown and of what betting adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Annotated, Any, ClassVar

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.files import check_readable
from counterplay.networks.network import PUBLIC, RIVER, NetworkPath, kind_held, read_once
from counterplay.networks.river_network import RiverNetwork, Strengths, load_river_network
from counterplay.networks.value_network import load_public_network, load_value_network
from counterplay.poker.betting.bet_sizes import BetSizes, read_sizes
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import Deck
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import BOARD_COLUMNS, Fold, RankedBoard, Showdown, Terminals, terminals_of
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.subgames.cut_game import Border
from counterplay.value_functions.leaf_value import Evaluate, LeafValue


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


_TURN = 4
"""Cards of the board there."""
_RIVER = STREETS.index("river")
_LEAST = 1e-30


@dataclass(frozen=True, eq=False)
class RiverValue:
    """A network of rivers as a value function of spots, behind limits where a turn ends."""

    network: RiverNetwork
    name: str = "net"

    def at(self, end: StreetEnd) -> Evaluate:
        return self._ready(end).values

    def on_boards(self, end: StreetEnd) -> Evaluate:
        """The same river by river: per player (deals, hands) chips times the other's reach, without chance's probability of
        the river. Hands run over the rivers, board by board, in the order of `boards.Layer`."""
        return self._ready(end).on_boards

    def _ready(self, end: StreetEnd) -> _TurnEnd:
        check_turn_end(self.network, end)
        rivers = RiverShowdowns(end)
        return _TurnEnd(self.network, rivers, Strengths.of(rivers.strength, self.network.knots))


@dataclass(frozen=True, eq=False)
class _TurnEnd:
    """A network where one turn ends."""

    network: RiverNetwork
    rivers: RiverShowdowns
    strengths: Strengths

    def values(self, range0: F64, range1: F64) -> tuple[F64, F64]:
        rivers, end = self.rivers, self.rivers.end
        unit = end.whole.leaves.unit * end.whole.boards.layers[rivers.layer].chance
        wide = end.whole.boards.layers[end.layer].places
        first, second = (
            np.concatenate([np.bincount(rivers.up, row, wide) for row in unit * worth])
            for worth in self.on_boards(range0, range1)
        )
        return first, second

    def on_boards(self, range0: F64, range1: F64) -> tuple[F64, F64]:
        """(deals, hands) of both players: chips times the other's reach."""
        rivers, end = self.rivers, self.rivers.end
        held = [ranges.reshape(len(end.deals), -1) for ranges in (range0, range1)]
        ours = [reach[:, rivers.up] for reach in held]
        known = [rivers.values(held[1 - i]) for i in (0, 1)]
        extra = self._extra(ours, [met for _, met in known])
        first, second = (
            shown + end.pots[:, None] * met * more for (shown, met), more in zip(known, extra, strict=True)
        )
        return first, second

    def _extra(self, ours: list[F64], met: list[F64]) -> list[F64]:
        """Per player (deals, hands) what betting adds, in pots; half the surplus of both claims is subtracted."""
        deals, boards = len(ours[0]), self.rivers.boards
        row = (np.arange(deals)[:, None] * boards + self.rivers.board).reshape(-1)
        every = Strengths(
            np.tile(self.strengths.knot, deals), np.tile(self.strengths.share, deals), self.strengths.knots
        )
        rows = deals * boards
        masses = [every.collect(row, rows, one.reshape(-1)) for one in ours]
        total = [one.sum(axis=1, keepdims=True) for one in masses]
        shares = np.stack([one / np.maximum(all_, _LEAST) for one, all_ in zip(masses, total, strict=True)], axis=1)
        numbers = self.network.extra(shares.astype(np.float32), np.repeat(self.rivers.end.depths, boards))
        extra = [every.spread(row, numbers[:, i]) for i in (0, 1)]
        weights = [(one * other).reshape(-1) for one, other in zip(ours, met, strict=True)]
        surplus = sum(np.bincount(row, w * more, rows) for w, more in zip(weights, extra, strict=True))
        pairs = np.bincount(row, weights[0], rows)
        half = 0.5 * np.divide(surplus, pairs, out=np.zeros(rows), where=pairs > _LEAST)
        return [(more - half[row]).reshape(deals, -1) for more in extra]


def check_turn_end(net: RiverNetwork, end: StreetEnd) -> None:
    """Reject a border at which a network of rivers knows nothing."""
    tree = end.whole
    shown = len(tree.boards.layers[end.layer].boards[0])
    if shown != _TURN:
        raise InputError(
            f"the network was learned for rivers, where a turn ends, and here {shown} cards are on the board"
        )
    if tree.boards.cards.deck != Deck.from_rank(net.deck).cards:
        raise InputError(f"the network was learned with the cards from {net.deck} up, and this deck is another one")
    rules = tree.betting.rules
    if rules.rake:
        raise InputError("the network was learned without a rake")
    if tree.is_folded:
        raise InputError("the network takes boards one by one, and here isomorphic suits are dealt once")
    here, there = _on_the_river(tree.betting.sizes), _on_the_river(read_sizes(net.bets))
    if (here, rules.raises[_RIVER]) != (there, net.raises):
        cap = "any number of raises" if net.raises is None else f"at most {net.raises} bets and raises"
        raise InputError(
            f"the network was learned with the bets {net.bets} and {cap} on the river, and here they are others"
        )


def _on_the_river(sizes: BetSizes) -> tuple[object, ...]:
    at = {(player, act): listed for (street, player, act), listed in sizes.at.items() if street == _RIVER}
    return at, sizes.all_in_at, sizes.merge, sizes.force


@dataclass(frozen=True)
class NetworkValue(LeafValue):
    """A value function that a network learned (`counterplay learn value`, `counterplay learn river`)."""

    HEAD = "net"
    quick: ClassVar[bool] = True
    on_way: ClassVar[bool] = True
    path: Annotated[str, NetworkPath()]

    def check(self) -> None:
        check_readable(self.path)

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False

    def at(self, border: Border | StreetEnd) -> Evaluate:
        """The network's values at a border.

        Raises:
            InputError: a missing or damaged file, or a border that it was not learned for.
        """
        held = read_once(self.path, kind_held)
        if (held == RIVER) != isinstance(border, StreetEnd):
            of = ("spots of hold'em, not of an enumerated game", "an enumerated game, not of a spot of hold'em")
            raise InputError(f"{self.name} is of {of[held != RIVER]}")
        known: Any = read_once(self.path, _READERS.get(held, load_value_network))
        try:
            if isinstance(border, StreetEnd):
                return RiverValue(known).at(border)
            rows = known.rows(border)
        except InputError as error:
            raise InputError(f"{self.path} does not fit: {error}") from None
        return partial(known.values, rows)

    def on_boards(self, end: StreetEnd) -> Evaluate | None:
        """The values board by board (see `RiverValue.on_boards`); None of a network that knows no boards.

        Raises:
            InputError: as `at`.
        """
        if read_once(self.path, kind_held) != RIVER:
            return None
        return RiverValue(read_once(self.path, load_river_network)).on_boards(end)


_READERS: dict[str, Any] = {RIVER: load_river_network, PUBLIC: load_public_network}
