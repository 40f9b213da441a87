"""The language of leaks: an opponent's deviations at some betting nodes, in lines such as

    opponent oop                                       # whose leak it is; left out where every line names a path
    at "x b100": fold 70%                              # at one node: 70 % of the hands that come there fold
    at "x b100": fold 70% evenly                       # every hand folds 70 %
    on river facing a bet of at least 75%: never raise # at all nodes of a kind
    at any: call x1.5                                  # half as likely again as before
    at "b100" with QQ+,AKs: raise 300 60%, call 40%    # only these hands
    trust 0.8 at "b100" with AhKs: call 0.25, fold 0.75

A line is `[trust T] PLACE [with HANDS]: ORDERS [evenly]`. A place is `at "PATH"` (as `paths.node_at` reads it; cards in
it choose a board), `at any`, or any of `on STREET`, `first`, `after a check`, `facing a bet | a raise | an all-in` `[of
at least | of at most N%]` (of the pot) in this order. Orders, with commas between them, are `[never | always] ACTION`,
`ACTION 30%`, `ACTION 0.3`, `ACTION at least | at most 30%`, `ACTION +15%`, `ACTION -15%` or `ACTION x2`; an action is fold,
check, call, bet, raise or all-in, with its amount of chips for one of several sizes (`bet 100 30%`). Lines apply in order,
each to the result of the previous ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import nextafter
from pathlib import Path
from typing import TypeVar

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import PLAYERS, STREETS
from counterplay.poker.locking.frequency_text import (
    NUMBER,
    Order,
    check_orders,
    decimal_text,
    read_orders,
    share_of,
    share_text,
)

_QUOTED = re.compile(r"""at\s+(?:"([^"]*)"|'([^']*)')\s*""")
_KIND = re.compile(
    r"(?:at any\b\s*)?(?:on (?P<street>\w+)\s*)?(?P<first>first\b\s*)?(?P<check>after (?:a )?check\b\s*)?"
    r"(?:facing (?:an? |any )?(?P<facing>bet|raise|all-in)\b\s*(?:of at (?P<end>least|most) (?P<size>\S+)\s*)?)?"
)
_FACED = {"bet": "a bet", "raise": "a raise", "all-in": "an all-in"}
_INF = float("inf")
_TRUST = re.compile(r"trust\s+(\S+)\s+")
_EVENLY = " evenly"
Line = TypeVar("Line")
Text = TypeVar("Text")


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
        text = text.strip().lower()
        match = _KIND.fullmatch(f"{text} ") or _KIND.fullmatch(text)
        if not text or not match:
            raise InputError(
                f"'{text}' is no place: write at \"PATH\", at any, on STREET, first, after a check, or facing a bet, a "
                "raise or an all-in (of at least 75%)"
            )
        street, size = match["street"], match["size"]
        if street is not None and street not in STREETS:
            raise InputError(f"'{street}' is not a street: they are {', '.join(STREETS)}")
        bounds = {"least": 0.0, "most": _INF}
        if size is not None:
            if not size.endswith("%") or not NUMBER.fullmatch(size):
                raise InputError(f"the size of a bet is written in percent of the pot, such as 75%, not {quoted(size)}")
            bounds[match["end"]] = float(size[:-1]) / 100.0
        number = STREETS.index(street) if street else None
        return cls(None, number, bool(match["first"]), bool(match["check"]), match["facing"], **bounds)


def split_path(line: str) -> tuple[str, str] | None:
    """A line that begins with a place by its path: this place, and the rest; None for another line."""
    match = _QUOTED.match(line)
    return (match[0], line[match.end() :]) if match else None


def _percent(size: float) -> str:
    """A size in per cent that is read as this share, exactly if there is such a text."""
    near = (100.0 * size, nextafter(100.0 * size, 0.0), nextafter(100.0 * size, _INF))
    return next((f"{decimal_text(one)}%" for one in near if one / 100.0 == size), f"{decimal_text(near[0])}%")


