"""Statements of one hand: what a site's tokenizer finds in its lines, and the state machine checks.

Amounts of money are read exactly, whatever the currency and the separators: thousands are separated by comma, point,
apostrophe or a space, decimals by point or comma. Three digits after a single separator are thousands (`1,200` and `1.200`
are 1200) unless the number begins with 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from counterplay.opponents.histories.hand_record import Act, Cards, HandError
from counterplay.opponents.histories.replay import read_cards

LONGEST = 500
"""The most characters of a line that is looked at; longer ones are chat, or an error where an action would stand."""
_MOST_SEATS = 10
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
    """An amount in ten-thousandths; a HandError for anything else."""
    parts = _PARTS.fullmatch(text.strip())
    if parts is not None:
        number, whole, grouped = parts[2], "", _GROUPED.match(parts[2])
        if grouped is not None and not number[grouped.end() : grouped.end() + 1].isdigit():
            whole, number = "".join(re.findall(r"\d+", grouped[0])), number[grouped.end() :]
            parts = None if number[:1] == grouped[1] else parts
            number = f"0{number}"
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


class Post:
    """Kinds of posts: BOTH is a dead small blind and a big one, DEAD a dead blind, OTHER one that the text does not name."""

    ANTE, SMALL, BIG, BOTH, DEAD, STRADDLE, OTHER = range(7)


class TextPost(NamedTuple):
    line: int
    seat: int
    kind: int
    amount: int


class TextAction(NamedTuple):
    """An action. seat: -1 for a deal. added: chips put in. over: chips beyond the bet faced. to: all chips of the street.
    Amounts that the text does not state are -1. cards: of a deal."""

    line: int
    seat: int
    letter: str
    added: int = -1
    over: int = -1
    to: int = -1
    all_in: bool = False
    cards: Cards = ()


class StatedAmount(NamedTuple):
    """An amount with the seat it concerns and its line."""

    line: int
    seat: int
    amount: int


@dataclass(slots=True)
class HandText:
    """Statements of a hand. Amounts are in ten-thousandths, seats indices in the order in which they are listed.

    Attributes:
        site: name of the venue.
        number: of the hand there; "" if it has none.
        currency: as it is written; "" for chips.
        small, big, ante, cap: stakes of the header; 0 where it does not state them.
        names, numbers, stacks, out: of each seat; out: whether it is listed as sitting out.
        button: number of the seat on the button, -1 if unknown. lists_dead_button: whether the site states an empty one.
        posts, actions: in their order.
        holes: cards by seat.
        boards: boards that the text repeats, with their lines and whether they are the whole board.
        returned, collected: uncalled bets and wins, in their order. wins: sums of wins by seat, where stated again.
        dealt: seats that a list says were dealt in; empty if the text has no such list.
        wins_include_uncalled: whether the site counts an uncalled bet as a win.
        lists_all_folds: whether a seat of which the text states nothing may be taken as one that was not dealt in.
        states_rake: whether the site states the rake of each hand.
        won_pots: names of the pots that somebody wins, where the site names them.
        states_uncalled: whether the site states each uncalled bet that is returned.
        level_may_lag: whether the header may state the level after that of the posts.
        implied_blinds: whether the site states blinds and button of such hands, and no posts.
        late_small_is_live: whether the small blind of a player who missed it is a bet; else it is dead.
        pot, rake, parts: total pot, rake and fees, sum of main and side pots, as far as stated, with their lines.
        bonus: chips that the house adds to the pot.
        bets: all chips that each seat has put in, as far as stated, uncalled bets included or not.
        finals, folds: stacks at the end, and streets of folds by seat, as far as stated, with their lines.
        unread: the last line that begins with a player's name and states nothing known, for messages.
    """

    site: str
    number: str = ""
    currency: str = ""
    small: int = 0
    big: int = 0
    ante: int = 0
    cap: int = 0
    names: dict[str, int] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    stacks: list[int] = field(default_factory=list)
    out: list[bool] = field(default_factory=list)
    button: int = -1
    lists_dead_button: bool = True
    posts: list[TextPost] = field(default_factory=list)
    actions: list[TextAction] = field(default_factory=list)
    holes: dict[int, Cards] = field(default_factory=dict)
    boards: list[tuple[int, Cards, bool]] = field(default_factory=list)
    returned: list[StatedAmount] = field(default_factory=list)
    collected: list[StatedAmount] = field(default_factory=list)
    wins: list[StatedAmount] = field(default_factory=list)
    dealt: set[int] = field(default_factory=set)
    wins_include_uncalled: bool = False
    lists_all_folds: bool = False
    states_rake: bool = False
    won_pots: set[str] = field(default_factory=set)
    states_uncalled: bool = False
    level_may_lag: bool = False
    implied_blinds: bool = False
    late_small_is_live: bool = False
    pot: tuple[int, int] | None = None
    rake: tuple[int, int] | None = None
    parts: tuple[int, int] | None = None
    bonus: int = 0
    bets: list[StatedAmount] = field(default_factory=list)
    finals: list[StatedAmount] = field(default_factory=list)
    folds: list[StatedAmount] = field(default_factory=list)
    unread: tuple[int, str] | None = None

    def stakes(self, small: str, big: str, ante: str | None = None) -> None:
        """State the stakes of the header."""
        self.small, self.big, self.ante = amount(small), amount(big), amount(ante) if ante else 0

    def sit(self, line: int, number: int, name: str, chips: int, out: bool = False) -> None:
        """List a seat."""
        if name in self.names or number in self.numbers:
            raise HandError("players", f"seat {number} or the name {name!r} is listed twice", line)
        if len(self.names) == _MOST_SEATS:
            raise HandError("players", f"more than {_MOST_SEATS} seats", line)
        self.names[name] = len(self.numbers)
        self.numbers.append(number)
        self.stacks.append(chips)
        self.out.append(out)

    def seat(self, line: int, name: str) -> int:
        """The seat of a name; a HandError if nobody of this name is listed."""
        seat = self.names.get(name, -1)
        if seat < 0:
            raise HandError("players", f"{name!r} has no seat in the list of players", line)
        return seat

    def show(self, line: int, seat: int, text: str) -> None:
        """State cards of a player; a single one, or hidden ones, are passed over."""
        cards = cards_in(text, line)
        if len(cards) != 2:
            if len(cards) > 2:
                raise HandError("game", f"{len(cards)} cards in a hand: this is not hold'em", line)
            return
        if self.holes.setdefault(seat, cards) != cards and set(self.holes[seat]) != set(cards):
            raise HandError("cards", "a player shows other cards than were dealt or shown before", line)

    def deal(self, line: int, text: str, pot: int = -1) -> None:
        """State the cards of a street, and the pot then; -1 if the text does not state it."""
        self.actions.append(TextAction(line, -1, Act.DEAL, pot, cards=cards_in(text, line)))

    def board(self, line: int, text: str, whole: bool) -> None:
        """State a board that the text repeats."""
        self.boards.append((line, cards_in(text, line), whole))

    @property
    def hint(self) -> str:
        """The end of a message about a statement that is missing."""
        return "" if self.unread is None else f"; line {self.unread[0]} is not understood: {self.unread[1][:60]!r}"


def other_game(title: str, line: int, words: int | None = None) -> HandError:
    """The error of a hand of another game. words: of its title that are quoted."""
    quoted = title if words is None else " ".join(title.split()[:words])
    return HandError("game", f"{quoted!r}: only no-limit hold'em is read, in English", line)


def cards_in(text: str, line: int) -> Cards:
    """Cards of a text such as `Ah 10d` or `[ 9c, 2s ]`; () if it has hidden ones."""
    try:
        return _cards(text)
    except HandError as error:
        raise HandError(error.reason, error.about, line) from None


@lru_cache(maxsize=1 << 14)
def _cards(text: str) -> Cards:
    plain = "".join(text.replace("10", "T").replace(",", " ").replace("[", " ").replace("]", " ").split())
    return () if "X" in plain else read_cards(plain)
