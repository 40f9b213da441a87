"""Texts of bet sizes: which bets and raises a no-limit betting tree holds, per street and player.

    33%        a third of the pot after calling          2x     raise to twice the bet faced (raises only)
    50c        bet or raise to 50 chips in this street   min    the least bet or raise
    a          all-in                                    any    every number of the smallest chip
    e, 2e      geometric: equal fractions of the pot that end all-in on the last street, or after 2 streets
    none       no bet                                    fcpa   "100%, a": fold, call, pot, all-in

A text is a list, "33%, 75%, a", or clauses with a selector of streets, players and `bet` or `raise`:
"50%, a; turn: 75%, a; river ip: 150%; flop oop bet: none; raise: 2.5x, a". Later clauses replace earlier ones where they
select the same. Amounts are rounded to the nearest smallest chip, halves up, then held between the least raise and all-in
(of the shorter stack); sizes that coincide are one action. A chip amount no larger than the bet faced is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from counterplay.errors import InputError
from counterplay.poker.betting.rules import PLAYERS, STREETS, BettingRules
from counterplay.poker.betting.state import BettingState, Legal, all_in, legal, pot

_TOKEN = re.compile(r"(\d+(?:\.\d+)?|\.\d+)?(%|x|c|e|a|min|any)")
_ACTS = {"bet": 0, "bets": 0, "raise": 1, "raises": 1}
Place = tuple[int, int, int]
"""A street, a player, and 0 for bets or 1 for raises."""


class BetSize(NamedTuple):
    """One size: its letter or word, its number (a percentage as a share; of `e`, 0 is all streets left), and its text."""

    letter: str
    number: Fraction
    text: str


@dataclass(frozen=True)
class BetSizes:
    """The sizes of every street and player.

    Attributes:
        at: sizes by (street, player, 0 bet | 1 raise); a key is missing if the text gives no size.
        all_in_at: bets of at least this share of the chips left (of the shorter stack) become all-in; None: no bet does.
        text: what was read.
    """

    at: Mapping[Place, tuple[BetSize, ...]]
    all_in_at: Fraction | None = None
    text: str = ""

    def check(self, rules: BettingRules) -> None:
        """Reject sizes that do not fit a game.

        Raises:
            InputError: chips beyond the stack, a street and player without sizes, or sizes for a limit game.
        """
        if rules.bets is not None:
            if self.at:
                raise InputError(f"bet sizes: a limit game has fixed sizes; leave out '{self.text}'")
            return
        most = rules.chips(min(rules.stacks))
        for place in product(range(rules.first, rules.last + 1), range(2), range(2)):
            if place not in self.at:
                where = f"{STREETS[place[0]]} {PLAYERS[place[1]]} {('bet', 'raise')[place[2]]}"
                raise InputError(f"bet sizes: no size is given for the {where}; write '{where}: none' for no bet")
            for size in self.at[place]:
                if size.letter == "c" and size.number > most:
                    raise InputError(f"bet sizes: '{size.text}' is beyond the stack of {most:g} chips")


def read_sizes(text: str | Mapping[str, str], *, all_in_at: float | None = None) -> BetSizes:
    """Read sizes from a text, or from a mapping of selectors to lists ({"flop": "33%, a", "river ip raise": "2x"}).

    Args:
        text: see the top of this file; "" gives no sizes, as limit games need.
        all_in_at: threshold in percent of the chips left from which bets become all-in.

    Raises:
        InputError: an unknown word, a size of 0, an opening bet in multiples of a bet, a threshold outside (0, 100].
    """
    if not isinstance(text, str):
        text = "; ".join(f"{where}: {sizes}" for where, sizes in text.items())
    if all_in_at is not None and not 0 < all_in_at <= 100:
        raise InputError(f"all-in threshold: {all_in_at:g} is not in (0, 100] percent of the stack")
    at: dict[Place, tuple[BetSize, ...]] = {}
    for clause in filter(str.strip, re.split(r"[;\n]", text.lower())):
        where, colon, listed = clause.rpartition(":")
        if colon and not where.strip():
            raise InputError(f"bet sizes: no street or player before the colon of '{clause.strip()}'")
        for act, places in enumerate(_places(where)):
            if places:
                sizes = _list(listed, only=act if len(_selected(where)) == 1 else None, act=act)
                at |= dict.fromkeys(places, sizes)
    return BetSizes(at, None if all_in_at is None else Fraction(str(all_in_at)) / 100, text)


def amounts(rules: BettingRules, state: BettingState, sizes: BetSizes) -> list[int]:
    """The bets or raises of a menu, ascending: what the player to act will have bet in this street, in units."""
    can = legal(rules, state)
    if not can.most:
        return []
    top = all_in(rules, state)
    if rules.bets is not None:
        return [min(can.least, top)]
    least = min(can.least, top)
    facing = int(max(state.put) > state.base)
    found: set[int] = set()
    for size in sizes.at.get((state.street, int(state.kind), facing), ()):
        if size.letter == "any":
            found.update(range(least, top + 1))
        else:
            wanted = _amount(rules, state, size, can)
            if size.letter != "c" or wanted > max(state.put) - state.base:
                found.add(min(max(wanted, least), top))
    return sorted({_or_all_in(state, to, top, sizes.all_in_at) for to in found})


def _amount(rules: BettingRules, state: BettingState, size: BetSize, can: Legal) -> int:
    """The amount of a size, before it is clipped to the least raise and all-in."""
    level = max(state.put) - state.base
    called = pot(rules, state) + can.call
    top = all_in(rules, state)
    if size.letter == "%":
        return _round(level + size.number * called)
    if size.letter == "x":
        return _round(level * size.number)
    if size.letter == "c":
        return _round(size.number / Fraction(str(rules.unit)))
    if size.letter == "e":
        streets = float(size.number) or rules.last - state.street + 1
        # (1 + 2f)^streets times the pot is the pot with both stacks in it
        grown = (1.0 + 2.0 * (top - level) / called) ** (1.0 / streets) if called else math.inf
        return top if math.isinf(grown) else _round(round(level + (grown - 1.0) / 2.0 * called, 6))
    return top if size.letter == "a" else 0


def _or_all_in(state: BettingState, to: int, top: int, share: Fraction | None) -> int:
    """The bet, or all-in if it puts in that share of the remaining chips."""
    mine = state.put[state.kind] - state.base
    return top if share is not None and to - mine >= share * (top - mine) else to


def _round(amount: Fraction | float) -> int:
    return math.floor(amount + Fraction(1, 2)) if isinstance(amount, Fraction) else math.floor(amount + 0.5)


def _list(text: str, only: int | None, act: int) -> tuple[BetSize, ...]:
    """The sizes of a list, for bets (act 0) or raises (1); `only` says that the clause names bets or raises alone."""
    words = [word.strip() for word in text.split(",")]
    if words == ["none"]:
        return ()
    sizes = [_size(word) for entry in words for word in (["100%", "a"] if entry == "fcpa" else [entry])]
    if only == 0 and (wrong := next((size for size in sizes if size.letter == "x"), None)):
        raise InputError(f"bet sizes: '{wrong.text}' multiplies the bet faced, and an opening bet faces none")
    return tuple(size for size in sizes if act == 1 or size.letter != "x")


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


def _selected(where: str) -> set[int]:
    """Bets (0), raises (1) or both, as a selector names them."""
    return {_ACTS[word] for word in re.split(r"[\s,]+", where) if word in _ACTS} or {0, 1}


def _places(where: str) -> tuple[list[Place], list[Place]]:
    """The places of a selector's bets and raises."""
    words = [word for word in re.split(r"[\s,]+", where) if word]
    for word in words:
        if word not in STREETS and word not in PLAYERS and word not in _ACTS:
            raise InputError(f"bet sizes: '{word}' is not a street, a player (oop, ip), bet or raise")
    streets = [i for i, name in enumerate(STREETS) if name in words] or range(4)
    players = [i for i, name in enumerate(PLAYERS) if name in words] or range(2)
    acts = _selected(where)
    bets, raises = ([(s, p, act) for s in streets for p in players if act in acts] for act in range(2))
    return bets, raises
