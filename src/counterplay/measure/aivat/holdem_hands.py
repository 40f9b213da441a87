"""AIVAT in whole games of hold'em: the known side is carried as a range against the other's hand.

Everything is averaged over the hands that the known side may hold, given its strategy. What is left to chance is the other's
hand, the boards and the known side's actions: at each of them the difference between what a value function says of the event
and what it says on average is subtracted. The average is exact, so the correction has mean zero for any value function.
The events of a hand are those of `hand_events`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.measure.aivat.hand_events import (
    ActionEvent,
    Deal,
    Payoffs,
    StreetEvent,
    hand_events,
    payoffs_in_tree,
)
from counterplay.measure.play_hand import Hand
from counterplay.poker.cards.deck import CARDS, Ints
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import DEALT, board_codes
from counterplay.poker.whole_game.continuation.lane_values import LaneValues
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.rules import Holdem

_FEW = 60
"""Boards to come, at most, after each of which all last cards are looked at."""
_AHEAD = 0.7
"""What being ahead with more cards to come is worth of what it pays at the end: on a flop it wins about 85 % of the pots."""


class KnownPlayer(Protocol):
    """An agent whose strategy is known: it tells its probabilities with every hand, not only with its own."""

    seat: int

    def rows(self, node: int, board: tuple[int, ...]) -> Floats:
        """(actions, hands of the deck) at one of its betting nodes, on a board in the order of the deal."""


class HoldemAivat:
    """Corrected results of hands.

    Args:
        rules: the game of the known side.
        known: of each seat, the player whose strategy is known.
        values: of each seat, the values of the hands of the player there, who need not be known.
    """

    def __init__(self, rules: Holdem, known: tuple[KnownPlayer, KnownPlayer], values: Mapping[int, LaneValues]) -> None:
        self._rules, self._game, self._known = rules, rules.game, known
        self._lanes = {seat: _Lanes(rules.game, found) for seat, found in values.items()}

    def chips(self, hand: Hand, seat: int) -> float:
        """Corrected chips of a seat whose player is known."""
        return -self._other_wins(hand, seat)

    def _other_wins(self, hand: Hand, seat: int) -> float:
        """The same to the other player."""
        deal, events, pays = hand_events(self._rules, hand, seat)
        lanes = self._lanes[1 - seat]
        found = lanes.mean_before_deal - lanes.value(0, 0, deal)
        reach = self._game.deck.live(deal.hand).astype(float)
        for event in events:
            board = deal.board[: DEALT[event.street]]
            if isinstance(event, StreetEvent):
                found += self._luck_of_deal(lanes, event, deal, reach)
                reach = reach * self._game.deck.live(board)
            else:
                odds = _normalised(self._known[seat].rows(event.node, board))
                found += self._luck_of_action(lanes, event, deal, odds * reach)
                reach = reach * odds[event.number]
        return found + self._payoff(pays, deal, reach)

    def _luck_of_deal(self, lanes: _Lanes, event: StreetEvent, deal: Deal, reach: Floats) -> float:
        """What a street is expected to bring the other, less what it seems to have brought."""
        node, street = event.node, event.street
        boards, odds = self._next_boards(deal, street, reach)
        if event.pays is not None:
            before = deal.board[: DEALT[street - 1]]
            paid = self._all_in_values(event.pays, deal.hand, before, boards, reach)
            came = (boards == sorted(deal.board[len(before) : DEALT[street]])).all(axis=1)
            return float(odds @ paid) / float(odds.sum()) - float(paid[came][0])
        if node is None or not lanes.values.has_row(street, node):
            return 0.0
        values = lanes.values_on(street, node, deal, boards)
        return event.scale * (float(odds @ values) / float(odds.sum()) - lanes.value(street, node, deal))

    def _all_in_values(
        self, pays: Payoffs, hand: tuple[int, int], before: tuple[int, ...], boards: Ints, reach: Floats
    ) -> Floats:
        """(boards,) what an all-in seems to bring with each of the boards that may come: exact where at most one card is
        still to come after few of them; else by who is ahead there."""
        known: dict[tuple[int, ...], float] = {}

        def worth(board: tuple[int, ...]) -> float:
            key = tuple(sorted(board))
            if key not in known:
                known[key] = self._payoff(pays, Deal(hand, board), reach)
            return known[key]

        left = DEALT[self._game.last] - len(before) - boards.shape[1]
        if left == 0:
            return np.array([worth((*before, *cards)) for cards in boards.tolist()])
        if left > 1 or len(boards) > _FEW:
            ahead = [worth((*before, *cards)) for cards in boards.tolist()]
            middle = 0.5 * (pays.win + pays.lose)
            return middle + _AHEAD * (np.array(ahead) - middle)
        found = []
        for cards in boards.tolist():
            here = (*before, *cards)
            last = [card for card in self._game.deck.cards if card not in (*hand, *here)]
            odds = self._next_cards(reach * self._game.deck.live(here))[last]
            each = np.array([worth((*here, card)) for card in last])
            found.append(float(odds @ each) / float(odds.sum()) if odds.any() else 0.0)
        return np.array(found)

    def _next_cards(self, reach: Floats) -> Floats:
        """(cards,) how likely each card is to come, up to a factor, by the hands that the known side may hold."""
        low, high = self._game.deck.hands.T
        held = np.bincount(low, reach, CARDS) + np.bincount(high, reach, CARDS)
        found: Floats = reach.sum() - held
        return found

    def _next_boards(self, deal: Deal, street: int, reach: Floats) -> tuple[Ints, Floats]:
        """(boards, new cards) that may come, and (boards,) how likely each is, up to a factor: by the hands that the known
        side may still hold."""
        deck, before = self._game.deck, deal.board[: DEALT[street - 1]]
        free = [card for card in deck.cards if card not in (*deal.hand, *before)]
        new = np.array(list(combinations(free, DEALT[street] - len(before))))
        by_card, pairs = np.zeros(CARDS), np.zeros((CARDS, CARDS))
        low, high = deck.hands.T
        pairs[low, high] = pairs[high, low] = reach
        by_card[:] = pairs.sum(axis=1)
        odds = reach.sum() - by_card[new].sum(axis=1)
        for one, two in combinations(range(new.shape[1]), 2):
            odds += pairs[new[:, one], new[:, two]]
        return new, odds

    def _luck_of_action(self, lanes: _Lanes, event: ActionEvent, deal: Deal, reach: Floats) -> float:
        """The same of an action of the known side; reach: (actions, hands of the deck)."""
        betting = self._rules.betting
        values = []
        for row, child in zip(reach, betting.children(event.node), strict=True):
            if lanes.values.has_row(event.street, child):
                values.append(lanes.value(event.street, child, deal))
            else:
                pays = payoffs_in_tree(betting, child, lanes.values.player)
                values.append(self._payoff(pays, deal, row) if row.any() else 0.0)
        odds = reach.sum(axis=1)
        return event.scale * (float(odds @ np.array(values)) / float(odds.sum()) - values[event.number])

    def _payoff(self, pays: Payoffs, deal: Deal, reach: Floats) -> float:
        """What the other gets at the end of a hand, on average over the hands that the known side may hold."""
        if not pays.shown:
            return pays.win
        deck = self._game.deck
        held = np.flatnonzero(reach * deck.live(deal.board))
        if not len(held):
            return 0.0
        strength = hand_ranks(deal.board, np.concatenate([[deal.hand], deck.hands[held]]), deck=deck)
        own, met = strength[0], strength[1:]
        paid = np.where(own > met, pays.win, np.where(own < met, pays.lose, pays.tie))
        return float(reach[held] @ paid) / float(reach[held].sum())


def _normalised(rows: Floats) -> Floats:
    """Probabilities that sum to 1 for every hand that has any, as an agent draws from them."""
    total = rows.sum(axis=0)
    odds: Floats = np.divide(rows, total, out=np.zeros_like(rows), where=total > 0.0)
    return odds


class _Lanes:
    """Values of a player's hands by cards."""

    def __init__(self, game: HoldemGame, values: LaneValues) -> None:
        self._game, self.values = game, values

    @property
    def mean_before_deal(self) -> float:
        """The value of a player's hand before it is dealt, at the first betting node."""
        sizes = self._game.boards.sizes
        return float(self.values.row(0, 0) @ sizes) / float(sizes.sum())

    def value(self, street: int, node: int, deal: Deal) -> float:
        """The value at a betting node, with the board of a street."""
        return float(self.values.row(street, node)[self._lane(deal.hand, deal.board[: DEALT[street]])])

    def values_on(self, street: int, node: int, deal: Deal, new: Ints) -> Floats:
        """(boards,) the same with each of the boards that may come, (boards, new cards)."""
        if street == 1:
            lanes = self._lanes_on_flops(deal.hand, new)
        else:
            before = deal.board[: DEALT[street - 1]]
            lanes = np.array([self._lane(deal.hand, (*before, *cards)) for cards in new.tolist()])
        found: Floats = self.values.row(street, node)[lanes]
        return found

    def _lane(self, hand: tuple[int, int], cards: tuple[int, ...]) -> int:
        board, turn = self._game.boards.find_board(cards)
        deck = self._game.deck
        number = int(deck.numbers[turn[hand[0]], turn[hand[1]]])
        place = self._game.boards.group[number] if not cards else np.flatnonzero(board.hand == number)[0]
        return int(self.values.lanes(board)[place])

    def _lanes_on_flops(self, hand: tuple[int, int], flops: Ints) -> NDArray[np.int64]:
        """(flops,) the lane of a hand on each, all at once."""
        codes, lanes = self._flops
        turns, deck = self._game.boards.turns, self._game.deck
        turned = np.array([board_codes(np.sort(turn[flops], axis=1)) for turn in turns])
        at = np.minimum(np.searchsorted(codes, turned), len(codes) - 1)
        best = (codes[at] == turned).argmax(axis=0)
        numbers = deck.numbers[turns[:, hand[0]], turns[:, hand[1]]]
        found: NDArray[np.int64] = lanes[at[best, np.arange(len(flops))], numbers[best]]
        return found

    @cached_property
    def _flops(self) -> tuple[Ints, Ints]:
        """(flops,) the codes of those that differ, rising, and (flops, hands of the deck) the lane of each hand."""
        boards = self._game.boards
        every = boards.after(boards.root)
        lanes = np.zeros((len(every), len(self._game.deck.hands)), np.int64)
        for row, board in zip(lanes, every, strict=True):
            row[board.hand] = self.values.lanes(board)
        codes = board_codes(np.array([board.cards for board in every]))
        order = np.argsort(codes)
        return codes[order], lanes[order]
