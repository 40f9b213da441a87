"""k-means over equity against groups of opposing hands (OCHS), in games that end on the flop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from counterplay.card_abstraction.abstraction_record import (
    Abstraction,
    BucketCounts,
    BucketCountsReader,
    check_preflop,
    counts_by_street,
)
from counterplay.card_abstraction.buckets import cluster
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.card_abstraction.tables.hand_features import Watch
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.flops import AnyBoards, Flops
from counterplay.texts.readers import Whole


@dataclass(frozen=True)
class OCHS(Abstraction):
    """Buckets by equity on the flop against four groups of hands (Johanson et al. 2013), for games that end there.

    Attributes:
        counts: buckets.
        seed: of k-means.
    """

    HEAD = "ochs"

    counts: Annotated[BucketCounts, BucketCountsReader(what="buckets", example="200")]
    seed: Annotated[int, Whole(what="the seed")] = field(default=0, kw_only=True)

    def make(self, boards: AnyBoards, watch: Watch) -> CardAbstraction:  # noqa: ARG002 - it takes seconds
        count = self.buckets_of(boards.last)[0]
        check_preflop(self.counts, boards)
        assert isinstance(boards, Flops)
        return cluster(boards, count, seed=self.seed)

    def buckets_of(self, last: int) -> tuple[int, ...]:
        if last > 1:
            raise InputError("ochs makes buckets of games that end on the flop; with more streets write emd or moments")
        return counts_by_street(self.counts, last)
