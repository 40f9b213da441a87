"""The hands behind a number of the villain card: every decision that counts in it, and the hand around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from counterplay.errors import InputError, unknown
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.hand_steps import hand_steps
from counterplay.opponents.villain.observed_share import ObservedShare
from counterplay.opponents.villain.seen_decisions import STATISTICS, SeenDecision, named_place, seen_decisions

_LETTERS = re.compile(r"[^a-z0-9$]")
_NOT: Any = object()
_Counts = Callable[[SeenDecision], bool | None]
"""Whether a decision counts in favour; None where it only counts, `_NOT` where it does not."""


@dataclass(frozen=True)
class ShownDecision:
    """A decision that counts.

    Attributes:
        hand: the hand.
        seat: the player's.
        step: number of the step in the hand's line; that after the last if the end of the hand counts.
        hit: whether it counts in favour; None for a place, where it only counts.
    """

    hand: HoldemHand
    seat: int
    step: int
    hit: bool | None

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts, the hand told step by step."""
        return {"seat": self.seat, "step": self.step, "hit": self.hit, **hand_steps(self.hand)}


@dataclass(frozen=True)
class ShownHands:
    """The decisions behind a number. what: its names; decisions: in the order of the hands."""

    what: tuple[str, ...]
    decisions: tuple[ShownDecision, ...]

    @property
    def counted(self) -> ObservedShare:
        """k of n; without favour k is 0."""
        return ObservedShare(sum(bool(one.hit) for one in self.decisions), len(self.decisions))

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {
            "what": list(self.what), "k": self.counted.k, "n": self.counted.n,
            "decisions": [one.facts() for one in self.decisions],
        }  # fmt: skip


def hands_behind(hands: Iterable[HoldemHand], player: str, text: str, seat: int | None = None) -> ShownHands:
    """The decisions of a player behind a number. text: a statistic, as the card has it or with hyphens ("fold to c-bet
    flop", "fold-to-cbet" for those of all streets), or a place ("on river facing a bet"). seat: only hands in which the
    player sits there; None for both."""
    names, hit = _counts_in(text)
    found = list[ShownDecision]()
    for hand in hands:
        here = hand.players.index(player) if player in hand.players else None
        if here is None or seat not in (None, here):
            continue
        counted = ((one.step, hit(one)) for one in seen_decisions(hand, here))
        found += [ShownDecision(hand, here, step, one) for step, one in counted if one is not _NOT]
    return ShownHands(names, tuple(found))


def _counts_in(text: str) -> tuple[tuple[str, ...], _Counts]:
    """What a text means, and what counts."""
    if names := statistics_named(text):
        return names, lambda one: next((hit for name, hit in one.counted if name in names), _NOT)
    try:
        place = named_place(text)
    except InputError:
        raise unknown("statistic or place", text, STATISTICS) from None
    return (str(place),), lambda one: None if one.place == place else _NOT


def statistics_named(text: str) -> tuple[str, ...]:
    """The statistics that a text names: the one, or all that begin so."""
    plain = _plain(text)
    exact = tuple(name for name in STATISTICS if _plain(name) == plain)
    return exact or tuple(name for name in STATISTICS if plain and _plain(name).startswith(plain))


def _plain(text: str) -> str:
    return _LETTERS.sub("", text.lower())
