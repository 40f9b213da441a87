"""AIVAT in whole games of hold'em: what is known of both sides is carried as ranges.

Everything is averaged over the hands that a known side may hold, given its strategy. What is left to chance is the other's
hand, the boards and the known side's actions: at each of them the difference between what a value function says of the event
and what it says on average is subtracted. The average is exact, so the correction has mean zero for any value function.
On the last street the other, if unknown, is taken to respond best to the known side's range, with the hand that they have:
that is a function of what they know, and near the truth against anyone who plays well.
Where both sides are known, so are the actions of both, and no hand is looked at; all-ins are worth what they are on average.

Where the players have different trees, the known side acts at the node to which the real hand was mapped. Values are read
there, in proportion to the real pot, and the end of the hand pays real chips. Bets are mapped without a look at hidden
cards, and the known side acts with its probabilities at these nodes, so AIVAT stays unbiased.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from counterplay.agents.worlds.whole_game import HoldemAgent
from counterplay.arrays import F64, I64
from counterplay.games.game import CHANCE
from counterplay.measure.play_hand import Hand, TranslatedRecord, in_rising_order
from counterplay.measure.street_walks import (
    Payoffs,
    StreetValues,
    StreetWalks,
    cards_held,
    hands_met,
    mean_of_run_outs,
    mean_payoff,
    weight_of_pairs,
)
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import BettingState, Kind, Move, pot
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import CARDS, cards_of
from counterplay.poker.whole_game.boards.board import DEALT, board_codes
from counterplay.poker.whole_game.holdem import HoldemGame, fold_payoffs
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import places_of_hands
from counterplay.poker.whole_game.values.lane_values import LaneValues


class StreetEvent(NamedTuple):
    """The deal of a street, at a betting node in the known side's tree; None if the tree has none. scale: real chips
    per chip of the tree. pays: what the showdown pays, where only cards are to come."""

    node: int | None
    street: int
    scale: float = 1.0
    pays: Payoffs | None = None


class ActionEvent(NamedTuple):
    """An action of a known side, by its number at a decision in its tree. scale: real chips per chip of the tree."""

    node: int
    street: int
    number: int
    scale: float = 1.0


Event = StreetEvent | ActionEvent


class HandEvents(NamedTuple):
    """The other's two cards, the last board, the events of a hand in order, and what the end pays the other."""

    hand: tuple[int, int]
    board: tuple[int, ...]
    events: tuple[Event, ...]
    pays: Payoffs


def hand_events(rules: Holdem, hand: Hand, seat: int, *, both: bool = False) -> HandEvents:
    """The events of a hand of the known side's game, or of a real one with translated bets. both: whether the actions
    of both players are events; not where bets are translated."""
    cards = [card for who, name in hand.moves if who == CHANCE for card in cards_of(name)]
    dealt = (cards[2 * (1 - seat)], cards[2 * (1 - seat) + 1]), in_rising_order(cards[4:])
    if isinstance(hand, TranslatedRecord):
        return HandEvents(*dealt, *_of_real_hand(rules, hand, seat))
    betting, node, street, events = rules.betting, 0, 0, list[Event]()
    actions = iter(name for who, name in hand.moves if who != CHANCE)
    while True:
        kind = int(betting.kind[node])
        pays = payoffs_in_tree(betting, node, 1 - seat) if kind > Kind.DEAL else None
        if kind == Kind.DEAL or (kind == Kind.SHOWDOWN and street < rules.game.last):
            street += 1
            events.append(StreetEvent(node, street, pays=pays))
            node = betting.children(node)[0] if kind == Kind.DEAL else node
        elif pays is not None:
            return HandEvents(*dealt, tuple(events), pays)
        else:
            number = betting.actions(node).index(next(actions))
            if both or kind == seat:
                events.append(ActionEvent(node, street, number))
            node = betting.children(node)[number]


