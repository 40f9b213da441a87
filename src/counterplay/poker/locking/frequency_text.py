"""Orders in the language of leaks: an action and its frequency, such as `fold 70%`, `never raise` or `call x1.5`.

A share may also be a bound of the frequency, as in `fold at least 65%`, or a step from the present one, as in `fold +15%`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from counterplay.errors import InputError, quoted

ACTIONS = ("fold", "check", "call", "bet", "raise", "all-in")
NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)%?")
_ALWAYS = {"never": 0.0, "always": 1.0}
_WITHOUT_AMOUNT = ACTIONS[:3]
EXACTLY, AT_LEAST, AT_MOST, MORE, LESS = RELATIONS = ("", "at least", "at most", "+", "-")
"""What a share is to the frequency: it, a bound of it, or a step from the present one."""


@dataclass(frozen=True)
class Order:
    """An action and its frequency; `from_text` and `str` are inverse.

    Attributes:
        action: one of `ACTIONS`.
        amount: chips; None for an action with one size, or for all sizes.
        share: of the hands, from 0 to 1; None with a factor.
        factor: on the present frequency; None with a share.
        relation: one of `RELATIONS`: what the share is.
    """

    action: str
    amount: float | None = None
    share: float | None = None
    factor: float | None = None
    relation: str = EXACTLY

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise InputError(f"{quoted(self.action)} is no action: they are {', '.join(ACTIONS)}")
        if (self.share is None) == (self.factor is None):
            raise InputError(f"an order to {self.action} has a share or a factor")
        if self.relation not in RELATIONS or (self.relation and self.share is None):
            raise InputError(f"a share is {', '.join(RELATIONS[1:])} or exact, not {quoted(self.relation)}")
        if self.amount is not None and self.action in _WITHOUT_AMOUNT:
            raise InputError(f"'{self}': a {self.action} takes no amount")

    def __str__(self) -> str:
        what = self.action if self.amount is None else f"{self.action} {decimal_text(self.amount)}"
        if self.factor is not None:
            return f"{what} x{decimal_text(self.factor)}"
        if self.relation:
            return (
                f"{what} {self.relation}{'' if self.relation in (MORE, LESS) else ' '}{share_text(self.share or 0.0)}"
            )
        never = next((word for word, share in _ALWAYS.items() if share == self.share), None)
        return f"{never} {what}" if never else f"{what} {share_text(self.share or 0.0)}"

    @property
    def asks_for_more(self) -> bool:
        """Return whether it is relative and asks for no less than what is done without it."""
        return self.relation in (AT_LEAST, MORE) or (self.factor is not None and self.factor > 1.0)

    @classmethod
    def from_text(cls, text: str) -> Order:
        """An order such as "never bet", "bet 100 30%" or "call x1.5"."""
        words = text.lower().replace("all in", "all-in").split()
        share = _ALWAYS.get(words[0]) if words else None
        words = words if share is None else words[1:]
        if not words or words[0] not in ACTIONS:
            raise InputError(f"'{text.strip()}' does not begin with an action: they are {', '.join(ACTIONS)}")
        action, numbers, factor, relation = words[0], words[1:], None, EXACTLY
        if share is None:
            if not numbers or not _often(numbers[-1]):
                raise InputError(
                    f"'{text.strip()}' does not say how often: write '{action} 30%', '{action} x2' or 'never {action}'"
                )
            last = numbers.pop()
            if last[0] in (MORE, LESS):
                relation, last = last[0], last[1:]
            elif " ".join(numbers[-2:]) in (AT_LEAST, AT_MOST):
                relation, numbers = " ".join(numbers[-2:]), numbers[:-2]
            share = None if last.startswith("x") else share_of(last, f"how often '{text.strip()}'")
            factor = float(last[1:]) if last.startswith("x") else None
        if len(numbers) > 1 or (numbers and not re.fullmatch(r"\d+(\.\d+)?", numbers[0])):
            raise InputError(f"cannot read '{' '.join(numbers)}' in '{text.strip()}'")
        return cls(action, float(numbers[0]) if numbers else None, share, factor, relation)


def read_orders(text: str) -> tuple[Order, ...]:
    """Orders with commas between them: "fold 70%, never raise", "bet 100 30%" or "call x1.5"."""
    orders = tuple(Order.from_text(part) for part in text.split(","))
    check_orders(orders)
    return orders


def share_of(word: str, what: str) -> float:
    """A share from 0 to 1, from "70%" or "0.7"."""
    value = float(word.rstrip("%")) / (100.0 if word.endswith("%") else 1.0) if NUMBER.fullmatch(word) else -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{what} must be from 0 to 1 or from 0% to 100%, not {quoted(word)}")
    return value


def _often(word: str) -> bool:
    """Return whether a word is a share or a factor, and not an amount."""
    if word.startswith("x"):
        return re.fullmatch(r"x(\d+\.?\d*|\.\d+)", word) is not None
    word = word[1:] if word[:1] in (MORE, LESS) else word
    return bool(NUMBER.fullmatch(word)) and (word.endswith("%") or float(word) <= 1.0)


def check_orders(orders: Iterable[Order]) -> None:
    """Reject orders that contradict each other."""
    seen, total = set(), 0.0
    for order in orders:
        if (order.action, order.amount) in seen:
            raise InputError(f"'{order}' names an action twice")
        seen.add((order.action, order.amount))
        total += (order.share or 0.0) if order.relation in (EXACTLY, AT_LEAST) else 0.0
    if total > 1.0 + 1e-9:
        raise InputError(f"the shares add up to {100.0 * total:.4g} %, which is more than 100 %")


def decimal_text(number: float) -> str:
    """The shortest decimal text, without an exponent, that is read as this number."""
    return np.format_float_positional(number, trim="-")


def share_text(share: float) -> str:
    """A share as `share_of` reads it: per cent, or a decimal fraction where per cent would be rounded."""
    text = f"{100.0 * share:.12g}%"
    return text if NUMBER.fullmatch(text) and share_of(text, "a share") == share else decimal_text(share)
