"""Places of decisions as leaks name them: a street, and acting first, after a check, facing a bet or facing a raise."""

from __future__ import annotations

from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import BettingState, Kind
from counterplay.poker.locking.leak_place import LeakPlace


def place_of(state: BettingState) -> LeakPlace | None:
    """The place of a decision after the flop is dealt; None before, and where no player acts.

    The places of a street exclude each other: who faces a raise is not counted as facing a bet.
    """
    if state.kind > Kind.PLAYER1 or state.street == 0:
        return None
    faced = state.put[0] != state.put[1]
    if faced:
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
    """The place of a text such as "on river facing a bet".

    Raises:
        InputError: it is none of `places_of`.
    """
    place = LeakPlace.from_text(text)
    known = places_of(range(1, len(STREETS)))
    if place not in known:
        from counterplay.errors import InputError, quoted

        raise InputError(
            f"{quoted(text)} is no place of hands: say a street, and first, after a check, facing a bet or facing a raise"
        )
    return place
