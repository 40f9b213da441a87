"""The language of leaks: an opponent's deviations at some betting nodes, in lines such as

    opponent oop                                       # whose leak it is; left out where every line names a path
    at "x b100": fold 70%                              # at one node: 70 % of the hands that come there fold
    at "x b100": fold 70% evenly                       # every hand folds 70 %
    on river facing a bet of at least 75%: never raise # at all nodes of a kind
    at any: call x1.5                                  # half as likely again as before
    at "b100" with QQ+,AKs: raise 300 60%, call 40%    # only these hands
    trust 0.8 at "b100" with AhKs: call 0.25, fold 0.75

A line is `[trust T] PLACE [with HANDS]: ORDERS [evenly]`. A place is `at "PATH"` (as `tree.node_at` reads it; cards in
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

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import PLAYERS, STREETS

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


def decimal_text(number: float) -> str:
    """The shortest decimal text, without an exponent, that is read as this number."""
    return np.format_float_positional(number, trim="-")


def share_text(share: float) -> str:
    """A share as `share_of` reads it: per cent, or a decimal fraction where per cent would be rounded."""
    text = f"{100.0 * share:.12g}%"
    return text if NUMBER.fullmatch(text) and share_of(text, "a share") == share else decimal_text(share)


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
            # In per cent, read as this share exactly if there is such a text.
            near = (100.0 * size, nextafter(100.0 * size, 0.0), nextafter(100.0 * size, _INF))
            percent = decimal_text(next((one for one in near if one / 100.0 == size), near[0]))
            words.append(f"facing {_FACED[self.facing]}" + (f" of at {end} {percent}%" if size < _INF else ""))
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


@dataclass(frozen=True)
class Leak:
    """A line; `from_text` and `str` are inverse.

    Attributes:
        place: where.
        orders: actions and their frequencies, which do not contradict each other.
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
        seen, total = set(), 0.0
        for order in self.orders:
            if (order.action, order.amount) in seen:
                raise InputError(f"'{order}' names an action twice")
            seen.add((order.action, order.amount))
            total += (order.share or 0.0) if order.relation in (EXACTLY, AT_LEAST) else 0.0
        if total > 1.0 + 1e-9:
            raise InputError(f"the shares add up to {100.0 * total:.4g} %, which is more than 100 %")

    def __str__(self) -> str:
        trust = "" if self.trust == 1.0 else f"trust {share_text(self.trust)} "
        hands = "" if self.hands is None else f" with {self.hands}"
        orders = ", ".join(str(order) for order in self.orders)
        return f"{trust}{self.place}{hands}: {orders}{_EVENLY if self.evenly else ''}"

    @classmethod
    def from_text(cls, line: str, number: int = 1) -> Leak:
        trust, rest = 1.0, line
        if match := _TRUST.match(line):
            trust, rest = share_of(match[1], "trust"), line[match.end() :]
        place, hands, orders = parts_of(rest)
        evenly = orders.endswith(_EVENLY)
        told = tuple(Order.from_text(part) for part in orders.removesuffix(_EVENLY).split(","))
        return cls(place, told, hands, evenly, trust, number)


@dataclass(frozen=True)
class Leaks:
    """One player's leaks; `from_text` and `str` are inverse. opponent: 0 (oop) or 1 (ip); None if the paths determine
    it. lines: in the order in which they apply."""

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
        opponent, lines = read_lines(text, Leak.from_text)
        return cls(opponent, tuple(lines))

    @classmethod
    def from_file(cls, path: str | Path) -> Leaks:
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
    if by_path := _QUOTED.match(rest):
        place, tail = by_path[0], rest[by_path.end() :]
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