def payoffs_in_tree(betting: BettingTree, node: int, them: int) -> Payoffs:
    """What an end of the tree pays a player."""
    if betting.kind[node] != Kind.SHOWDOWN:
        paid = fold_payoffs(betting, node)[them]
        return Payoffs(paid, paid, paid, shown=False)
    return Payoffs(float(betting.win[node]), float(betting.lose[node]), float(betting.tie[node]), shown=True)


def _of_real_hand(rules: Holdem, hand: TranslatedRecord, seat: int) -> tuple[tuple[Event, ...], Payoffs]:
    """The events and the end of a hand whose bets were translated."""
    limits, betting, steps, end = hand.limits, rules.betting, hand.steps[seat], hand.line.end
    found: list[Event] = []
    for (state, action), (node, number) in zip(hand.line.steps, steps[:-1], strict=True):
        if node is not None and number is not None:
            found.append(ActionEvent(node, state.street, number, _scale(limits, state, betting, node)))
        elif action.move is Move.DEAL:
            found.append(StreetEvent(node, state.street + 1, _scale(limits, state, betting, node)))
    stake = limits.chips(min(end.put))
    if end.kind is not Kind.SHOWDOWN:
        paid = stake if end.kind == (Kind.FOLD1 if seat else Kind.FOLD0) else -stake
        return tuple(found), Payoffs(paid, paid, paid, shown=False)
    pays, node = Payoffs(stake, -stake, 0.0, shown=True), steps[-1].node
    scale = _scale(limits, end, betting, node)
    found += [StreetEvent(node, street, scale, pays) for street in range(end.street + 1, limits.last + 1)]
    return tuple(found), pays


def _scale(limits: BettingRules, state: BettingState, betting: BettingTree, node: int | None) -> float:
    """The real pot as a multiple of the tree's."""
    return 1.0 if node is None else limits.chips(pot(limits, state)) / float(betting.pot[node])


class LaneMeans:
    """Values of a player's hands by lanes, averaged over ranges."""

    def __init__(self, game: HoldemGame, values: LaneValues) -> None:
        self._game, self.values = game, values

    def mean(self, street: int, node: int, board: tuple[int, ...], mine: F64, theirs: F64) -> float:
        """The value at a betting node on a board, averaged over pairs of hands of two ranges, (hands of the deck,)
        each; 0 without any."""
        odds, boards = mine * hands_met(self._game.deck, theirs), self._game.boards
        if not (weight := float(odds.sum())) > 0.0:
            return 0.0
        here, places = places_of_hands(self._game, board) if board else (boards.root, boards.group)
        return float(odds @ self.values.row(street, node)[self.values.lanes(here)[places]]) / weight

    def on_flops_of_hand(self, node: int, hand: tuple[int, int], flops: I64) -> F64:
        """(flops,) the value of one hand on each flop, (flops, 3)."""
        codes, lanes, _ = self._flops
        turns, deck = self._game.boards.turns, self._game.deck
        # (turns, flops) codes with suits renamed; the first that is known stands for the flop.
        turned = np.array([board_codes(np.sort(turn[flops], axis=1)) for turn in turns])
        at = np.minimum(np.searchsorted(codes, turned), len(codes) - 1)
        best = (codes[at] == turned).argmax(axis=0)
        numbers = deck.numbers[turns[:, hand[0]], turns[:, hand[1]]]
        return self.values.row(1, node)[lanes[at[best, np.arange(len(flops))], numbers[best]]]  # type: ignore[no-any-return]

    def on_flops(self, node: int, mine: F64, theirs: F64) -> tuple[F64, F64]:
        """The mean on each flop up to isomorphism, (flops,), and how likely each is, up to a factor; of ranges that
        suits do not tell apart."""
        boards, deck = self._game.boards, self._game.deck
        every = boards.after(boards.root)
        live = np.zeros((len(every), len(deck.hands)), bool)
        for row, board in zip(live, every, strict=True):
            row[board.hand] = True
        odds = np.where(live, mine, 0.0) * hands_met(deck, np.where(live, theirs, 0.0))
        lanes = self._flops[1][np.argsort(self._flops[2])]
        weight = odds.sum(axis=1)
        found = (odds * self.values.row(1, node)[lanes]).sum(axis=1)
        means = np.divide(found, weight, out=np.zeros_like(weight), where=weight > 0.0)
        return means, weight * np.array([board.count for board in every])

    @cached_property
    def _flops(self) -> tuple[I64, I64, I64]:
        """(flops,) the codes of those that differ, rising; (flops, hands of the deck) the lane of each hand; and
        (flops,) which of all boards each is."""
        boards = self._game.boards
        every = boards.after(boards.root)
        lanes = np.zeros((len(every), len(self._game.deck.hands)), np.int64)
        for row, board in zip(lanes, every, strict=True):
            row[board.hand] = self.values.lanes(board)
        codes = board_codes(np.array([board.cards for board in every]))
        order = np.argsort(codes)
        return codes[order], lanes[order], order


