"""Averages over pairs of hands that share no card, weighted by two ranges: their number, what a showdown or an all-in
before its last cards pays, and the values of the rest of a hand from the start of a street on, by walks.

Walks are exact on the last street for the strategies assumed; before it the boards to come are drawn, one for each board.
The draws of a board are the same whenever it is visited, so that the values are a function of the state alone.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.cards.deck import CARDS, Deck
from counterplay.poker.cards.hand_rank import ranks_on
from counterplay.poker.whole_game.boards.board import Board, DrawnBoards, SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import rest_of_game

MOST_BOARDS, _DRAWN = 1500, 200
"""Boards of an all-in that are all looked at, at most, which is enough for two cards to come; and boards that are drawn
else."""


class Payoffs(NamedTuple):
    """Chips of the other at the end of a hand, by the result of the showdown; all are equal after a fold."""

    win: float
    lose: float
    tie: float
    shown: bool


def hands_met(deck: Deck, reach: F64) -> F64:
    """(..., hands of the deck) how much of a range, (..., hands of the deck), each hand can meet."""
    by_card = cards_held(deck, reach)
    low, high = deck.hands.T
    return reach.sum(axis=-1, keepdims=True) - by_card[..., low] - by_card[..., high] + reach  # type: ignore[no-any-return]


def cards_held(deck: Deck, reach: F64) -> F64:
    """(..., cards) how much of a range, (..., hands of the deck), holds each card."""
    if reach.ndim == 1:
        low, high = deck.hands.T
        return np.asarray(np.bincount(low, reach, CARDS) + np.bincount(high, reach, CARDS))
    holds = np.zeros((len(deck.hands), CARDS))
    np.put_along_axis(holds, deck.hands.astype(np.int64), 1.0, axis=1)
    return reach @ holds


def weight_of_pairs(deck: Deck, mine: F64, theirs: F64) -> float:
    """The weight of all pairs of hands of two ranges, (hands of the deck,) each."""
    return float(mine @ hands_met(deck, theirs))


def mean_payoff(deck: Deck, pays: Payoffs, board: tuple[int, ...], mine: F64, theirs: F64) -> float:
    """What the end of a hand pays the holder of the first range, on average over pairs of hands; 0 without any. board:
    the complete one, if there is a showdown. mine, theirs: (hands of the deck,) ranges."""
    return _mean(pays, shares_of_showdown(deck, board, mine, theirs)) if pays.shown else pays.win


def _mean(pays: Payoffs, shares: tuple[float, float, float]) -> float:
    won, lost, tied = shares
    weight = won + lost + tied
    return float((won * pays.win + lost * pays.lose + tied * pays.tie) / weight) if weight > 0.0 else 0.0


def shares_of_showdown(deck: Deck, board: tuple[int, ...], mine: F64, theirs: F64) -> tuple[float, float, float]:
    """The weights of the pairs of hands in which the first range wins, loses and ties on a complete board; mine,
    theirs: (hands of the deck,)."""
    live = deck.live(board)
    own, met = np.flatnonzero(mine * live), np.flatnonzero(theirs * live)
    if not len(own) or not len(met):
        return 0.0, 0.0, 0.0
    ranks = ranks_on(deck, board)
    strength, other = ranks[own], ranks[met]
    order = np.argsort(other, kind="stable")
    met, other = met[order], other[order]
    # (met + 1, cards + 1) the weight, in all and with each card, of the weakest hands of the other.
    sums = np.zeros((len(met) + 1, CARDS + 1))
    rows, reach = np.arange(1, len(met) + 1), theirs[met]
    sums[rows, deck.hands[met, 0]] = sums[rows, deck.hands[met, 1]] = sums[rows, CARDS] = reach
    np.cumsum(sums, axis=0, out=sums)
    low, high = deck.hands[own].T
    at = np.stack([np.searchsorted(other, strength, "left"), np.searchsorted(other, strength, "right")])
    weaker, up_to = sums[at, CARDS] - sums[at, low] - sums[at, high]
    met_in_all = hands_met(deck, theirs * live)[own]
    # Of hands with both cards, the hand itself alone, which ties, was taken off twice.
    won, lost = mine[own] @ weaker, mine[own] @ (met_in_all - up_to - theirs[own])
    return float(won), float(lost), float(mine[own] @ met_in_all - won - lost)


def mean_of_run_outs(
    deck: Deck,
    pays: Payoffs,
    board: tuple[int, ...],
    missing: int,
    ranges: tuple[F64, F64],
    random: np.random.Generator,
) -> float:
    """What a showdown pays the holder of the first range, on average over pairs of hands and boards to come.

    Drawn boards take the place of the one that came, whose odds are the same: that too leaves the mean as it is. board: so
    far. missing: cards to come. ranges: (hands of the deck,) of that player and of the other.
    """
    mine, theirs = (reach * deck.live(board) for reach in ranges)
    free = [card for card in deck.cards if card not in board]
    if comb(len(free), missing) <= MOST_BOARDS:
        sums = [shares_of_showdown(deck, (*board, *new), mine, theirs) for new in combinations(free, missing)]
        won, lost, tied = np.sum(sums, axis=0)
        return _mean(pays, (won, lost, tied))
    odds, total = mine * hands_met(deck, theirs), 0.0
    if not odds.any():
        return 0.0
    for own in random.choice(len(odds), _DRAWN, p=odds / odds.sum()):
        low, high = deck.hands[own]
        meets = theirs * deck.live((low, high))
        other = deck.hands[random.choice(len(meets), p=meets / meets.sum())]
        left = [card for card in free if card not in (low, high, *other)]
        new = random.choice(left, missing, replace=False)
        total += _mean(pays, shares_of_showdown(deck, (*board, *sorted(new.tolist())), mine, theirs))
    return total / _DRAWN


_KEPT = 64
"""Lines whose walks are kept."""


@dataclass(frozen=True)
class StreetValues:
    """Chips of a player from the start of a street on, against a range of the other.

    Attributes:
        game: the rest of the game after the line.
        player: whose they are.
        worth: (sequences of the street, hands of the deck) sums over the hands met.
        met: (sequences of the other on the street, hands of the deck) the other's reach.
    """

    game: HoldemGame
    street: int
    player: int
    worth: F64
    met: F64
    deals: float

    @property
    def at_start(self) -> F64:
        """(hands of the deck,) chips, summed over the other's hands by their reach."""
        return self.worth[0] / self.deals  # type: ignore[no-any-return]

    def after(self, node: int) -> F64:
        """(actions, hands of the deck) chips after each of the player's actions at a node, on average over the hands
        met; 0 without any."""
        betting = self.game.betting
        _, _, first, count = self._row(self.player, node)
        above = node
        while above > self._start and betting.kind[int(betting.parent[above])] != 1 - self.player:
            above = int(betting.parent[above])
        sequence = 0
        if above > self._start:
            sequence = self._row(1 - self.player, int(betting.parent[above]))[2] + int(betting.action[above])
        met = hands_met(self.game.deck, self.met[sequence])
        whole = met > 1e-12 * met.max()
        rows = self.worth[first : first + count] / self.deals
        return np.divide(rows, met, out=np.zeros_like(rows), where=whole)

    @cached_property
    def _start(self) -> int:
        """The first betting node of the street."""
        root = int(self.game.roots[self.street][0])
        return int(self.game.betting.children(root)[0])

    def _row(self, player: int, node: int) -> tuple[int, ...]:
        decisions = self.game.sides[player].decisions[self.street]
        return tuple(decisions[decisions[:, 0] == node][0].tolist())


