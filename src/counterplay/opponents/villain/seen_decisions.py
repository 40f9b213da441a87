"""The decisions of a player in a hand, and what each counts for: statistics of the card, and a place.

Places are those of leaks: a street, and acting first, after a check, facing a bet or facing a raise.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.villain.statistics import WENT, WON, DecisionWatch, kind_of
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import BettingState, Kind
from counterplay.poker.locking.leak_place import LeakPlace


class SeenDecision(NamedTuple):
    """A decision, or the end of a hand.

    Attributes:
        step: number of the step in the hand's line; that after the last for the end of the hand.
        place: street and what is faced; None before the flop and at the end.
        counted: the statistics in which it counts, and whether in their favour.
        pot: in big blinds, bets of the street included.
    """

    step: int
    place: LeakPlace | None
    counted: tuple[tuple[str, bool], ...]
    pot: float


def seen_decisions(hand: HoldemHand, seat: int) -> list[SeenDecision]:
    """Every decision of a player in order, then the end of the hand where that counts. seat: the player's."""
    watch, big, found = DecisionWatch(hand.rules), max(hand.rules.blinds), list[SeenDecision]()
    for number, (state, action) in enumerate(hand.line.steps):
        if state.kind == seat:
            kind, counted = kind_of(action.move), list[tuple[str, bool]]()
            for name, hits, among in watch.statistics(state):
                if kind in among or (not among and kind in hits):
                    counted.append((name, kind in hits))
                if not among and kind in hits:  # in place of the decision that counted before
                    found = [one._replace(counted=tuple(x for x in one.counted if x[0] != name)) for one in found]
            found.append(SeenDecision(number, place_of(state), tuple(counted), sum(state.put) / big))
        watch.after(state, action)
    ended = list[tuple[str, bool]]()
    shown = hand.line.end.kind is Kind.SHOWDOWN
    if len(hand.board) >= 3:
        ended.append((WENT, shown))
    if shown and hand.won is not None:
        lost = -hand.rules.chips(min(hand.line.end.put))
        ended.append((WON, (hand.won if seat == 0 else -hand.won) > 0.5 * lost))  # shares of a raked pot, too
    if ended:
        found.append(SeenDecision(len(hand.line.steps), None, tuple(ended), sum(hand.line.end.put) / big))
    return found


def has_unknown_result(hand: HoldemHand) -> bool:
    """Return whether a hand went to showdown and its file does not say who collected."""
    return hand.line.end.kind is Kind.SHOWDOWN and hand.won is None


def place_of(state: BettingState) -> LeakPlace | None:
    """The place of a decision after the flop is dealt; None before, and where no player acts.

    The places of a street exclude each other: who faces a raise is not counted as facing a bet.
    """
    if state.kind > Kind.PLAYER1 or state.street == 0:
        return None
    if state.put[0] != state.put[1]:
        return LeakPlace(street=state.street, facing="raise" if state.raises > 1 else "bet")
    return LeakPlace(street=state.street, first=not state.acted, check=bool(state.acted))


def places_of(streets: range) -> list[LeakPlace]:
    """All places of some streets, in the order of the play."""
    return [
        LeakPlace(street=street, **where)
        for street in streets
        for where in ({"first": True}, {"check": True}, {"facing": "bet"}, {"facing": "raise"})
    ]  # type: ignore[arg-type]


def named_place(text: str) -> LeakPlace:
    """The place of a text such as "on river facing a bet"."""
    place = LeakPlace.from_text(text)
    if place not in places_of(range(1, len(STREETS))):
        raise InputError(
            f"{quoted(text)} is no place of hands: say a street, and first, after a check, facing a bet or facing a raise"
        )
    return place
