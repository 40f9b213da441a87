"""Card abstractions as records: the features that distinguish hands, and the number of buckets of each street."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

from counterplay.card_abstraction.card_abstraction import CardAbstraction, HandFeatures, Watch
from counterplay.errors import InputError, quoted
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.texts.readers import Reader, Whole
from counterplay.texts.record import Record, RecordKind

BucketCounts = tuple[int, ...] | str
PRESETS = {"quick": (5_000, 5_000, 1_000), "default": (20_000, 20_000, 10_000)}
"""Buckets of flop, turn and river; a game with fewer streets takes the last ones."""
MOST_BUCKETS = 1_000_000
MOST_LANES = 2**16
"""The most buckets of a street of a tabled abstraction, whose numbers of buckets are stored in 16 bits."""
_DIGITS, _THOUSAND = 7, 1000


class Abstraction(Record):
    """A card abstraction: the rule by which hands share buckets."""

    def make(self, boards: GameBoards, watch: Watch) -> CardAbstraction:
        """The lanes of hands on the boards of a game; an `InputError` if it does not fit."""
        raise NotImplementedError

    def buckets_of(self, last: int) -> tuple[int, ...] | None:  # noqa: ARG002
        """The most buckets of each street after the first; None for a lossless abstraction."""
        return None


ABSTRACTIONS: RecordKind[Abstraction] = RecordKind("card abstraction", Abstraction)
"""The kinds of card abstraction; bound to the registry in this package's `__init__`."""


@dataclass(frozen=True, kw_only=True)
class BucketCountsReader(Reader):
    """Buckets, as in `50`, `200/100/50`, `5k/5k/1k`, `169/5k/5k/1k` or one of `PRESETS`."""

    example: str = "5k/5k/1k"

    def read(self, word: str, where: str) -> BucketCounts:
        if word in PRESETS:
            return word
        found = [_count(part) for part in word.split("/")]
        if not all(0 < one <= MOST_BUCKETS for one in found):
            raise InputError(
                f"{where} are a number up to {MOST_BUCKETS:,}, or one for each street, as in {self.example}, or "
                f"{' or '.join(PRESETS)}, not {quoted(word)}"
            )
        return tuple(found)

    def write(self, value: BucketCounts) -> str:
        if isinstance(value, str):
            return value
        return "/".join(f"{n // _THOUSAND}k" if n % _THOUSAND == 0 else str(n) for n in value)


def counts_by_street(counts: BucketCounts, last: int) -> tuple[int, ...]:
    """The number of buckets of each street after the first, from one for all, or one for each, with or without the
    first."""
    if isinstance(counts, str):
        return PRESETS[counts][-last:]
    found = counts * last if len(counts) == 1 else counts[len(counts) - last :]
    if len(found) != last or len(counts) > last + 1:
        raise InputError(
            f"the game has {last} streets after the first: write one number of buckets or {last}, not {len(counts)}"
        )
    return found


def check_preflop(counts: BucketCounts, boards: GameBoards) -> None:
    """Reject another number of buckets before the flop than that of the classes of hands: the abstraction is lossless
    there."""
    told = not isinstance(counts, str) and len(counts) == boards.last + 1
    if told and counts[0] != boards.classes:
        raise InputError(
            f"before the flop all {boards.classes} classes of hands stay apart, so there are no {counts[0]} buckets"
        )


def _count(text: str) -> int:
    """A number such as 500 or 5k; 0 if the text is not one."""
    number, thousands = (text[:-1], _THOUSAND) if text.endswith("k") else (text, 1)
    return int(number) * thousands if number.isdecimal() and number.isascii() and len(number) <= _DIGITS else 0


@dataclass(frozen=True)
class TabledAbstraction(Abstraction):
    """Buckets by k-means over features of hands: a table for each street before the last, centres for the last.

    Attributes:
        counts: buckets of each street.
        seed: of k-means; the same seed gives the same buckets.
    """

    counts: Annotated[BucketCounts, BucketCountsReader(what="buckets")]
    seed: Annotated[int, Whole(what="the seed")] = field(default=0, kw_only=True)

    @property
    def features(self) -> HandFeatures:
        """The features of hands."""
        raise NotImplementedError

    def make(self, boards: GameBoards, watch: Watch) -> CardAbstraction:
        # kernels, which a record does not need
        from counterplay.card_abstraction.make_tables import find_tables, make_tables

        check_preflop(self.counts, boards)
        counts = self.buckets_of(boards.last)
        name = str(replace(self, counts=counts))
        return find_tables(boards, name, lambda: make_tables(boards, self.features, counts, self.seed, name, watch))

    def buckets_of(self, last: int) -> tuple[int, ...]:
        found = counts_by_street(self.counts, last)
        if max(found) > MOST_LANES:
            raise InputError(f"{self.HEAD} makes at most {MOST_LANES:,} buckets of a street, not {max(found):,}")
        return found
