"""What AIVAT corrects in a hand of hold'em: deals of streets and the known side's actions, at nodes of its betting tree.

Where the players have different trees, the known side acts at the node to which the real hand was mapped. Values are read
there, in proportion to the real pot, and the end of the hand pays real chips. Bets are mapped without a look at hidden
cards, and the known side acts with its probabilities at these nodes, so AIVAT stays unbiased.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.agents.position.translated_hand import in_rising_order
from counterplay.games.game import CHANCE
from counterplay.measure.play_hand import Hand
from counterplay.measure.translated_table import TranslatedRecord
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import BettingState, Kind, Move, pot
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import cards_of
from counterplay.poker.whole_game.holdem import fold_payoffs
from counterplay.poker.whole_game.rules import Holdem


class Deal(NamedTuple):
    """What is dealt in a hand: the other's two cards, and the last board."""

    hand: tuple[int, int]
    board: tuple[int, ...]


class Payoffs(NamedTuple):
    """Chips of the other at the end of a hand, by the result of the showdown; all are equal after a fold."""

    win: float
    lose: float
    tie: float
    shown: bool


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
    """The cards of a hand, its events in order, and what the end pays the other."""

    deal: Deal
    events: tuple[Event, ...]
    pays: Payoffs


def hand_events(rules: Holdem, hand: Hand, seat: int, *, both: bool = False) -> HandEvents:
    """The events of a hand of the known side's game, or of a real one with translated bets. both: whether the actions
    of both players are events; not where bets are translated."""
    cards = [card for who, name in hand.moves if who == CHANCE for card in cards_of(name)]
    them = 1 - seat
    deal = Deal((cards[2 * them], cards[2 * them + 1]), in_rising_order(cards[4:]))
    if isinstance(hand, TranslatedRecord):
        return HandEvents(deal, *_of_real_hand(rules, hand, seat))
    return HandEvents(deal, *_of_tree(rules, hand, seat, both))


def payoffs_in_tree(betting: BettingTree, node: int, them: int) -> Payoffs:
    """What an end of the tree pays a player."""
    if betting.kind[node] != Kind.SHOWDOWN:
        paid = fold_payoffs(betting, node)[them]
        return Payoffs(paid, paid, paid, shown=False)
    return Payoffs(float(betting.win[node]), float(betting.lose[node]), float(betting.tie[node]), shown=True)


def _of_tree(rules: Holdem, hand: Hand, seat: int, both: bool) -> tuple[tuple[Event, ...], Payoffs]:
    """The events and the end of a hand that was played in the tree."""
    betting, node, street = rules.betting, 0, 0
    actions = iter(name for who, name in hand.moves if who != CHANCE)
    found: list[Event] = []
    while True:
        kind = int(betting.kind[node])
        pays = payoffs_in_tree(betting, node, 1 - seat) if kind > Kind.DEAL else None
        if kind == Kind.DEAL or (kind == Kind.SHOWDOWN and street < rules.game.last):
            street += 1
            found.append(StreetEvent(node, street, pays=pays))
            node = betting.children(node)[0] if kind == Kind.DEAL else node
        elif pays is not None:
            return tuple(found), pays
        else:
            number = betting.actions(node).index(next(actions))
            if both or kind == seat:
                found.append(ActionEvent(node, street, number))
            node = betting.children(node)[number]


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
