"""Ranges: a weight from 0 to 1 for every hand of a deck, read from and written in players' notation.

A text of a range is terms with commas between them; later terms override earlier ones for the same hand. A term is

- a class or two: `QQ`, `AKs` (suited), `AKo` (offsuit), `AK` (both);
- a class and better: `QQ+` is QQ, KK, AA; `A2s+` raises the lower card up to one below the higher one, so `T9s+` is T9s;
- a run: `22-55`; `A5s-A2s` with the same higher card; `T9s-54s` with the same gap between the cards;
- one hand: `AhKs`;
- all hands: `random` or `any two`;

and `:w` after a term is its weight, 1 if left out: `KQo:0.5` or `KQo:50%`.

Other programs write ranges otherwise. Each reads back to the same weights, to ten digits of a percent:

| name | example | what it is |
|---|---|---|
| `plain` | `QQ+,AKs:0.5` | players' notation; PioSOLVER's viewer and postflop-solver take it too |
| `percent` | `QQ+,AKs:50%` | the same with weights in percent |
| `gto+` | `QQ+,[50.0]AKs[/50.0]` | GTO+: terms of one weight between brackets, in percent |
| `pio` | `0 0.5 1 ...` | PioSOLVER's files: a weight for each hand of the deck, from 2d2c to AsAh |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import F64, Flags
from counterplay.display import brief, labelled
from counterplay.errors import InputError, quoted, unknown
from counterplay.games.spec_text import share_of
from counterplay.poker.cards.deck import FULL, RANKS, Deck, cards_of, cards_text, hand_text
from counterplay.poker.ranges.grid import SIDE, cell_name, cell_of, cells

_SHAPE = re.compile(f"([{RANKS}])([{RANKS}])([so]?)", re.IGNORECASE)
_HAND = re.compile(f"([{RANKS}][cdhs]){{2}}", re.IGNORECASE)
_ALL = ("random", "anytwo")
Term = tuple[str, float]
"""A body such as "A5s-A2s", and its weight."""
_GROUP = re.compile(r"\[(?P<open>[^][/]*)\](?P<terms>[^][]*)\[/(?P<close>[^][]*)\]")
_NUMBER = re.compile(r"[0-9.eE+-]+")
_FEW, _ODD = 3, 0.1
"""Words in a text without commas are weights of hands if there are more than so many, and at most this share of them are no
numbers."""
_DIGITS = 10


def parse_range(text: str, deck: Deck) -> F64:
    """(n,) weights of the hands of the deck."""
    weights = np.zeros(len(deck.hands))
    for term in text.split(","):
        if term.strip():
            body, colon, number = "".join(term.split()).partition(":")
            weights[_chosen(body, term.strip(), deck)] = _weight(number, term.strip()) if colon else 1.0
    return weights


def format_range(weights: F64, deck: Deck) -> str:
    """Notation that reads back to the same weights (hands of the deck,)."""
    return ",".join(body if weight == 1 else f"{body}:{plain(weight)}" for body, weight in terms_of(weights, deck))


def terms_of(weights: F64, deck: Deck) -> list[Term]:
    """Terms with weight that describe a range (hands of the deck,): classes first, then the hands that differ from them."""
    # (169,) the commonest weight of each class (the least of equals); NaN for classes that the deck lacks.
    base = np.full(SIDE**2, np.nan)
    for cell in range(SIDE**2):
        found, counts = np.unique(weights[cells(deck) == cell], return_counts=True)
        if len(found):
            base[cell] = found[counts.argmax()]
    present = base[~np.isnan(base)]
    alike = present[0] > 0 and (present == present[0]).all()
    terms = [("random", float(present[0]))] if alike else list(_class_terms(base))
    odd = np.flatnonzero(weights != base[cells(deck)])
    return terms + [(hand_text(deck.hands[k]), float(weights[k])) for k in odd]


def plain(number: float) -> str:
    """The shortest text that reads back to a number."""
    return f"{number!r}".removesuffix(".0")


def _weight(number: str, term: str) -> float:
    """A weight, as a number or in percent."""
    what, share = f"the term {quoted(term)}", number.removesuffix("%")
    if share == number:
        return share_of(what, number)
    try:
        percent = float(share)
    except ValueError:
        return share_of(what, number)
    if not 0.0 <= percent <= 100.0:
        raise InputError(f"{what}: the weight must be between 0% and 100%, not {quoted(number)}")
    return percent / 100.0


class _Shape(NamedTuple):
    """A class, or two: `kind` is "s", "o", or "" for a pair or for both."""

    high: int
    low: int
    kind: str


def _chosen(body: str, term: str, deck: Deck) -> Flags:
    """(n,) whether a term contains each hand of the deck, without its weight."""
    if body.lower() in _ALL:
        return np.ones(len(deck.hands), np.bool_)
    if _HAND.fullmatch(body):
        chosen = np.zeros(len(deck.hands), np.bool_)
        try:
            chosen[deck.hand(*cards_of(body))] = True
        except InputError as error:
            raise InputError(f"the term {quoted(term)} is not a hand: {error}") from None
        return chosen
    classes = {cell_of(at.high, at.low, kind == "s") for at in _shapes(body, term) for kind in at.kind or "so"}
    chosen = np.isin(cells(deck), list(classes))
    if not chosen.any():
        raise InputError(f"the term {quoted(term)} contains no hand of the deck")
    return chosen


def _shapes(body: str, term: str) -> list[_Shape]:
    """The classes of a term: one, from one upwards, or from one to another."""
    first, dash, last = body.partition("-")
    if dash:
        return _run(_shape(first, term), _shape(last, term), term)
    shape = _shape(body.removesuffix("+"), term)
    if not body.endswith("+"):
        return [shape]
    pair = shape.high == shape.low
    return _run(shape, _Shape(SIDE - 1, SIDE - 1, "") if pair else shape._replace(low=shape.high - 1), term)


def _shape(text: str, term: str) -> _Shape:
    match = _SHAPE.fullmatch(text)
    if not match:
        raise InputError(f"cannot read {quoted(term)} in a range: write QQ+, AKs, A5s-A2s, KQo:0.5, AhKs or random")
    low, high = sorted(RANKS.index(rank.upper()) for rank in match.groups()[:2])
    if low == high and match[3]:
        raise InputError(
            f"the term {quoted(term)} is a pair, which is never suited or offsuit by name: write {match[0][:2]}"
        )
    return _Shape(high, low, match[3].lower())


def _run(first: _Shape, last: _Shape, term: str) -> list[_Shape]:
    """All classes from one to another, in either order."""
    low, high = sorted((first, last))
    same_gap = low.high - low.low == high.high - high.low
    if low.kind != high.kind or not (same_gap or (low.high == high.high and low.low != low.high != high.low)):
        raise InputError(
            f"the run {quoted(term)} must keep its higher card or its gap, and stay suited, offsuit or both"
        )
    if same_gap:
        return [low._replace(high=low.high + k, low=low.low + k) for k in range(high.high - low.high + 1)]
    return [low._replace(low=k) for k in range(low.low, high.low + 1)]


def _class_terms(base: F64) -> Iterator[Term]:
    """Terms of all classes with weight, in runs of equal ones."""
    yield from _run_terms([cell_of(k, k, False) for k in reversed(range(SIDE))], base)
    for high in reversed(range(1, SIDE)):
        suited, offsuit = ([cell_of(high, k, kind) for k in reversed(range(high))] for kind in (True, False))
        if np.array_equal(base[suited], base[offsuit], equal_nan=True):
            yield from ((body.replace("s", ""), weight) for body, weight in _run_terms(suited, base))
        else:
            yield from _run_terms(suited, base)
            yield from _run_terms(offsuit, base)


def _run_terms(row: list[int], base: F64) -> Iterator[Term]:
    """Terms of a row of classes, best first, that differ in one card (a pair: in both)."""
    for weight, run in groupby(row, lambda cell: float(base[cell])):
        names = [cell_name(cell) for cell in run]
        if weight > 0:
            best, worst = names[0], names[-1]
            whole = best == cell_name(row[0])
            yield (best if best == worst else f"{worst}+" if whole else f"{best}-{worst}", weight)


def read_range(text: str, deck: Deck) -> F64:
    """(n,) weights of the hands of the deck, from any of these notations."""
    words = text.split()
    odd = [place for place, word in enumerate(words) if not _NUMBER.fullmatch(word)]
    if len(words) > _FEW and len(odd) <= _ODD * len(words):
        for place in odd:  # refused before the number of words is, which they explain
            _read_weight(place, words[place])
        if len(words) != len(deck.hands):
            raise InputError(
                f"a range as weights must have {len(deck.hands):,} of them, one for each hand, not {len(words):,}"
            )
        return np.array([_read_weight(place, word) for place, word in enumerate(words)])
    if "[" in text or "]" in text:
        text = _without_brackets(text)
    return parse_range(text, deck)


def write_range(weights: F64, deck: Deck, notation: str) -> str:
    """A range in one of these notations. weights: (n,) of the hands of the deck, from 0 to 1."""
    if notation not in NOTATIONS:
        raise unknown("notation", notation, NOTATIONS, lacks="a range")
    return NOTATIONS[notation](weights, deck)


def _write_gto(weights: F64, deck: Deck) -> str:
    """Terms of one weight that follow each other share a bracket; hands follow the classes that they override."""
    groups = []
    for weight, terms in groupby(terms_of(weights, deck), lambda term: term[1]):
        bodies = ",".join(body for body, _ in terms)
        share = _percent(weight)
        groups.append(bodies if weight == 1.0 else f"[{share}]{bodies}[/{share}]")
    return ",".join(groups)


NOTATIONS: dict[str, Callable[[F64, Deck], str]] = {
    "plain": format_range,
    "percent": lambda weights, deck: ",".join(
        body if w == 1.0 else f"{body}:{_percent(w)}%" for body, w in terms_of(weights, deck)
    ),
    "gto+": _write_gto,
    "pio": lambda weights, _: " ".join(plain(float(weight)) for weight in weights),
}


def _percent(weight: float) -> str:
    """A share in percent, with a decimal point as GTO+ writes it: "50.0"."""
    return repr(round(100.0 * weight, _DIGITS))


def _read_weight(place: int, word: str) -> float:
    """A word as the weight of the hand at a place, from 0, in the order of the deck."""
    return share_of(f"weight {place + 1:,} of a range", word)


def _without_brackets(text: str) -> str:
    """GTO+ to players' notation: the weight of a bracket behind each term in it."""

    def spread(group: re.Match[str]) -> str:
        share, terms = group["open"].strip(), [term.strip() for term in group["terms"].split(",")]
        if share != group["close"].strip():
            close = quoted(f"[/{group['close'].strip()}]")
            raise InputError(f"the bracket {quoted(f'[{share}]')} of a range is closed by {close}")
        if any(":" in term for term in terms):
            raise InputError(f"a term in the bracket {quoted(f'[{share}]')} of a range has a weight of its own")
        return ",".join(f"{term}:{share}%" for term in terms if term)

    found = _GROUP.sub(spread, text)
    if "[" in found or "]" in found:
        raise InputError("a bracket of a range is not closed: write [50.0]AKs,AQs[/50.0]")
    return found