@dataclass(frozen=True)
class Leak:
    """A line; `from_text` and `str` are inverse.

    Attributes:
        place: where.
        orders: actions and their frequencies.
        hands: in players' notation; None for all.
        evenly: each hand has these frequencies, not the range as a whole.
        trust: how far the line is believed, from 0 to 1.
        number: of the line, counted from 1, for messages.
    """

    place: LeakPlace
    orders: tuple[Order, ...]
    hands: str | None = None
    evenly: bool = False
    trust: float = 1.0
    number: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        check_orders(self.orders)

    def __str__(self) -> str:
        trust = "" if self.trust == 1.0 else f"trust {share_text(self.trust)} "
        hands = "" if self.hands is None else f" with {self.hands}"
        orders = ", ".join(str(order) for order in self.orders)
        return f"{trust}{self.place}{hands}: {orders}{_EVENLY if self.evenly else ''}"

    @classmethod
    def from_text(cls, line: str, number: int = 1) -> Leak:
        """The leak of a line without comments."""
        trust, rest = 1.0, line
        if match := _TRUST.match(line):
            trust, rest = share_of(match[1], "trust"), line[match.end() :]
        place, hands, orders = parts_of(rest)
        evenly = orders.endswith(_EVENLY)
        return cls(place, read_orders(orders.removesuffix(_EVENLY)), hands, evenly, trust, number)


@dataclass(frozen=True)
class Leaks:
    """One player's leaks; `from_text` and `str` are inverse.

    Attributes:
        opponent: 0 (oop) or 1 (ip); None if the paths determine it.
        lines: in the order in which they apply.
    """

    opponent: int | None
    lines: tuple[Leak, ...]

    def __post_init__(self) -> None:
        if not self.lines:
            raise InputError("the text has no leak: write a line such as 'at \"b100\": fold 70%'")
        if self.opponent is None and all(leak.place.path is None for leak in self.lines):
            raise InputError(
                f"line {self.lines[0].number}: no line names the player with the leak: begin with 'opponent oop' or "
                "'opponent ip'"
            )

    def __str__(self) -> str:
        first = [] if self.opponent is None else [f"opponent {PLAYERS[self.opponent]}"]
        return "\n".join([*first, *(str(leak) for leak in self.lines)])

    @classmethod
    def from_text(cls, text: str) -> Leaks:
        """The leaks of a text."""
        opponent, lines = read_lines(text, Leak.from_text)
        return cls(opponent, tuple(lines))

    @classmethod
    def from_file(cls, path: str | Path) -> Leaks:
        """The leaks in a file; errors as in `from_text`, or an unreadable file."""
        return read_from(path, cls.from_text)


def read_lines(text: str, read: Callable[[str, int], Line]) -> tuple[int | None, list[Line]]:
    """The player that a text of lines names, if it does, and its lines; `#` begins a comment."""
    opponent: int | None = None
    lines = []
    for number, whole in enumerate(text.splitlines(), 1):
        line = " ".join(whole.split("#")[0].split())
        try:
            if line.lower().startswith("opponent"):
                word = line[len("opponent") :].strip(" :").lower()
                if word not in PLAYERS:
                    raise InputError(f"the opponent must be 'oop' or 'ip', not {quoted(word)}")
                if opponent is not None and PLAYERS[opponent] != word:
                    raise InputError("a text has one opponent, and this line names a second")
                opponent = PLAYERS.index(word)
            elif line:
                lines.append(read(line, number))
        except InputError as error:
            raise InputError(f"line {number}: {error}") from None
    return opponent, lines


def read_from(path: str | Path, read: Callable[[str], Text]) -> Text:
    """What `read` makes of the text of a file."""
    try:
        return read(Path(path).read_text(encoding="utf-8"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text of lines") from None


def parts_of(rest: str) -> tuple[LeakPlace, str | None, str]:
    """Place, hands and what follows the colon of a line."""
    if by_path := split_path(rest):
        place, tail = by_path
        head, colon, orders = tail.partition(":") if tail.startswith(("with ", ":")) else ("", ":", tail)
        hands = head.removeprefix("with ").strip()
    else:
        head, colon, orders = rest.partition(":")
        place, _, hands = f"{head} ".partition(" with ")
    found = LeakPlace.from_text(place)
    if not colon:
        raise InputError(f"'{rest}' needs a colon between the place and the orders")
    if not hands and ("with " in f"{head} "):
        raise InputError("'with' names no hands")
    return found, hands.strip() or None, orders.strip()
