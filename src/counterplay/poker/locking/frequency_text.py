"""Orders in the language of leaks: an action and its frequency."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from counterplay.errors import InputError, quoted

ACTIONS = ("fold", "check", "call", "bet", "raise", "all-in")
NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)%?")


class Order(NamedTuple):
    """An action and its frequency: a share of the hands from 0 to 1, or a factor on the present frequency; the other is
    None.

    amount: chips, None for an action with one size, or for all sizes. text: as written.
    """

    action: str
    amount: float | None
    share: float | None
    factor: float | None
    text: str


def read_orders(text: str) -> tuple[Order, ...]:
    """Orders with commas between them: "fold 70%, never raise", "bet 100 30%" or "call x1.5".

    Raises:
        InputError: an invalid order, a repeated action, or shares of more than 100 %.
    """
    orders = tuple(_order(part) for part in text.split(","))
    _check(orders)
    return orders


def share_of(word: str, what: str) -> float:
    """A share from 0 to 1, from "70%" or "0.7"."""
    value = float(word.rstrip("%")) / (100.0 if word.endswith("%") else 1.0) if NUMBER.fullmatch(word) else -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{what} must be from 0 to 1 or from 0% to 100%, not {quoted(word)}")
    return value


def _order(text: str) -> Order:
    """An order such as "never bet", "bet 100 30%" or "call x1.5"."""
    words = text.lower().replace("all in", "all-in").split()
    always = {"never": 0.0, "always": 1.0}.get(words[0]) if words else None
    if always is not None:
        words = words[1:]
    if not words or words[0] not in ACTIONS:
        raise InputError(f"'{text.strip()}' does not begin with an action: they are {', '.join(ACTIONS)}")
    action, numbers = words[0], words[1:]
    share, factor = always, None
    if always is None:
        if not numbers or not _often(numbers[-1]):
            raise InputError(
                f"'{text.strip()}' does not say how often: write '{action} 30%', '{action} x2' or 'never {action}'"
            )
        last = numbers.pop()
        share = None if last.startswith("x") else share_of(last, f"how often '{text.strip()}'")
        factor = float(last[1:]) if last.startswith("x") else None
    if len(numbers) > 1 or (numbers and not re.fullmatch(r"\d+(\.\d+)?", numbers[0])):
        raise InputError(f"cannot read '{' '.join(numbers)}' in '{text.strip()}'")
    if numbers and action in ACTIONS[:3]:
        raise InputError(f"'{text.strip()}': a {action} takes no amount")
    return Order(action, float(numbers[0]) if numbers else None, share, factor, text.strip())


def _often(word: str) -> bool:
    """Whether a word is a share or a factor, and not an amount."""
    if word.startswith("x"):
        return re.fullmatch(r"x(\d+\.?\d*|\.\d+)", word) is not None
    return bool(NUMBER.fullmatch(word)) and (word.endswith("%") or float(word) <= 1.0)


def _check(orders: Iterable[Order]) -> None:
    seen, total = set(), 0.0
    for order in orders:
        if order[:2] in seen:
            raise InputError(f"'{order.text}' names an action twice")
        seen.add(order[:2])
        total += order.share or 0.0
    if total > 1.0 + 1e-9:
        raise InputError(f"the shares add up to {100.0 * total:.4g} %, which is more than 100 %")
