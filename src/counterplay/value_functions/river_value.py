"""Learned values where a turn ends: the mean over all rivers of a showdown and of what betting adds to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.networks.river_network import RiverNetwork, Strengths
from counterplay.poker.betting.bet_sizes import BetSizes, read_sizes
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.cards.deck import RANKS, Deck
from counterplay.poker.subtrees.river_showdowns import RiverShowdowns
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.value_functions.leaf_value import Evaluate

_TURN = 4
"""Cards of the board there."""
_RIVER = STREETS.index("river")
_LEAST = 1e-30


@dataclass(frozen=True, eq=False)
class RiverValue:
    """A network of rivers as a value function of spots, behind limits where a turn ends.

    Attributes:
        network: of the rivers' betting.
        name: its text.
    """

    network: RiverNetwork
    name: str = "net"

    def at(self, end: StreetEnd) -> Evaluate:
        """The network's values at the end of a turn."""
        return self._asked(end).values

    def on_boards(self, end: StreetEnd) -> Evaluate:
        """The same river by river: per player (deals, hands) chips times the other's reach, without chance's probability of
        the river. Hands run over the rivers, board by board, in the order of `boards.Layer`."""
        return self._asked(end).on_boards

    def _asked(self, end: StreetEnd) -> _Asked:
        check_turn_end(self.network, end)
        rivers = RiverShowdowns(end)
        return _Asked(self.network, rivers, Strengths.of(rivers.strength, self.network.knots))


@dataclass(frozen=True, eq=False)
class _Asked:
    """A network at the end of one turn."""

    network: RiverNetwork
    rivers: RiverShowdowns
    strengths: Strengths

    def values(self, range0: F64, range1: F64) -> tuple[F64, F64]:
        """CFVs of both players."""
        rivers, end = self.rivers, self.rivers.end
        unit = end.part.whole.leaves.unit * end.part.whole.boards.layers[rivers.layer].chance
        wide = end.part.whole.boards.layers[end.layer].places
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
    tree = end.part.whole
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
        raise InputError(
            f"the network was learned with the bets {net.bets} and {_cap(net.raises)} on the river, and here they are others"
        )


def _on_the_river(sizes: BetSizes) -> tuple[object, ...]:
    """What a menu offers there."""
    at = {(player, act): listed for (street, player, act), listed in sizes.at.items() if street == _RIVER}
    return at, sizes.all_in_at, sizes.merge, sizes.force


def _cap(raises: int | None) -> str:
    return "any number of raises" if raises is None else f"at most {raises} bets and raises"


def lowest_rank(deck: Deck) -> str:
    """The rank from which on a deck has all cards."""
    rank = RANKS[deck.cards[0] // 4]
    if Deck.from_rank(rank) != deck:
        raise InputError("rivers are learned with all cards from some rank on")
    return rank
