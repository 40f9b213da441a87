"""Conversion of chip amounts to units: whole numbers of the smallest chip."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from counterplay.errors import InputError

Caps = tuple[int | None, int | None, int | None, int | None]
Chips = int | float
_LAST = 3


class Units:
    """Conversion of chips to units, with one-sentence errors."""

    def __init__(self, unit: float) -> None:
        if not 0 < unit < float("inf"):
            raise InputError(f"unit: the smallest chip must be positive, not {unit:g}")
        self.unit = unit

    def __call__(self, name: str, chips: Chips, least: int = 0) -> int:
        if not -1e15 < chips < 1e15:
            raise InputError(f"{name}: {chips:g} is not an amount of chips")
        units = Fraction(str(chips)) / Fraction(str(self.unit))
        if units.denominator != 1:
            raise InputError(f"{name}: {chips:g} is not a multiple of the smallest chip, {self.unit:g}")
        if units < least:
            raise InputError(f"{name}: {chips:g} is {'negative' if units < 0 else 'too little'}")
        return int(units)


def bets_of(bets: Sequence[Chips], first: int, last: int, to: Units) -> tuple[int, int, int, int]:
    """The size of bets in each of the four streets, in units, from one number a street played; 0 in the others."""
    if len(bets) != last - first + 1:
        raise InputError(f"bets: {len(bets)} sizes for {last - first + 1} streets")
    sizes = [0] * first + [to("bet", bet, least=1) for bet in bets] + [0] * (_LAST - last)
    return sizes[0], sizes[1], sizes[2], sizes[3]


def caps_of(raises: int | Sequence[int | None] | None, first: int, last: int) -> Caps:
    """The most raises in each of the four streets, from one number for all streets played or one for each."""
    played = last - first + 1
    given = [raises] * played if raises is None or isinstance(raises, int) else list(raises)
    if len(given) != played or any(cap is not None and cap < 0 for cap in given):
        raise InputError(f"raises: each street played needs a cap of at least 0, so {played} of them, not {given}")
    caps = [None] * first + given + [None] * (_LAST - last)
    return caps[0], caps[1], caps[2], caps[3]
