"""Stakes: chips as per cent of the pot, big blinds and big blinds per 100 hands; and amounts in these units.

Values of a spot come in two ways, and differ by half of the pot. *Net* chips count from before the pot was made, half
of it being each player's own, so that both players' add up to 0 (less the rake): the *value* of every game. *EV* is
what a player takes out of the pot from here on, less what they still put in: both add up to the pot (less the rake).
With a rake a game is not zero-sum, so that no bound on the risk holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.texts.readers import number_text

_AMOUNT = re.compile(r"(?:([+-])\s*)?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*(%|chips?|mbb|bb/100|bb)?", re.IGNORECASE)
_BLINDS = {"bb": 1.0, "mbb": 1e-3, "bb/100": 1e-2}
CHIPS, PERCENT, MILLI = "chips", "%", "mbb"
"""Units that a bare number may have, by option."""
_NAMES = {CHIPS: "chips", PERCENT: "% of the pot", MILLI: "milli-big-blinds"}
_RAKED = "With a rake the spot is not zero-sum, and no bound on the risk holds: "
NO_BOUND = (
    f"{_RAKED}gain here counts from the equilibrium found, as the spot has no value, and exploitability is what a best "
    "responder wins beyond that equilibrium; how much of that the strategy loses is another number."
)
"""What is said with every response in a spot with a rake."""
SOLUTION = (
    f"{_RAKED}exploitability here is what a player could still win by another strategy, the mean of both players; there may "
    "be other equilibria, of another value."
)
"""What is said with a solution."""
RISK = "no bound on the risk holds: it takes p, and no largest exploitability"


@dataclass(frozen=True)
class Stakes:
    """The stakes of a game. pot: chips in the middle of a spot; None in other games. big_blind: the big blind in chips;
    None if unknown. span: difference of the largest and the smallest payoff: the base of per cent without a pot."""

    pot: float | None = None
    big_blind: float | None = None
    span: float | None = None

    def rate(self, chips: float) -> str:
        """Chips per hand in all available units: "1.46 chips, 1.46 % of the pot, 73 bb/100"."""
        return ", ".join([f"{chips:.6g} chips", *self.others(chips)])

    def amount(self, chips: float) -> str:
        """Chips of one hand: "85.98 chips, 86 % of the pot, 43 bb"."""
        return ", ".join([f"{chips:.6g} chips", *self.others(chips, "bb")])

    def others(self, chips: float, unit: str = "bb/100") -> list[str]:
        """Chips in the other available units; unit: "bb/100" of chips a hand, "bb" of those of one hand."""
        shown = [] if self.pot is None else [f"{100.0 * chips / self.pot:.3g} % of the pot"]
        if self.big_blind is not None:
            shown.append(f"{chips / (self.big_blind * _BLINDS[unit]):.4g} {unit}")
        return shown

    def facts(self, numbers: dict[str, float]) -> dict[str, float]:
        """Chips per hand, in per cent of the pot and in bb/100, if there is a pot and a big blind."""
        told: dict[str, float] = {}
        for name, chips in numbers.items():
            if self.pot is not None:
                told[f"{name}_percent"] = 100.0 * chips / self.pot
            if self.big_blind is not None:
                told[f"{name}_bb_per_100"] = 100.0 * chips / self.big_blind
        return told

    def short(self, chips: float) -> str:
        """In the most usual unit: per cent of the pot, milli-big-blinds, or chips."""
        if self.pot is not None:
            return f"{100.0 * chips / self.pot:.3g} % of the pot"
        return (
            f"{chips:.3g} chips"
            if self.big_blind is None
            else f"{1000.0 * chips / self.big_blind:.3g} milli-big-blinds"
        )


@dataclass(frozen=True)
class Amount:
    """A number of some unit: "chips", "%", "bb", "mbb" or "bb/100"."""

    number: float
    unit: str

    def __str__(self) -> str:
        return number_text(self.number) + ("" if self.unit == CHIPS else self.unit)

    def chips(self, stakes: Stakes, what: str) -> float:
        if self.unit == PERCENT:
            whole = stakes.span if stakes.pot is None else stakes.pot
            if whole is None:
                raise InputError(
                    f"{what}: {self.number:g}% is a share of a spot's pot, and this game has no pot; give chips"
                )
            return 0.01 * self.number * whole
        if self.unit in _BLINDS:
            if stakes.big_blind is None:
                raise InputError(f"{what}: {self.number:g}{self.unit} needs a big blind, and none is given; give chips")
            return self.number * _BLINDS[self.unit] * stakes.big_blind
        return self.number


_MOST = 1e100
"""Largest number of an amount: sums and products of it stay finite."""


def read_amount(text: str | float, bare: str, what: str, *, signed: bool = False) -> Amount:
    """An amount such as "0.5%" (of the pot), "0.3chips", "5mbb", "0.1bb" or "2bb/100". bare: the unit of a bare number:
    "chips", "%" or "mbb"."""
    match = _AMOUNT.fullmatch(str(text).strip())
    if not match or (match[1] and not signed):
        kind = "number" if signed else "non-negative number"
        raise InputError(f"{what} takes a {kind} of {_NAMES[bare]}, or one with its unit, as in 0.5%, 0.3chips "
                         f"or 5mbb, not {quoted(str(text))}")  # fmt: skip
    unit, number = (match[4] or bare).lower(), float((match[1] or "") + match[2] + (match[3] or ""))
    if abs(number) > _MOST:
        raise InputError(f"{what} is at most {_MOST:g}{' in size' if signed else ''}, not {quoted(str(text))}")
    return Amount(number, CHIPS if unit == "chip" else unit)


def stakes_of(game: Any) -> Stakes:
    """The stakes of a game that has them; else chips, and the span of payoffs."""
    found = getattr(game, "stakes", None)
    return found if isinstance(found, Stakes) else Stakes(span=getattr(game, "span", None))


def check_zero_sum(rake: float, what: str) -> None:
    """Reject, in a spot with a rake, what is meaningful only without one."""
    if rake:
        raise InputError(f"with a rake the spot is not zero-sum, and {what}")