@dataclass(frozen=True, eq=False)
class Range:
    """Weights of the hands of a deck. weights: (n,) from 0 to 1, not all 0, in the order of `deck.hands`; read-only.
    deck: the deck of the hands."""

    weights: F64
    deck: Deck = FULL

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64) + 0.0  # + 0.0 makes -0.0 plain
        if weights.shape != (len(self.deck.hands),):
            raise InputError(f"a range of this deck has {len(self.deck.hands)} weights, not {weights.shape}")
        wrong = ~((weights >= 0) & (weights <= 1))
        if wrong.any():
            at = int(wrong.argmax())
            raise InputError(f"the weight of {hand_text(self.deck.hands[at])} must be from 0 to 1, not {weights[at]}")
        if not weights.any():
            raise InputError("the range is empty: no hand has a weight above 0")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    def __repr__(self) -> str:
        return brief(
            self, "", f"{int((self.weights > 0.0).sum())} hands", labelled("weight", float(self.weights.sum()))
        )

    @classmethod
    def parse(cls, text: str, deck: Deck = FULL) -> Range:
        """The range that a text describes, in players' notation or in one of another program.

        Raises:
            InputError: an invalid term, which the message names.
        """
        weights = read_range(text, deck)
        if not weights.any():
            raise InputError(f"the range {quoted(text)} is empty: no hand has a weight above 0")
        return cls(weights, deck)

    @classmethod
    def full(cls, deck: Deck = FULL) -> Range:
        """All hands, with weight 1."""
        return cls(np.ones(len(deck.hands)), deck)

    @classmethod
    def from_grid(cls, grid: ArrayLike, deck: Deck = FULL) -> Range:
        """The range with one weight per class of the 13×13 grid (aces first, suited hands above the diagonal), from numbers
        or a text.

        Raises:
            InputError: not a grid of weights.
        """
        try:
            if isinstance(grid, str):  # blanks or commas between the words of a line
                grid = [line.replace(",", " ").split() for line in grid.splitlines() if line.strip()]
            table = np.array(grid, np.float64)
        except ValueError:
            raise InputError("the grid of a range must be 13 rows of 13 numbers") from None
        if table.shape != (SIDE, SIDE):
            raise InputError(f"the grid of a range must be 13 rows of 13 numbers, not an array of shape {table.shape}")
        return cls(table.ravel()[cells(deck)], deck)

    def without(self, board: str | Iterable[int]) -> Range:
        """The range without the hands that hold a card of the board.

        Raises:
            InputError: no hand is left, or the board is outside the deck.
        """
        shown = cards_of(board)
        weights = np.where(self.deck.live(shown), self.weights, 0.0)
        if not weights.any():
            raise InputError(f"the board {cards_text(shown)} blocks every hand of the range {quoted(self)}")
        return Range(weights, self.deck)

    def text(self, notation: str = "plain") -> str:
        """The range as other programs read it: "plain", "percent", "gto+" or "pio" (see `notation`).

        Raises:
            InputError: an unknown notation.
        """
        return write_range(self.weights, self.deck, notation)

    def __str__(self) -> str:
        """Notation that reads back to the same weights: classes first, then the hands that differ from their class."""
        return format_range(self.weights, self.deck)