class HoldemAivat:
    """Corrected results of hands. rules: the game of the known side. known: of each seat, the agent of the side whose play
    is known with every hand that it may hold. values: of each seat, the values of the hands of the player there, who need
    not be known. others: of each seat, that of the other side, if it is known, too; values of boards are then walked. seed:
    of the boards that are drawn, for all-ins and in walks."""

    def __init__(
        self, rules: Holdem, known: tuple[HoldemAgent, HoldemAgent], values: Mapping[int, LaneValues],
        others: tuple[HoldemAgent, HoldemAgent] | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.rules, self.game, self.known, self.others = rules, rules.game, known, others
        theirs = (None, None) if others is None else (others[0].play, others[1].play)
        sides = (known[0].play, theirs[1]), (theirs[0], known[1].play)
        self.walks = [StreetWalks(rules.game, plays, seed=seed) for plays in sides]
        self.tables = {seat: LaneMeans(rules.game, found) for seat, found in values.items()}
        self.random = np.random.default_rng(seed)
        self._flops: dict[tuple[int, int], tuple[F64, F64, F64, F64]] = {}

    def chips(self, hand: Hand, seat: int) -> float:
        """Corrected chips of a seat whose player is known."""
        return -_HandSoFar(self, hand, seat).other_wins()

    def on_flops(self, table: LaneMeans, node: int, mine: F64, theirs: F64) -> tuple[F64, F64]:
        """See `LaneMeans.on_flops`; kept while ranges at the node are the same."""
        found = self._flops.get((table.values.player, node))
        if found is None or not (np.array_equal(found[0], mine) and np.array_equal(found[1], theirs)):
            found = self._flops[table.values.player, node] = mine, theirs, *table.on_flops(node, mine, theirs)
        return found[2], found[3]


class _Street(NamedTuple):
    """Where a street begins: its number, the betting node at which it is dealt, and both ranges there."""

    number: int
    node: int
    ranges: tuple[F64, F64]


class _HandSoFar:
    """The events of a hand one after the other, with both ranges, (hands of the deck,) each."""

    def __init__(self, aivat: HoldemAivat, hand: Hand, seat: int) -> None:
        self._of, self._seat, self._them, self._walks = aivat, seat, 1 - seat, aivat.walks[seat]
        self._deck, self._both = aivat.game.deck, aivat.others is not None
        self._hand, self._board, self._events, self._pays = hand_events(aivat.rules, hand, seat, both=self._both)
        self._ranges = [np.ones(len(self._deck.hands)) for _ in (0, 1)]
        if not self._both:
            self._ranges[seat] = self._deck.live(self._hand).astype(float)
            self._ranges[1 - seat] = np.zeros(len(self._deck.hands))
            self._ranges[1 - seat][self._deck.hand(*self._hand)] = 1.0
        self._street: _Street | None = None
        self._values: dict[int, StreetValues] = {}

    def other_wins(self) -> float:
        """Corrected chips of the other player."""
        found, table = 0.0, self._of.tables[self._them]
        if not self._both:  # the value of the other's hand before it is dealt, at the first betting node, less its own
            sizes = self._of.game.boards.sizes
            before_deal = float(table.values.row(0, 0) @ sizes) / float(sizes.sum())
            found = before_deal - table.mean(0, 0, (), self._ranges[self._them], self._ranges[self._seat])
        for event in self._events:
            if isinstance(event, ActionEvent):
                found += self._luck_of_action(event)
                continue
            if event.pays is not None:  # an all-in before its last cards
                before = self._board[: DEALT[event.street - 1]]
                missing = DEALT[self._of.game.last] - len(before)
                ranges = self._ranges[self._them], self._ranges[self._seat]
                return found + mean_of_run_outs(self._deck, event.pays, before, missing, ranges, self._of.random)
            board, node, street = self._board[: DEALT[event.street]], event.node, event.street
            if node is not None:
                if 1 < street == self._of.game.last and self._walks.begins(street, node):
                    found += event.scale * self._luck_by_walks(street, node, board)
                elif node in table.values.rows[street]:
                    found += event.scale * self._luck_by_lanes(street, node, board)
            self._ranges = [reach * self._deck.live(board) for reach in self._ranges]
            self._street = None if node is None else _Street(street, node, (self._ranges[0], self._ranges[1]))
            self._values = {}
        return found + mean_payoff(
            self._deck, self._pays, self._board, self._ranges[self._them], self._ranges[self._seat]
        )

    def _luck_by_walks(self, street: int, node: int, dealt: tuple[int, ...]) -> float:
        """The expected worth of a deal to the other less its worth, by walks on every board that may come."""
        before = dealt[: DEALT[street - 1]]
        total, weight, worth = 0.0, 0.0, 0.0
        for card in self._deck.cards:
            if card in before:
                continue
            board = (*before, card)
            mine, theirs = (self._ranges[player] * self._deck.live(board) for player in (self._seat, self._them))
            odds = weight_of_pairs(self._deck, mine, theirs)
            if odds > 0.0:
                # Chips of the known side, summed over the pairs of hands; the other responds best where it is not known.
                if self._both:
                    won = float(mine @ self._walks.values(street, node, board, self._seat, theirs).at_start)
                else:
                    won = -float(theirs @ self._walks.values(street, node, board, self._them, mine).at_start)
                total, weight, worth = total + won, weight + odds, won / odds if board == dealt else worth
        return worth - total / weight

    def _luck_by_lanes(self, street: int, node: int, dealt: tuple[int, ...]) -> float:
        """The expected worth of a deal to the other less its worth, by the values of lanes."""
        table, mine, theirs = self._of.tables[self._them], self._ranges[self._them], self._ranges[self._seat]
        live = self._deck.live(dealt)
        worth = table.mean(street, node, dealt, mine * live, theirs * live)
        if street == 1 and self._both:
            values, odds = self._of.on_flops(table, node, mine, theirs)
        elif street == 1:
            boards, odds = self._next_boards(street)
            values = table.on_flops_of_hand(node, self._hand, boards)
        else:
            boards, odds = self._next_boards(street)
            before, values = dealt[: DEALT[street - 1]], np.zeros(len(boards))
            for k, cards in enumerate(boards.tolist()):
                live = self._deck.live(cards)
                values[k] = table.mean(street, node, (*before, *cards), mine * live, theirs * live)
        return float(odds @ values) / float(odds.sum()) - worth

    def _next_boards(self, street: int) -> tuple[I64, F64]:
        """(boards, new cards) that may come, and (boards,) how likely each is, up to a factor."""
        deck, before = self._deck, self._board[: DEALT[street - 1]]
        held = () if self._both else self._hand
        free = [card for card in deck.cards if card not in (*held, *before)]
        new = np.array(list(combinations(free, DEALT[street] - len(before))))
        if self._both:
            odds = [weight_of_pairs(deck, *(r * deck.live(cards) for r in self._ranges)) for cards in new.tolist()]
            return new, np.array(odds)
        reach, pairs = self._ranges[self._seat], np.zeros((CARDS, CARDS))
        low, high = deck.hands.T
        pairs[low, high] = pairs[high, low] = reach
        odds = reach.sum() - cards_held(deck, reach)[new].sum(axis=1)
        for one, two in combinations(range(new.shape[1]), 2):
            odds += pairs[new[:, one], new[:, two]]
        return new, odds

    def _luck_of_action(self, event: ActionEvent) -> float:
        """The expected worth of an action of a known side to the other less its worth."""
        node, board = event.node, self._board[: DEALT[event.street]]
        who = int(self._of.rules.betting.kind[node])
        side = self._of.known if who == self._seat else self._of.others
        assert side is not None
        rows = side[who].rows(node, board)
        total = rows.sum(axis=0)
        # Probabilities sum to 1 for every hand that has any, as an agent draws from them.
        rows = np.divide(rows, total, out=np.zeros_like(rows), where=total > 0.0) * self._ranges[who]
        met = hands_met(self._deck, self._ranges[1 - who])
        odds = rows @ met
        if self._both and self._holds(node):
            values = ((rows * met) * self._walked(who, board).after(node)).sum(axis=1)
            values = np.divide(values, odds, out=np.zeros_like(odds), where=odds > 0.0)
            values = values if who == self._them else -values
        else:
            pairs = zip(self._of.rules.betting.children(node), rows, strict=True)
            values = np.array([self._worth_of_child(event.street, child, who, row, board) for child, row in pairs])
        self._ranges[who] = rows[event.number]
        return event.scale * (float(odds @ values) / float(odds.sum()) - float(values[event.number]))

    def _worth_of_child(self, street: int, node: int, who: int, row: F64, board: tuple[int, ...]) -> float:
        """What the other gets from a node on, after an action of `who`, by the values of lanes; 0 if no hand does
        that."""
        if not row.any():
            return 0.0
        ranges = [row if player == who else reach for player, reach in enumerate(self._ranges)]
        betting = self._of.rules.betting
        begun = self._street
        if (  # the other, who is not known, acts on the last street as well as possible
            not self._both and begun is not None and 1 < begun.number == self._of.game.last and self._holds(node)
            and self._walks.begins(begun.number, begun.node) and betting.kind[node] == self._them
        ):  # fmt: skip
            return float(self._walked(self._them, board).after(node)[:, self._deck.hand(*self._hand)].max())
        for player in (self._them, self._seat):
            table = self._of.tables.get(player)
            if table is not None and node in table.values.rows[street]:
                found = table.mean(street, node, board, ranges[player], ranges[1 - player])
                return found if player == self._them else -found
        pays = payoffs_in_tree(betting, node, self._them)
        early = pays.shown and len(board) < DEALT[self._of.game.last]  # an all-in, of which the tables say nothing
        return 0.0 if early else mean_payoff(self._deck, pays, board, ranges[self._them], ranges[self._seat])

    def _holds(self, node: int) -> bool:
        """Return whether a betting node is on the street that began last."""
        street, betting = self._street, self._of.rules.betting
        inside = street is not None and street.node < node < int(betting.end[street.node])
        return inside and street is not None and bool(betting.street[node] == street.number)

    def _walked(self, who: int, board: tuple[int, ...]) -> StreetValues:
        """A player's values of the street that is played."""
        assert self._street is not None
        if who not in self._values:
            street, node, ranges = self._street
            self._values[who] = self._walks.values(street, node, board, who, ranges[1 - who])
        return self._values[who]
