"""Strategies of whole games: by class of hand before the flop, and on each board by lanes, which hands may share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction, OneLane
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.decisions import StreetDecisions
from counterplay.poker.whole_game.holdem import HoldemGame

Pair = tuple[list[AnyArray], list[AnyArray]]
"""Of each player, the tables of all blocks."""

_JOINED = 4096
"""Most lanes of blocks that are taken together."""


class BlueprintStrategy(Protocol):
    """The protocol of strategies of both players: these two members."""

    @property
    def preflop(self) -> tuple[F64, F64]:
        """Per player, (sequences, classes) the probability of every action before the flop; row 0 is not read."""

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        """(sequences, lanes) the probability of every action on a board, in the game's dtype, and (n,) the lane of the
        hand at each place; the rows of the entries are not read."""


class LastBoardCache:
    """The table of the board of each street that was asked for last, of each player, for strategies that have to make it."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], tuple[Board, AnyArray]] = {}

    def get(self, player: int, board: Board, make: Callable[[int, Board], AnyArray]) -> AnyArray:
        """(sequences, lanes) the table, from `make` if it is not cached; thread-safe."""
        found = self._kept.get((player, board.street))
        if found is None or found[0] is not board:
            found = self._kept[player, board.street] = board, make(player, board)
        return found[1]


@dataclass(frozen=True, eq=False)
class BucketedStrategy:
    """A strategy of both players by buckets.

    Attributes:
        buckets: the card abstraction.
        preflop: per player, (sequences, classes) probabilities.
        tables: per street after the first and per player, a (sequences, lanes) table for each block.
    """

    buckets: CardAbstraction
    preflop: tuple[F64, F64]
    tables: tuple[Pair, ...]

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        block, lane = self.buckets.lanes_on(board)
        return self.tables[board.street - 1][player][block], lane


@dataclass(frozen=True, eq=False)
class ModelMixture:
    """A restricted Nash response: a player follows a model with probability p and is free otherwise.

    Attributes:
        player: the modelled player.
        model: the strategy assumed of that player.
        p: trust in the model, from 0 to 1.
        by_row: whether it is drawn anew at each decision, and p is the most trust in a row (see `row_trust`), instead of
            once before the hand: a data-biased response.
        reference: what the responder earns against this strategy of the player is taken off what they earn against the
            model, so that only what the model does otherwise counts; None for nothing.
    """

    player: int
    model: BlueprintStrategy
    p: float
    by_row: bool = False
    reference: BlueprintStrategy | None = None

    def differs_in_p(self, other: ModelMixture) -> bool:
        """Return whether another has the same model, bound in the same way."""
        same = self.model is other.model and self.reference is other.reference
        return same and (self.player, self.by_row) == (other.player, other.by_row)

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise InputError(f"the modelled player must be 0 or 1, not {self.player}")
        if not 0 <= self.p <= 1:
            raise InputError(f"the trust in a model must be between 0 and 1, not {self.p:g}")
        if self.by_row and self.reference is not None:
            raise InputError("a model that is trusted row by row has no reference")


def uniform(game: HoldemGame) -> BucketedStrategy:
    """The uniform strategy."""
    buckets = OneLane(game.boards.classes)
    before = [normalise_rows(np.zeros((side.sizes[0], game.boards.classes)), side.preflop) for side in game.sides]

    def blocks(player: int, street: int) -> list[AnyArray]:
        side = game.sides[player]
        return [normalise_rows(np.zeros((side.sizes[street], 1)), side.decisions[street]).astype(game.dtype)]

    tables = tuple((blocks(0, street), blocks(1, street)) for street in range(1, game.last + 1))
    return BucketedStrategy(buckets, (before[0], before[1]), tables)


def change_rows(
    game: HoldemGame, play: BucketedStrategy, change: Callable[[int, AnyArray], AnyArray]
) -> BucketedStrategy:
    """A strategy with the same buckets and other probabilities. change: maps a betting node and its (actions, lanes)
    probabilities in one block to new ones."""

    def table(rows: AnyArray, decisions: I64) -> AnyArray:
        out = np.zeros(rows.shape)
        for node, _, first, count in decisions.tolist():
            out[first : first + count] = change(node, rows[first : first + count])
        return out.astype(rows.dtype)

    one, two = game.sides
    early = table(play.preflop[0], one.preflop), table(play.preflop[1], two.preflop)
    late = tuple(
        ([table(rows, one.decisions[k]) for rows in pair[0]], [table(rows, two.decisions[k]) for rows in pair[1]])
        for k, pair in enumerate(play.tables, 1)
    )
    return replace(play, preflop=early, tables=late)


def normalise_rows(weights: AnyArray, decisions: I64) -> AnyArray:
    """(sequences, lanes) probabilities at each of `StreetDecisions`' decisions from non-negative weights, equal if all
    are 0."""
    out = np.zeros_like(weights)
    for _, _, first, count in decisions.tolist():
        rows = weights[first : first + count]
        total = rows.sum(axis=0)
        np.divide(rows, total, out=out[first : first + count], where=total > 0)
        out[first : first + count, total <= 0] = 1.0 / count
    return out


def normalise_blocks(blocks: Sequence[AnyArray], decisions: I64) -> list[AnyArray]:
    """(sequences, lanes) of each block as `normalise_rows` has it; small ones lie side by side, as the loop over decisions
    takes longer than the numbers."""
    found, begin, ends = list[AnyArray](), 0, np.cumsum([block.shape[1] for block in blocks])
    while begin < len(blocks):
        lanes = int(ends[begin]) - blocks[begin].shape[1]
        end = max(begin + 1, int(np.searchsorted(ends, lanes + _JOINED, "right")))
        table = normalise_rows(np.concatenate(blocks[begin:end], axis=1), decisions)
        found += [np.ascontiguousarray(part) for part in np.split(table, ends[begin : end - 1] - lanes, axis=1)]
        begin = end
    return found


def entry_reach(game: HoldemGame, player: int, play: BlueprintStrategy) -> AnyArray:
    """(entries, classes) a player's reach at the deal of the flop."""
    side = game.sides[player]
    return reaches(side, play.preflop[player])[side.entry].astype(game.dtype)


def reaches(side: StreetDecisions, preflop: F64) -> F64:
    """(sequences, classes) products of a player's probabilities down to each sequence before the flop."""
    plan = np.ones_like(preflop)
    for _, before, first, count in side.preflop.tolist():
        plan[first : first + count] = plan[before] * preflop[first : first + count]
    return plan


@dataclass(frozen=True, eq=False)
class Deviation:
    """A strategy that is the reference, changed, in the same buckets. Restricted Nash responses to it count what they
    earn from the change alone (`ModelMixture.reference`): the reference stands in for an equilibrium, and its own
    errors are not the player's."""

    play: BucketedStrategy
    reference: BucketedStrategy

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        return self.play.on(player, board)
