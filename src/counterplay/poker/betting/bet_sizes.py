"""Texts of bet sizes: which bets and raises a no-limit betting tree holds, per street and player.

    33%        a third of the pot after calling          2x     raise to twice the bet faced (raises only)
    50c        bet or raise to 50 chips in this street   min    the least bet or raise
    a          all-in                                    any    every number of the smallest chip
    e, 2e      geometric: equal fractions of the pot that end all-in on the last street, or after 2 streets
    none       no bet                                    fcpa   "100%, a": fold, call, pot, all-in

A text is a list, "33%, 75%, a", or clauses with a selector of streets, players and `bet` or `raise`:
"50%, a; turn: 75%, a; river ip: 150%; flop oop bet: none; raise: 2.5x, a". Later clauses replace earlier ones where they
select the same. `donk` selects the bets of oop into a player who made the last bet of the street before: "donk: none".
"initiative: kept" makes that the last bet of the hand, through streets that are checked ("lost", the default, does not).

Three clauses thin out a menu, as solvers of spots do:

    merge: 10%     of bets to X and Y times the pot, X > Y, the smaller goes if (1 + X) / (1 + Y) < 1.1, the largest first
    all-in: 85%    a bet of at least this share of the chips left (of the shorter stack) becomes all-in
    force: 20%     a bet becomes all-in if a call would leave at most this share of the pot behind

Amounts are in `tree.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from counterplay.errors import InputError
from counterplay.poker.betting.rules import PLAYERS, STREETS, BettingRules

_TOKEN = re.compile(r"(\d+(?:\.\d+)?|\.\d+)?(%|x|c|e|a|min|any)")
BET, RAISE, DONK = range(3)
_ACTS = {"bet": BET, "bets": BET, "raise": RAISE, "raises": RAISE, "donk": DONK, "donks": DONK}
_NAMES = ("bet", "raise", "donk")
_LIMITS = ("merge", "all-in", "force")
_INITIATIVE = "initiative"
Place = tuple[int, int, int]
"""A street, a player, and an act: bet, raise, or a bet into the last bettor of the street before."""


class IdleSizesError(InputError):
    """Sizes with a clause that changes nothing."""


class BetSize(NamedTuple):
    """One size: its letter or word, its number (a percentage as a share; of `e`, 0 is all streets left), and its text."""

    letter: str
    number: Fraction
    text: str


@dataclass(frozen=True)
class BetSizes:
    """The sizes of every street and player; `read_sizes` and `str` are inverse.

    Attributes:
        at: sizes by street, player and act; a key is missing if the text gives no size, one of a donk if it is like any bet.
        all_in_at: bets of at least this share of the chips left (of the shorter stack) become all-in; None: no bet does.
        merge: bets nearer to a larger one than this are left out; None: all stay.
        force: bets that leave at most this share of the pot behind, once called, become all-in; None: no bet does.
        keeps_initiative: a street that is checked through leaves the last bettor of the hand the initiative, and a bet of
            oop into them is a donk; without it only the street before counts.
        text: what was read.
    """

    at: Mapping[Place, tuple[BetSize, ...]]
    all_in_at: Fraction | None = None
    merge: Fraction | None = None
    force: Fraction | None = None
    keeps_initiative: bool = False
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        clauses = []
        for act, player in product(range(len(_NAMES)), range(len(PLAYERS))):
            alike: dict[tuple[BetSize, ...], list[str]] = {}
            for (street, who, what), sizes in self.at.items():
                if (who, what) == (player, act):
                    alike.setdefault(sizes, []).append(STREETS[street])
            for sizes, streets in alike.items():
                listed = ", ".join(size.text for size in sizes) or "none"
                clauses.append(f"{' '.join(streets)} {PLAYERS[player]} {_NAMES[act]}: {listed}")
        limits = zip(_LIMITS, (self.merge, self.all_in_at, self.force), strict=True)
        clauses += [f"{name}: {100 * share}%" for name, share in limits if share is not None]
        return "; ".join(clauses + [f"{_INITIATIVE}: kept"] * self.keeps_initiative)

    @property
    def knows_donks(self) -> bool:
        """Return whether a bet into the last bettor of the street before has sizes of its own."""
        return any(act == DONK for _, _, act in self.at)

    @property
    def without_donks(self) -> BetSizes:
        """The same where bets into the last bettor of the street before are like any."""
        return replace(
            self, at={place: sizes for place, sizes in self.at.items() if place[2] != DONK}, keeps_initiative=False
        )

    def check_used(self, rules: BettingRules) -> None:
        """Reject clauses that change nothing in a game. One that names its streets may be meant for other games."""
        if rules.first == rules.last and all((street, 0, DONK) in self.at for street in range(len(STREETS))):
            raise IdleSizesError(
                f"bet sizes: 'donk' does nothing where the {STREETS[rules.last]} is the only street: it is a bet into the "
                "last bettor of the street before"
            )
        if self.keeps_initiative and not self.knows_donks:
            raise IdleSizesError(
                f"bet sizes: '{_INITIATIVE}: kept' says which bets are donks, and does nothing without 'donk'"
            )

    def check(self, rules: BettingRules) -> None:
        """Reject sizes that do not fit a game."""
        if rules.bets is not None:
            if self.at:
                raise InputError(f"bet sizes: a limit game has fixed sizes; leave out '{self.text}'")
            return
        most = rules.chips(min(rules.stacks))
        for place in product(range(rules.first, rules.last + 1), range(2), (BET, RAISE)):
            if place not in self.at:
                where = f"{STREETS[place[0]]} {PLAYERS[place[1]]} {('bet', 'raise')[place[2]]}"
                raise InputError(f"bet sizes: no size is given for the {where}; write '{where}: none' for no bet")
            for size in self.at[place]:
                if size.letter == "c" and size.number > most:
                    raise InputError(f"bet sizes: '{size.text}' is beyond the stack of {most:g} chips")


def read_sizes(text: str | Mapping[str, str], *, all_in_at: float | None = None) -> BetSizes:
    """Read sizes from a text, or from a mapping of selectors to lists ({"flop": "33%, a", "river ip raise": "2x"}).
    text: see the top of this file; "" gives no sizes, as limit games need. all_in_at: threshold in percent of the chips
    left from which bets become all-in."""
    if not isinstance(text, str):
        text = "; ".join(f"{where}: {sizes}" for where, sizes in text.items())
    at: dict[Place, tuple[BetSize, ...]] = {}
    limits: dict[str, Fraction] = {} if all_in_at is None else {"all-in": _limit("all-in", all_in_at)}
    keeps_initiative = False
    for clause in filter(str.strip, re.split(r"[;\n]", text.lower())):
        where, colon, listed = clause.rpartition(":")
        if colon and not where.strip():
            raise InputError(f"bet sizes: no street or player before the colon of '{clause.strip()}'")
        if where.strip() in _LIMITS:
            limits[where.strip()] = _limit(where.strip(), listed)
            continue
        if where.strip() == _INITIATIVE:
            if listed.strip() not in ("kept", "lost"):
                raise InputError(
                    f"bet sizes: '{_INITIATIVE}' is kept or lost when a street is checked through, not '{listed.strip()}'"
                )
            keeps_initiative = listed.strip() == "kept"
            continue
        # The places of the selector, act by act; those of bets and raises if it names no act.
        words = [word for word in re.split(r"[\s,]+", where) if word]
        for word in words:
            if word not in STREETS and word not in PLAYERS and word not in _ACTS:
                raise InputError(f"bet sizes: '{word}' is not a street, a player (oop, ip), bet, raise or donk")
        streets = [i for i, name in enumerate(STREETS) if name in words] or range(4)
        players = [i for i, name in enumerate(PLAYERS) if name in words] or range(2)
        acts = {_ACTS[word] for word in words if word in _ACTS} or {BET, RAISE}
        if DONK in acts and 0 not in players:
            raise InputError(
                f"bet sizes: '{where.strip()}' has no place: only oop bets into the last bettor of the street before"
            )
        who = {DONK: (0,)}
        selected = tuple(
            [(s, p, act) for s in streets for p in who.get(act, players) if act in acts] for act in range(3)
        )
        for act, places in enumerate(selected):
            if places:
                at |= dict.fromkeys(places, _list(listed, act, alone=sum(map(bool, selected)) == 1))
    return BetSizes(at, limits.get("all-in"), limits.get("merge"), limits.get("force"), keeps_initiative, text)


def _limit(name: str, given: str | float) -> Fraction:
    """A share from a number of percent, or from a text such as "10%"."""
    text = str(given).strip()
    try:
        share = Fraction(text.removesuffix("%").strip()) / 100
    except ValueError:
        raise InputError(f"bet sizes: '{name}' needs a percentage, as in '{name}: 10%', not '{text}'") from None
    if not 0 < share <= 1:
        what = "all-in threshold: " if name == "all-in" else f"bet sizes: the percentage of '{name}', "
        raise InputError(f"{what}{text} is not in (0, 100] percent{' of the stack' if name == 'all-in' else ''}")
    return share


def _list(text: str, act: int, *, alone: bool) -> tuple[BetSize, ...]:
    """The sizes of a list, for an act; alone: the clause names no other."""
    words = [word.strip() for word in text.split(",")]
    if words == ["none"]:
        return ()
    sizes = [_size(word) for entry in words for word in (["100%", "a"] if entry == "fcpa" else [entry])]
    if alone and act in (BET, DONK) and (wrong := next((size for size in sizes if size.letter == "x"), None)):
        raise InputError(f"bet sizes: '{wrong.text}' multiplies the bet faced, and an opening bet faces none")
    return tuple(size for size in sizes if act == RAISE or size.letter != "x")


def _size(word: str) -> BetSize:
    match = _TOKEN.fullmatch(word)
    number, letter = match.groups() if match else (None, "")
    wordy = letter in ("a", "min", "any")
    if not match or (letter != "e" and (number is None) != wordy):
        raise InputError(
            f"bet sizes: '{word}' is not a size; sizes look like 33%, 2x, 50c, e, 2e, a, min, any, none, fcpa"
        )
    value = Fraction(number or 0)
    if number is not None and value <= (1 if letter == "x" else 0):
        raise InputError(f"bet sizes: '{word}' is too small")
    if letter == "e" and value.denominator != 1:
        raise InputError(f"bet sizes: '{word}' must name a whole number of streets")
    return BetSize(letter, value / 100 if letter == "%" else value, word)
