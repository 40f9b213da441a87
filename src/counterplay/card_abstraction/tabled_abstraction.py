"""Card abstractions with tables by board; the kinds differ in the features of hands only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

from counterplay.card_abstraction.abstraction_record import (
    Abstraction,
    BucketCounts,
    BucketCountsReader,
    check_preflop,
    counts_by_street,
)
from counterplay.card_abstraction.card_abstraction import CardAbstraction, HandFeatures, Watch
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.texts.readers import Whole

MOST_LANES = 2**16
"""The most buckets of a street: numbers of buckets are stored in 16 bits."""


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
        from counterplay.card_abstraction.make_tables import make_tables
        from counterplay.card_abstraction.table_file import find_tables

        check_preflop(self.counts, boards)
        counts = self.buckets_of(boards.last)
        name = str(replace(self, counts=counts))
        return find_tables(boards, name, lambda: make_tables(boards, self.features, counts, self.seed, name, watch))

    def buckets_of(self, last: int) -> tuple[int, ...]:
        found = counts_by_street(self.counts, last)
        if max(found) > MOST_LANES:
            raise InputError(f"{self.HEAD} makes at most {MOST_LANES:,} buckets of a street, not {max(found):,}")
        return found
