"""Texts of whole games of hold'em.

    holdem:flop                            Flop Hold'em; raises=2 is another cap
    holdem:limit                           limit hold'em
    holdem:stack=200bb,bets=fcpa           no-limit, both stacks in big blinds or chips; blinds=50/100
    holdem:deck=20,stack=4bb,bets=[a; river: 50%, a],last=turn

`deck` is how many cards, the highest ranks of four suits, `lowest` its lowest rank; `last` is the last street; `bets` are
bet sizes (`betting.bet_sizes`), in brackets where they hold a comma. `buckets=50` (on every street, or `5k/5k/1k` street by
street from the flop, or `quick`) says how blueprints put hands together, and `buckets=moments:5k/5k/1k` by which card
abstraction (`abstraction`); without it nothing is put together where all boards can be listed. `fhp` is `holdem:flop`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from counterplay.display import by_fields
from counterplay.errors import InputError, quoted
from counterplay.poker.betting.rules import STREETS, BettingRules, flop_holdem, limit_holdem
from counterplay.poker.betting.rules import holdem as no_limit
from counterplay.poker.betting.stakes import CHIPS, Amount
from counterplay.poker.cards.deck import FULL, RANKS, SUITS, Deck
from counterplay.poker.whole_game.rules import Holdem
from counterplay.texts.grammar import split_words
from counterplay.texts.readers import OneOf, Parsed, Reader, Whole, number_text, whole_of
from counterplay.texts.record import Record

if TYPE_CHECKING:
    from counterplay.card_abstraction.abstraction_record import Abstraction

_DIGITS = 3


@dataclass(frozen=True, kw_only=True)
class AmountOfChips(Reader):
    """An amount of chips (`400`) or of big blinds (`200bb`)."""

    CHIPS: ClassVar[str] = CHIPS
    BIG_BLINDS: ClassVar[str] = "bb"
    example: str = "200bb"

    def read(self, word: str, where: str) -> Amount:
        number = _chips(word.removesuffix(self.BIG_BLINDS))
        if number is None:
            raise InputError(
                f"{where} is an amount of chips, such as 400, or of big blinds, such as 200bb, not {quoted(word)}"
            )
        return Amount(number, self.BIG_BLINDS if word.endswith(self.BIG_BLINDS) else CHIPS)

    def write(self, value: Any) -> str:
        return str(value) if isinstance(value, Amount) else number_text(value)


@dataclass(frozen=True, kw_only=True)
class Blinds(Reader):
    """The small and the big blind in chips: `50/100`."""

    example: str = "50/100"

    def read(self, word: str, where: str) -> tuple[float, float]:
        small, _, big = word.partition("/")
        pair = _chips(small), _chips(big)
        if pair[0] is None or pair[1] is None:
            raise InputError(f"{where} are two amounts of chips, as in 50/100, not {quoted(word)}")
        return pair[0], pair[1]

    def write(self, value: Any) -> str:
        return "/".join(number_text(chips) for chips in value)


@dataclass(frozen=True, kw_only=True)
class CardCount(Reader):
    """A number of cards, four of each rank."""

    example: str = "20"

    def read(self, word: str, where: str) -> int:
        count = whole_of(word, _DIGITS) or 0
        if count % len(SUITS) or not 0 < count <= len(FULL.cards):
            raise InputError(f"{where} is a number of cards, four of each rank, up to 52, not {quoted(word)}")
        return count


def rank_of(word: str) -> str:
    """A rank, as decks write it."""
    return RANKS[Deck.from_rank(word).cards[0] // len(SUITS)]


def _chips(word: str) -> float | None:
    """A finite number of at least 0; None if the word is none."""
    try:
        number = float(word)
    except ValueError:
        return None
    return number if 0.0 <= number < inf else None


HOLDEM, FHP = HEADS = ("holdem", "fhp")
MOST_RAISES = 20
"""The largest cap on bets and raises."""
_FORMS = "holdem:flop, holdem:limit, or the stacks, as in holdem:stack=200bb,bets=fcpa"
_FLOP, _LIMIT = _GAMES = ("flop", "limit")
_DECK = frozenset({"deck", "lowest", "buckets"})
_KEYS = {_FLOP: _DECK | {"raises"}, _LIMIT: _DECK, None: _DECK | {"stack", "bets", "blinds", "last"}}
_BLINDS, _SIZES = (50.0, 100.0), "fcpa"


@dataclass(frozen=True, repr=False)
class HoldemSpec(Record):
    """A whole game of hold'em: the record of a text such as `holdem:stack=200bb,bets=fcpa`. What is None is as usual.

    Attributes:
        game: `flop`, `limit`, or None for no-limit.
        raises: most bets and raises on a street of Flop Hold'em (3).
        stack: both stacks of no-limit, in chips or big blinds.
        bets: bet sizes of no-limit (`fcpa`).
        blinds: small and big blind of no-limit, in chips (50/100).
        last: the last street of no-limit (river).
        lowest: lowest rank of the deck (2).
        deck: number of cards, the highest ranks; instead of `lowest`.
        buckets: card abstraction of blueprints.

    Raises:
        InputError: an invalid field, or one that the game does not have.
    """

    HEAD = HOLDEM
    game: Annotated[str | None, OneOf(what="the game", words=_GAMES)] = None
    raises: Annotated[int | None, Whole(least=1, most=MOST_RAISES)] = field(default=None, kw_only=True)
    stack: Annotated[Amount | str | float | None, AmountOfChips()] = field(default=None, kw_only=True)
    bets: Annotated[str | None, Reader()] = field(default=None, kw_only=True)
    blinds: Annotated[tuple[float, float] | None, Blinds()] = field(default=None, kw_only=True)
    last: Annotated[str | None, OneOf(words=STREETS[1:])] = field(default=None, kw_only=True)
    lowest: Annotated[str | None, Parsed(parse=rank_of)] = field(default=None, kw_only=True)
    deck: Annotated[int | None, CardCount()] = field(default=None, kw_only=True)
    buckets: Annotated[str | None, Reader()] = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        named = {name for name, value in vars(self).items() if value is not None} - {"game"}
        for name in vars(self):
            if name in named - _KEYS[self.game]:
                raise InputError(f"{self.HEAD}:{self.game or 'stack=...'} takes no {quoted(name)}; write {_FORMS}")
        if self.game is None and self.stack is None:
            raise InputError(f"{quoted(self)} is no game: write {_FORMS}")
        if self.deck is not None and self.lowest is not None:
            raise InputError(f"{quoted(self)}: deck and lowest say the same")

    def __repr__(self) -> str:
        return by_fields(self)

    def make(self, name: str | None = None) -> Holdem:
        """The rules. name: for people; by default its text."""
        limits = self._limits()
        sizes = "" if self.game is not None else self.bets or _SIZES
        lowest = RANKS[-(self.deck // len(SUITS))] if self.deck is not None else self.lowest or RANKS[0]
        deck = Deck.from_rank(lowest)
        return Holdem(limits, sizes, deck, name or str(self), self._abstraction(limits.last))

    def _limits(self) -> BettingRules:
        if self.game == _FLOP:
            return flop_holdem() if self.raises is None else flop_holdem(self.raises)
        if self.game == _LIMIT:
            return limit_holdem()
        small, big = (_plain(chips) for chips in self.blinds or _BLINDS)
        assert isinstance(self.stack, Amount)
        stack = _plain(self.stack.number) * (1 if self.stack.unit == AmountOfChips.CHIPS else big)
        if stack <= small:
            raise InputError(f"a stack of {self.stack} is all in with the small blind, which leaves nothing to decide")
        return no_limit(stack, blinds=(small, big), last=self.last or STREETS[-1])

    def _abstraction(self, last: int) -> Abstraction | None:
        if self.buckets is None:
            return None
        from counterplay.card_abstraction.make_buckets import read_abstraction  # kernels, which few need

        try:
            return read_abstraction(self.buckets, last)
        except InputError as error:
            raise InputError(f"{quoted(self)}: {error}") from None


def is_whole_game(source: object) -> bool:
    """Return whether a text or a record names a whole game of hold'em."""
    return isinstance(source, HoldemSpec) or (isinstance(source, str) and source.partition(":")[0] in HEADS)


@lru_cache(maxsize=8)
def read_holdem(source: str | HoldemSpec) -> Holdem:
    """The game of a text or record; equal ones name the same game, whose boards are made once."""
    if isinstance(source, HoldemSpec):
        return source.make()
    head, _, rest = source.partition(":")
    if head != FHP:
        return HoldemSpec.from_text(source).make(source)
    words = split_words(source, rest)
    if words.bare or not set(words.options) <= {"raises", "lowest"}:
        raise InputError(f"{quoted(source)} is not Flop Hold'em: write fhp, or fhp:raises=2,lowest=T")
    return HoldemSpec.from_text(f"{HOLDEM}:{','.join([_FLOP, rest] if rest else [_FLOP])}").make(source)


def _plain(chips: float) -> float:
    return int(chips) if float(chips).is_integer() else chips
