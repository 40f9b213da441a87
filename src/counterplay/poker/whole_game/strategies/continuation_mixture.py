"""A strategy that continues as one of several others: each class of hand draws one when the flop is dealt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from counterplay.arrays import F64, U32, AnyArray
from counterplay.jit import kernel
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache, normalise_rows, own_tables, reaches


class ContinuationMixture:
    """The behaviour of a player after a street, each of whose hands draws one of several strategies at its end. shares:
    (entries of the next street, ways, places) the probability of each."""

    def __init__(
        self, game: HoldemGame, player: int, ways: Sequence[BlueprintStrategy], street: int, shares: F64
    ) -> None:
        self._game, self._player, self._ways, self._street = game, player, ways, street
        self._shares = [np.ascontiguousarray(shares[:, way], np.float64) for way in range(len(ways))]
        self._latest = LastBoardCache()

    def table(self, board: Board) -> AnyArray:
        """(sequences, lanes of a later board) probabilities, in the game's number type."""
        decisions, first = self._decisions(board), np.unique(board.lane, return_index=True)[1]
        table = np.zeros((self._size(board), len(first)), self._game.dtype)
        plans = self._latest.get(self._player, board, self._plans)
        normalise_lanes(decisions, sum(plans[1:], plans[0]), first, table)
        return table

    def _plans(self, player: int, board: Board) -> list[F64]:
        """Of each strategy, (sequences, places) how likely it is drawn and comes to each of the player's sequences."""
        before, plans = board.before, list[F64]()
        assert before is not None
        for way, entry in zip(self._ways, self._shares, strict=True):
            if before.street > self._street:
                above = self._latest.get(player, before, self._plans)[len(plans)]
                entry = above[self._game.sides[player].entries[board.street]]
            table, lane = way.on(player, board)
            plans.append(np.zeros((self._size(board), len(lane))))
            follow_way(self._decisions(board), table, lane, board.up, entry, plans[-1])
        return plans

    def _decisions(self, board: Board) -> Any:
        return self._game.sides[self._player].decisions[board.street]

    def _size(self, board: Board) -> int:
        return self._game.sides[self._player].sizes[board.street]


@kernel(nogil=True, loops=True)
def follow_way(decisions: Any, table: Any, lane: Any, up: Any, entry: Any, plan: Any) -> None:
    """Fill the plan (sequences, n), which is 0, with the reach of the hands at the places of a board. lane, up: (n,)
    lane of each place, and its place on the board before. entry: (entries, places before) their reach of the board."""
    n = len(lane)
    for e in range(len(entry)):
        for i in range(n):
            plan[e, i] = entry[e, up[i]]
    for k in range(len(decisions)):
        # Rows first to first + count are the actions of a decision; row `before` leads to it.
        above, first = plan[decisions[k, 1]], decisions[k, 2]
        for s in range(first, first + decisions[k, 3]):
            row, out = table[s], plan[s]
            for i in range(n):
                out[i] = above[i] * np.float64(row[lane[i]])


@kernel(nogil=True, loops=True)
def normalise_lanes(decisions: Any, plan: Any, place: Any, table: Any) -> None:
    """Fill (sequences, lanes) the probabilities of a plan (sequences, n); equal ones where it does not come. place:
    (lanes,) a place of each lane."""
    for k in range(len(decisions)):
        first, count = decisions[k, 2], decisions[k, 3]
        for lane in range(len(place)):
            i, total = place[lane], 0.0
            for s in range(first, first + count):
                total += plan[s, i]
            for s in range(first, first + count):
                table[s, lane] = plan[s, i] / total if total > 0.0 else 1.0 / count


@dataclass(frozen=True, eq=False)
class StrategyMixture:
    """The behaviour strategy of a player who draws one of several `ways` where the flop is dealt. preflop: of each
    player, (sequences, classes) probabilities. shares: of each player, (entries, ways, classes) the probability of
    each."""

    game: HoldemGame
    preflop: tuple[F64, F64]
    ways: tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]]
    shares: tuple[F64, F64]
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self._latest.get(player, board, lambda who, here: self._drawn[who].table(here)), board.lane

    def own_tables(self, player: int) -> Iterator[AnyArray]:
        return chain.from_iterable(own_tables(way, player) for way in self.ways[player])

    @cached_property
    def _drawn(self) -> list[ContinuationMixture]:
        return [ContinuationMixture(self.game, who, self.ways[who], 0, self.shares[who]) for who in (0, 1)]


def blend(game: HoldemGame, player: int, one: BlueprintStrategy, two: BlueprintStrategy, p: float) -> StrategyMixture:
    """A strategy of one player that is `one` with probability p, drawn before the hand, and else `two`; the other player's
    half is that of `two`."""
    side, weights = game.sides[player], (p, 1.0 - p)
    plans = [weight * reaches(side, play.preflop[player]) for weight, play in zip(weights, (one, two), strict=True)]
    entry = np.stack([plan[side.entry] for plan in plans], axis=1)
    total = entry.sum(axis=1, keepdims=True)
    shares = np.divide(entry, total, out=np.full(entry.shape, 0.5), where=total > 0.0)
    early = normalise_rows(plans[0] + plans[1], side.preflop)
    alone = np.ones((len(side.entry), 1, game.boards.classes))
    if player == 0:
        return StrategyMixture(game, (early, two.preflop[1]), ((one, two), (two,)), (shares, alone))
    return StrategyMixture(game, (two.preflop[0], early), ((two,), (one, two)), (alone, shares))
