"""Amounts of money in texts of poker sites, exactly, whatever the currency and the separators.

Thousands are separated by comma, point, apostrophe or a space, decimals by point or comma. Three digits after a single
separator are thousands (`1,200` and `1.200` are 1200) unless the number begins with 0.
"""

from __future__ import annotations

import re
from functools import lru_cache

from counterplay.opponents.histories.hand_record import HandError

PLACES = 4
"""Decimals that are kept: amounts are whole numbers of a ten-thousandth."""
ONE = 10_000
_NUMBER = r"\d+(?:[.,'’\u00a0\u202f ]\d+)*"
_SYMBOL = r"[$€£¥₹]"
MONEY = rf"(?:[^\W\d_]{{0,3}}{_SYMBOL}?[ \u00a0]?{_NUMBER}[KM]?(?:[ \u00a0]{{0,2}}(?:{_SYMBOL}|[A-Z]{{3}}\b))?)"
"""An expression for an amount with its currency. It takes linear time."""
_PARTS = re.compile(rf"([^\W\d_]{{0,3}}{_SYMBOL}?)[ \u00a0]?({_NUMBER})([KM]?)[ \u00a0]*({_SYMBOL}|[A-Z]{{3}})?")
_GROUPED = re.compile(r"[1-9]\d{0,2}([.,'’\u00a0\u202f ])\d{3}(?:\1\d{3})*")
_DECIMALS = re.compile(rf"(\d+)(?:[.,](\d{{1,{PLACES}}}))?")
_MOST_DIGITS = 15


@lru_cache(maxsize=1 << 14)  # blinds, stacks and pots recur
def amount(text: str) -> int:
    """An amount in ten-thousandths.

    Raises:
        HandError: it is none.
    """
    parts = _PARTS.fullmatch(text.strip())
    grouped = _GROUPED.match(parts[2]) if parts else None
    whole, rest = "", ""
    if parts is not None:
        number = parts[2]
        if grouped is not None and not number[grouped.end() : grouped.end() + 1].isdigit():
            whole, rest = "".join(re.findall(r"\d+", grouped[0])), number[grouped.end() :]
            if rest[:1] == grouped[1]:
                parts = None
            number = "0" + rest
        decimals = _DECIMALS.fullmatch(number)
        if parts is not None and decimals is not None:
            digits = (whole or decimals[1]) + (decimals[2] or "").ljust(PLACES, "0")
            if len(digits) <= _MOST_DIGITS + PLACES:
                return int(digits) * {"": 1, "K": 1000, "M": 1_000_000}[parts[3]]
    raise HandError("format", f"{text.strip()[:40]!r} is not an amount")


@lru_cache(maxsize=1 << 8)
def currency(text: str) -> str:
    """The currency of an amount, as it is written; "" for chips."""
    parts = _PARTS.fullmatch(text.strip())
    return (parts[1] or parts[4] or "") if parts else ""


def money(units: int) -> str:
    """An amount for people."""
    return f"{units / ONE:.12g}"
