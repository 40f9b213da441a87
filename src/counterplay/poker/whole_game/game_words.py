"""Readers of the words that name a whole game of hold'em: chips, blinds, decks."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.stakes import CHIPS, Amount
from counterplay.poker.cards.deck import FULL, RANKS, SUITS, Deck
from counterplay.texts.readers import Reader, number_text, whole_of

_DIGITS = 3


@dataclass(frozen=True, kw_only=True)
class AmountOfChips(Reader):
    """An amount of chips (`400`) or of big blinds (`200bb`)."""

    CHIPS: ClassVar[str] = CHIPS
    BIG_BLINDS: ClassVar[str] = "bb"
    example: str = "200bb"

    def read(self, word: str, where: str) -> Amount:
        number = _chips(word.removesuffix(self.BIG_BLINDS))
        if number is None:
            raise InputError(
                f"{where} is an amount of chips, such as 400, or of big blinds, such as 200bb, not {quoted(word)}"
            )
        return Amount(number, self.BIG_BLINDS if word.endswith(self.BIG_BLINDS) else CHIPS)

    def write(self, value: Any) -> str:
        return str(value) if isinstance(value, Amount) else number_text(value)


@dataclass(frozen=True, kw_only=True)
class Blinds(Reader):
    """The small and the big blind in chips: `50/100`."""

    example: str = "50/100"

    def read(self, word: str, where: str) -> tuple[float, float]:
        small, _, big = word.partition("/")
        pair = _chips(small), _chips(big)
        if pair[0] is None or pair[1] is None:
            raise InputError(f"{where} are two amounts of chips, as in 50/100, not {quoted(word)}")
        return pair[0], pair[1]

    def write(self, value: Any) -> str:
        return "/".join(number_text(chips) for chips in value)


@dataclass(frozen=True, kw_only=True)
class CardCount(Reader):
    """A number of cards, four of each rank."""

    example: str = "20"

    def read(self, word: str, where: str) -> int:
        count = whole_of(word, _DIGITS) or 0
        if count % len(SUITS) or not 0 < count <= len(FULL.cards):
            raise InputError(f"{where} is a number of cards, four of each rank, up to 52, not {quoted(word)}")
        return count


def rank_of(word: str) -> str:
    """A rank, as decks write it.

    Raises:
        InputError: it is none.
    """
    return RANKS[Deck.from_rank(word).cards[0] // len(SUITS)]


def _chips(word: str) -> float | None:
    """A finite number of at least 0; None if the word is none."""
    try:
        number = float(word)
    except ValueError:
        return None
    return number if 0.0 <= number < inf else None
