"""Strategies of Flop Hold'em: by class of hand before the flop, and on each flop by lanes, which hands may share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.decisions import StreetDecisions
from counterplay.poker.whole_game.flops import Flops, Small
from counterplay.poker.whole_game.holdem import Floats, HoldemGame


class BlueprintStrategy(Protocol):
    """How both players play. A strategy of another kind needs these two members only."""

    @property
    def preflop(self) -> tuple[Floats, Floats]:
        """Of each player, (sequences, classes) the probability of every action before the flop; row 0 is not read."""

    def on(self, player: int, flop: int) -> tuple[NDArray[Any], Small]:
        """(sequences, lanes) the probability of every action on a flop, in the game's dtype, and (n,) the lane of the
        hand at each place; the rows of the entries are not read."""


class LastFlopCache:
    """The table of the flop that was asked for last, of each player, for strategies that have to make it."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, NDArray[Any]]] = {}

    def get(self, player: int, flop: int, make: Callable[[int, int], NDArray[Any]]) -> NDArray[Any]:
        """The table, from `make` if it is not at hand; several threads may ask."""
        found = self._kept.get(player)
        if found is None or found[0] != flop:
            found = self._kept[player] = flop, make(player, flop)
        return found[1]


@dataclass(frozen=True, eq=False)
class Buckets:
    """Which hands are played alike. A *block* of lanes belongs to one flop or to all of them.

    Attributes:
        preflop: (classes,) bucket of each class of hand.
        lane: (F, n) lane of the hand at each place of a flop.
        block: (F,) the block that a flop uses.
        sizes: (blocks,) lanes of each block.
        name: how they were made.
    """

    preflop: Small
    lane: Small
    block: Ints
    sizes: Ints
    name: str

    @property
    def shared(self) -> bool:
        """Whether flops share lanes, so that a player may forget which flop it is."""
        return len(self.sizes) < len(self.block)

    def __str__(self) -> str:
        return f"{self.name}: {int(self.preflop.max()) + 1} buckets before the flop, {int(self.sizes.sum()):,} on it"


def lossless(flops: Flops) -> Buckets:
    """No two different hands share a bucket: the game itself."""
    return Buckets(
        np.arange(flops.classes, dtype=np.uint32), flops.lane, np.arange(flops.flops), flops.lanes, "lossless"
    )


def one_bucket(flops: Flops) -> Buckets:
    """All hands are played alike."""
    nothing = np.zeros(flops.hand.shape, np.uint32)
    return Buckets(
        np.zeros(flops.classes, np.uint32), nothing, np.zeros(flops.flops, np.int64), np.ones(1, int), "blind"
    )


@dataclass(frozen=True, eq=False)
class BucketedStrategy:
    """A strategy of both players by buckets.

    Attributes:
        buckets: which hands are played alike.
        preflop: of each player, (sequences, classes) probabilities.
        tables: of each player, a (sequences, lanes) table for each block.
    """

    buckets: Buckets
    preflop: tuple[Floats, Floats]
    tables: tuple[list[NDArray[Any]], list[NDArray[Any]]]

    def on(self, player: int, flop: int) -> tuple[NDArray[Any], Small]:
        return self.tables[player][self.buckets.block[flop]], self.buckets.lane[flop]


@dataclass(frozen=True, eq=False)
class ModelMixture:
    """A restricted Nash response: a player follows a model with probability p, and is free otherwise.

    Attributes:
        player: the modelled one.
        model: how it is thought to play.
        p: from 0 to 1.
    """

    player: int
    model: BlueprintStrategy
    p: float

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise InputError(f"the modelled player must be 0 or 1, not {self.player}")
        if not 0 <= self.p <= 1:
            raise InputError(f"the trust in a model must be between 0 and 1, not {self.p:g}")


def uniform(game: HoldemGame) -> BucketedStrategy:
    """Every action with the same probability."""
    buckets = one_bucket(game.flops)
    before, after = [], []
    for side in game.sides:
        before.append(normalise_rows(np.zeros((side.sizes[0], game.flops.classes)), side.preflop))
        after.append([normalise_rows(np.zeros((side.sizes[1], 1)), side.flop).astype(game.dtype)])
    return BucketedStrategy(buckets, (before[0], before[1]), (after[0], after[1]))


def normalise_rows(weights: NDArray[Any], decisions: Ints) -> NDArray[Any]:
    """Rows of non-negative weights as probabilities at each decision, equal where all are 0."""
    out = np.zeros_like(weights)
    for _, _, first, count in decisions:
        rows = weights[first : first + count]
        total = rows.sum(axis=0)
        np.divide(rows, total, out=out[first : first + count], where=total > 0)
        out[first : first + count, total <= 0] = 1.0 / count
    return out


def entry_reach(game: HoldemGame, player: int, play: BlueprintStrategy) -> NDArray[Any]:
    """(entries, classes) a player's reach where the flop is dealt."""
    side = game.sides[player]
    return reaches(side, play.preflop[player])[side.entry].astype(game.dtype)


def reaches(side: StreetDecisions, preflop: Floats) -> Floats:
    """(sequences, classes) products of a player's probabilities down to each sequence before the flop."""
    plan = np.ones_like(preflop)
    for _, before, first, count in side.preflop:
        plan[first : first + count] = plan[before] * preflop[first : first + count]
    return plan
