"""Places of leaks: a betting node by its path, or all nodes of a kind, such as `on river facing a bet`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import nextafter

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.locking.frequency_text import NUMBER, decimal_text

_QUOTED = re.compile(r"""at\s+(?:"([^"]*)"|'([^']*)')\s*""")
_KIND = re.compile(
    r"(?:at any\b\s*)?(?:on (?P<street>\w+)\s*)?(?P<first>first\b\s*)?(?P<check>after (?:a )?check\b\s*)?"
    r"(?:facing (?:an? |any )?(?P<facing>bet|raise|all-in)\b\s*(?:of at (?P<end>least|most) (?P<size>\S+)\s*)?)?"
)
_FACED = {"bet": "a bet", "raise": "a raise", "all-in": "an all-in"}
_INF = float("inf")


@dataclass(frozen=True)
class LeakPlace:
    """The betting nodes of a leak: one by its path, or all that match the fields that are set; `from_text` and `str` are
    inverse.

    Attributes:
        path: actions, possibly with cards.
        street: index in STREETS.
        first: no player has acted in the street.
        check: the other player has just checked.
        facing: "bet" (or any raise), "raise" or "all-in".
        least, most: size of the bet faced, as a share of the pot before it (after a call, for a raise); one of them is set.
    """

    path: str | None = None
    street: int | None = None
    first: bool = False
    check: bool = False
    facing: str | None = None
    least: float = 0.0
    most: float = _INF

    def __post_init__(self) -> None:
        sized = self.least > 0.0 or self.most < _INF
        if self.least > 0.0 and self.most < _INF:
            raise InputError("a place has a least or a most size of the bet, not both")
        if self.path is not None and replace(self, path=None) != LeakPlace():
            raise InputError("a place is a path or a kind, not both")
        if self.facing not in (None, *_FACED) or (sized and self.facing is None):
            raise InputError(f"a place faces a bet, a raise or an all-in, not {quoted(self.facing)}")

    def __str__(self) -> str:
        if self.path is not None:
            return f"at '{self.path}'" if '"' in self.path else f'at "{self.path}"'
        words = [] if self.street is None else [f"on {STREETS[self.street]}"]
        words += (["first"] if self.first else []) + (["after a check"] if self.check else [])
        if self.facing is not None:
            end, size = ("least", self.least) if self.least > 0.0 else ("most", self.most)
            words.append(f"facing {_FACED[self.facing]}" + (f" of at {end} {_percent(size)}" if size < _INF else ""))
        return " ".join(words) or "at any"

    @classmethod
    def from_text(cls, text: str) -> LeakPlace:
        """A place such as `at "x b100"`, `at any` or `on river facing a bet of at least 75%`."""
        if match := _QUOTED.fullmatch(text):
            return cls(match[1] if match[1] is not None else match[2])
        return _kind(text.strip().lower())


def split_path(line: str) -> tuple[str, str] | None:
    """A line that begins with a place by its path: this place, and the rest; None for another line."""
    match = _QUOTED.match(line)
    return (match[0], line[match.end() :]) if match else None


def _percent(size: float) -> str:
    """A size in per cent that is read as this share, exactly if there is such a text."""
    near = (100.0 * size, nextafter(100.0 * size, 0.0), nextafter(100.0 * size, _INF))
    return next((f"{decimal_text(one)}%" for one in near if one / 100.0 == size), f"{decimal_text(near[0])}%")


def _kind(text: str) -> LeakPlace:
    match = _KIND.fullmatch(f"{text} ") or _KIND.fullmatch(text)
    if not text or not match:
        raise InputError(
            f"'{text}' is no place: write at \"PATH\", at any, on STREET, first, after a check, or facing a bet, a raise or "
            "an all-in (of at least 75%)"
        )
    street, size = match["street"], match["size"]
    if street is not None and street not in STREETS:
        raise InputError(f"'{street}' is not a street: they are {', '.join(STREETS)}")
    bound = None
    if size is not None:
        if not size.endswith("%") or not NUMBER.fullmatch(size):
            raise InputError(f"the size of a bet is written in percent of the pot, such as 75%, not {quoted(size)}")
        bound = float(size[:-1]) / 100.0
    least = bound if bound is not None and match["end"] == "least" else 0.0
    most = bound if bound is not None and match["end"] == "most" else float("inf")
    return LeakPlace(
        None, STREETS.index(street) if street else None, bool(match["first"]), bool(match["check"]), match["facing"],
        least, most,
    )  # fmt: skip