class StreetWalks:
    """Walks after the lines of a game. plays: of players 0 and 1, how they are assumed to play; None for one who
    responds best. seed: of the boards that are drawn."""

    def __init__(
        self, game: HoldemGame, plays: tuple[BlueprintStrategy | None, BlueprintStrategy | None], seed: int = 0
    ) -> None:
        self.game, self._plays, self._seed = game, plays, seed
        self._walks: OrderedDict[tuple[int, int, int], _LineWalk] = OrderedDict()
        self._entries = [{int(node): k for k, node in enumerate(roots.tolist())} for roots in game.roots]

    def begins(self, street: int, node: int) -> bool:
        """Return whether a street is dealt at a betting node; where bets are translated it may be dealt elsewhere."""
        return node in self._entries[street]

    def values(self, street: int, node: int, board: tuple[int, ...], player: int, reach: F64) -> StreetValues:
        """A player's values of a street, dealt at a betting node as a board, in the order of the deal, against the
        other's reach, (hands of the deck,)."""
        key = street, node, player
        if key not in self._walks:
            rest = rest_of_game(self.game, street, self._entries[street][node])
            ours, theirs = self._plays[player], self._plays[1 - player]
            assert theirs is not None
            one, two = None if ours is None else rest.strategy(ours), rest.strategy(theirs)
            self._walks[key] = _LineWalk(rest.game, player, two, one, _RepeatedDraws(self.game, self._seed))
            if len(self._walks) > _KEPT:
                self._walks.popitem(last=False)
        self._walks.move_to_end(key)
        walk, (here, turn), deck = self._walks[key], self.game.boards.find_board(board), self.game.deck
        turned = deck.numbers[turn[deck.hands[:, 0]], turn[deck.hands[:, 1]]]
        # On the board that stands for it a hand has another number: row[turned] is the row of what each hand becomes.
        entry = np.zeros((1, len(deck.hands)), self.game.dtype)
        entry[0, turned] = reach
        worth, met = walk.street_values(here, entry)
        return StreetValues(walk.game, street, player, worth[:, turned], met[:, turned], self.game.deals_after(street))


@dataclass
class _RepeatedDraws(SeenBoards):
    """The same drawn board after a board whenever it is visited."""

    game: HoldemGame
    seed: int
    _latest: dict[int, tuple[Board, Any]] = field(default_factory=dict)

    def after(self, board: Board) -> Any:
        """The boards after one, and the number of boards that each represents."""
        found = self._latest.get(board.street)
        if found is None or found[0].cards != board.cards:
            random = np.random.default_rng([self.seed, *board.cards])
            seen = DrawnBoards(self.game.boards, random, (1,) * (self.game.last + 1)).after(board)
            found = self._latest[board.street] = board, seen
        return found[1]


class _LineWalk(BoardWalk):
    """A walk whose last street goes board by board: it meets few of them."""

    def goes_by_lines(self, board: Board) -> bool:  # noqa: ARG002
        return False

    def street_values(self, board: Board, entry: AnyArray) -> tuple[F64, F64]:
        """(sequences, hands of the deck) what sequences of a street are worth, and the other's reach; entry: (1, hands
        of the deck) that reach at the start of the street."""
        here = replace(board, up=board.hand.astype(np.uint32))
        self._sum_up(here, entry)
        plan = self._plan(board.street)[: self.game.sides[1 - self.player].sizes[board.street]]
        found = _by_number(self.game.deck, board.hand, plan)
        self.back_up(here, 1.0, np.zeros(entry.shape))
        return _by_number(self.game.deck, board.hand, self.room_values(board)), found


def _by_number(deck: Deck, hand: I64, rows: AnyArray) -> F64:
    """(rows, hands of the deck) of rows by place."""
    out = np.zeros((len(rows), len(deck.hands)))
    out[:, hand] = rows[:, : len(hand)]
    return out
