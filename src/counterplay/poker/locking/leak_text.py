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
`ACTION 30%`, `ACTION 0.3` or `ACTION x2`; an action is fold, check, call, bet, raise or all-in, with its amount of
chips for one of several sizes (`bet 100 30%`). Lines apply in order, each to the result of the previous ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import PLAYERS, STREETS
from counterplay.poker.locking.frequency_text import NUMBER, Order, read_orders, share_of

_QUOTED = re.compile(r"""at\s+(?:"([^"]*)"|'([^']*)')\s*""")
_TRUST = re.compile(r"trust\s+(\S+)\s+")
_KIND = re.compile(
    r"(?:at any\b\s*)?(?:on (?P<street>\w+)\s*)?(?P<first>first\b\s*)?(?P<check>after (?:a )?check\b\s*)?"
    r"(?:facing (?:an? |any )?(?P<facing>bet|raise|all-in)\b\s*(?:of at (?P<end>least|most) (?P<size>\S+)\s*)?)?"
)


@dataclass(frozen=True)
class LeakPlace:
    """The betting nodes of a leak: one by its path, or all that match the fields that are set.

    Attributes:
        path: actions, possibly with cards.
        street: index in STREETS.
        first: no player has acted in the street.
        check: the other player has just checked.
        facing: "bet" (or any raise), "raise" or "all-in".
        least, most: size of the bet faced, as a share of the pot before it (after a call, for a raise).
    """

    path: str | None = None
    street: int | None = None
    first: bool = False
    check: bool = False
    facing: str | None = None
    least: float = 0.0
    most: float = float("inf")


@dataclass(frozen=True)
class Leak:
    """A line. number: counted from 1. hands: in players' notation, None for all. trust: from 0 to 1."""

    number: int
    place: LeakPlace
    hands: str | None
    orders: tuple[Order, ...]
    evenly: bool
    trust: float
    text: str


@dataclass(frozen=True)
class Leaks:
    """All lines of a text. opponent: 0 (oop) or 1 (ip); None if the paths determine it."""

    opponent: int | None
    lines: tuple[Leak, ...]


def read_leaks(text: str) -> Leaks:
    """Read leaks from a text.

    Raises:
        InputError: an invalid line; the message begins with its number.
    """
    opponent: int | None = None
    lines = []
    for number, whole in enumerate(text.splitlines(), 1):
        line = " ".join(whole.split("#")[0].split())
        try:
            if line.lower().startswith("opponent"):
                opponent = _opponent(line, opponent)
            elif line:
                lines.append(_leak(number, line))
        except InputError as error:
            raise InputError(f"line {number}: {error}") from None
    if not lines:
        raise InputError("the text has no leak: write a line such as 'at \"b100\": fold 70%'")
    if opponent is None and all(leak.place.path is None for leak in lines):
        raise InputError(
            f"line {lines[0].number}: no line names the player with the leak: begin with 'opponent oop' or 'opponent ip'"
        )
    return Leaks(opponent, tuple(lines))


def load_leaks(path: str | Path) -> Leaks:
    """Read leaks from a file; errors as in `read_leaks`, or an unreadable file."""
    try:
        return read_leaks(Path(path).read_text(encoding="utf-8"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text of leaks") from None


def _opponent(line: str, before: int | None) -> int:
    word = line[len("opponent") :].strip(" :").lower()
    if word not in PLAYERS:
        raise InputError(f"the opponent must be 'oop' or 'ip', not {quoted(word)}")
    if before is not None and PLAYERS[before] != word:
        raise InputError("a text has one opponent, and this line names a second")
    return PLAYERS.index(word)


def _leak(number: int, line: str) -> Leak:
    trust, rest = 1.0, line
    if match := _TRUST.match(line):
        trust, rest = share_of(match[1], "trust"), line[match.end() :]
    place, hands, orders = _parts(rest)
    evenly = orders.endswith(" evenly")
    return Leak(number, place, hands, read_orders(orders.removesuffix(" evenly")), evenly, trust, line)


def _parts(rest: str) -> tuple[LeakPlace, str | None, str]:
    """Place, hands and orders of a line."""
    if match := _QUOTED.match(rest):
        place, tail = LeakPlace(match[1] if match[1] is not None else match[2]), rest[match.end() :]
        head, colon, orders = tail.partition(":") if tail.startswith(("with ", ":")) else ("", ":", tail)
        extra, hands = "", head.removeprefix("with ").strip()
    else:
        head, colon, orders = rest.partition(":")
        extra, _, hands = f"{head} ".partition(" with ")
        place = _kind(extra.strip().lower())
    if not colon:
        raise InputError(f"'{rest}' needs a colon between the place and the orders")
    if not hands and ("with " in f"{head} "):
        raise InputError("'with' names no hands")
    return place, hands.strip() or None, orders.strip()


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
