"""A spot: a board, two ranges, the chips and the bets; the input of `solve_spot`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from counterplay.arrays import I64
from counterplay.display import brief
from counterplay.errors import InputError, quoted, unknown
from counterplay.files import STRATEGY, TEXT_STRATEGY
from counterplay.poker.betting import rules as limits
from counterplay.poker.betting.bet_sizes import read_sizes
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.betting.tree import BettingTree, build
from counterplay.poker.cards import hand_rank
from counterplay.poker.cards.deck import RANKS, Deck, cards_text
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.spot_fields import SpotFields

_STREETS = {3: "flop", 4: "turn", 5: "river"}
RULES = {"standard": hand_rank.STANDARD, "six-plus": hand_rank.SIX_PLUS_RULES}
_PAIR = 2
_KINDS: dict[str, Any] = {
    "board": Iterable, "oop": str | Range, "ip": str | Range, "bets": str, "deck": str | Deck, "rules": str,
}  # fmt: skip
_TEXTS = ("board", "oop", "ip", "deck")
"""The fields that are texts in a table."""
_OPTIONAL = ("raises", "rake_cap", "min_bet", "all_in_at", "big_blind")
_MOST = 1e300

_LEAST = 1e-6
"""A range whose weights are all below this is rejected."""


class Spot(SpotFields):
    """A heads-up hold'em situation after the flop, with nothing bet yet on its street.

    Texts are read: a board "Qs Jh 2h 8d 3c", a range "QQ+,AKs". Bets may be a mapping as `read_sizes` takes it, and
    become a text. All amounts are chips. An invalid spot raises an `InputError`.

    Attributes:
        board: 3, 4 or 5 cards, which determine the street.
        oop: range of the player out of position, who is player 0.
        ip: range of the player in position.
        pot: in the middle, half of it from each player.
        stack: left in front of both players, or of (oop, ip).
        bets: sizes of bets and raises (see `poker.betting.bet_sizes`).
        raises: most bets and raises a street, or of each street played; None without a cap.
        rake: share of the final pot that the house takes.
        rake_cap: the most rake, where there is one; None without a cap.
        min_bet: the least bet; one chip if None.
        unit: the smallest chip.
        all_in_at: bets of at least this percentage of the chips left become all-in; None: no bet does.
        deck: the deck; a text names its lowest rank.
        rules: ranking of hands: "standard" or "six-plus".
        big_blind: in chips, for results in big blinds; it changes nothing else, and equal spots may differ in it.
    """

    if TYPE_CHECKING:  # what texts become
        board: tuple[int, ...]
        oop: Range
        ip: Range
        stack: float | tuple[float, float]
        bets: str
        raises: int | tuple[int, ...] | None
        deck: Deck

    def __post_init__(self) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, _plain(one.name, getattr(self, one.name)))
        deck = Deck.from_rank(self.deck) if isinstance(self.deck, str) else self.deck
        board = deck.held(self.board)
        if len(board) not in _STREETS:
            raise InputError(f"a board must have 3, 4 or 5 cards, not {len(board)}")
        if self.rules not in RULES:
            raise InputError(f"the rules must be {' or '.join(RULES)}, not {quoted(self.rules)}")
        values = {"deck": deck, "board": board}
        for name in ("oop", "ip"):
            given = getattr(self, name)
            found = Range.parse(given, deck) if isinstance(given, str) else given
            if found.deck != deck:
                raise InputError(f"the range of {name} is of another deck than the spot")
            found.without(board)
            if found.weights.max() < _LEAST:
                raise InputError(f"the range of {name} has no weight of {_LEAST:g} or more, which rounding would lose")
            values[name] = found
        for name, value in values.items():
            object.__setattr__(self, name, value)
        for name, chips in (("pot", self.pot), ("big blind", self.big_blind)):
            if chips is not None and not chips > 0:
                raise InputError(f"the {name} must be above 0 chips, not {chips:g}")
        sizes = read_sizes(self.bets, all_in_at=self.all_in_at)
        sizes.check(self.limits)
        sizes.check_used(self.limits)
        if self.rake_cap is not None and not self.rake:
            raise InputError("the rake_cap of a spot does nothing without a rake")
        if not self.cards.pairs > 0.0:
            raise InputError("no hand of oop's range can be dealt together with one of ip's")

    def __repr__(self) -> str:
        hands = [int((held.without(self.board).weights > 0.0).sum()) for held in (self.oop, self.ip)]
        stack = "/".join(f"{chips:g}" for chips in (self.stack if isinstance(self.stack, tuple) else (self.stack,)))
        return brief(
            self, cards_text(self.board), f"pot {self.pot:g}", f"stack {stack}", f"{hands[0]}+{hands[1]} hands"
        )

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells spots apart: equal for equal ranges, which as objects are not."""
        values = [getattr(self, one.name) for one in fields(self) if one.compare]
        return tuple(value.weights.tobytes() if isinstance(value, Range) else value for value in values)

    @property
    def street(self) -> str:
        """ "flop", "turn" or "river"."""
        return _STREETS[len(self.board)]

    @property
    def stakes(self) -> Stakes:
        return Stakes(self.pot, self.big_blind)

    @cached_property
    def limits(self) -> limits.BettingRules:
        """Chips and bet limits."""
        pair = self.stack if isinstance(self.stack, tuple) else (self.stack, self.stack)
        return limits.spot(
            self.street, self.pot, pair, raises=self.raises, min_bet=self.min_bet, rake=self.rake,
            rake_cap=self.rake_cap, unit=self.unit,
        )  # fmt: skip

    @cached_property
    def betting(self) -> BettingTree:
        """All betting sequences; an `InputError` if they are too many."""
        return build(self.limits, read_sizes(self.bets, all_in_at=self.all_in_at))

    @cached_property
    def numbers(self) -> I64:
        """(n,) the numbers in the deck of the hands that either player may hold."""
        weights = [given.without(self.board).weights for given in (self.oop, self.ip)]
        return np.flatnonzero((weights[0] > 0.0) | (weights[1] > 0.0))

    @cached_property
    def cards(self) -> Cards:
        """The cards of the spot: deck, board, hands and weights."""
        kept, deck, rules = self.numbers, self.deck, RULES[self.rules]

        def rank(board: tuple[int, ...], hands: I64) -> I64:
            return hand_rank.hand_ranks(board, hands, deck=deck, rules=rules).astype(np.int64)

        weights = np.stack([self.oop.weights[kept], self.ip.weights[kept]])
        return Cards(deck.cards, self.board, deck.hands[kept], weights, rank)

    def table(self) -> dict[str, Any]:
        """The spot as texts and numbers, as `from_table` reads it; defaults are left out."""
        low = self.deck.cards[0]
        if self.deck != Deck.from_rank(RANKS[low // 4]):
            raise InputError("only decks of all cards from some rank on can be written")
        shown = {"board": cards_text(self.board), "oop": str(self.oop), "ip": str(self.ip), "deck": RANKS[low // 4]}
        every = {one.name: shown.get(one.name, getattr(self, one.name)) for one in fields(self)}
        usual = {one.name: one.default for one in fields(self)}
        return {name: list(x) if isinstance(x, tuple) else x for name, x in every.items() if x != usual[name]}

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Spot:
        """The spot of a table such as {"board": "Qs Jh 2h 8d 3c", "oop": "QQ+", "ip": "AK", "pot": 200, "stack": 900}.

        Raises:
            InputError: an unknown or missing name, or an invalid value.
        """
        if not isinstance(table, Mapping):
            raise InputError("a spot must be a table of names and values")
        known = {one.name: one for one in fields(cls)}
        for name, value in table.items():
            if name not in known:
                raise unknown("entry", name, known, lacks="a spot")
            if name in _TEXTS and not isinstance(value, str):
                raise _wrong(name, value)
        missing = [name for name in ("board", "oop", "ip", "pot", "stack") if name not in table]
        if missing:
            raise InputError(f"the spot lacks its {missing[0]}")
        return cls(**table)

    @classmethod
    def from_file(cls, path: str | Path) -> Spot:
        """The spot of a TOML file.

        Raises:
            InputError: a missing file, invalid TOML, or an invalid spot.
        """
        table = read_table(path)
        try:
            return cls.from_table(table)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None


def read_table(path: str | Path) -> dict[str, Any]:
    """Entries of the TOML file of a spot, complete or not; an `InputError` for a missing file or invalid TOML."""
    if Path(path).suffix in (TEXT_STRATEGY, STRATEGY):
        raise InputError(f"{path} is a strategy file; a solved spot ends in .spot, and one to solve in .toml")
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{path} is not TOML of a spot: it nests too deeply") from None


def _plain(name: str, value: Any) -> Any:
    """The stored form of a field: Python numbers, two stacks as a tuple, sizes as a text. So a spot is hashable."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if name == "stack" and isinstance(value, list | tuple):
        value = tuple(one.item() if isinstance(one, np.generic) else one for one in value)
        right = len(value) == _PAIR and all(_is_number(one) for one in value)
    elif name == "bets" and isinstance(value, Mapping):
        right = all(isinstance(text, str) for pair in value.items() for text in pair)
        value = "; ".join(f"{where}: {sizes}" for where, sizes in value.items()) if right else value
    elif name == "raises" and isinstance(value, list | tuple):
        value = tuple(value)
        right = all(_is_number(one, whole=True) for one in value)
    elif name in _KINDS:
        right = isinstance(value, _KINDS[name])
    else:
        right = (value is None and name in _OPTIONAL) or _is_number(value, whole=name == "raises")
    if not right:
        raise _wrong(name, value)
    return value


def _is_number(value: Any, *, whole: bool = False) -> bool:
    """Return whether a value is a finite Python number."""
    kind = int if whole else int | float
    return isinstance(value, kind) and not isinstance(value, bool) and -_MOST < value < _MOST


def _wrong(name: str, value: Any) -> InputError:
    """The error for an invalid value, shortened to one line."""
    return InputError(f"the {name} of a spot cannot be {' '.join(repr(value).split())[:80]}")
