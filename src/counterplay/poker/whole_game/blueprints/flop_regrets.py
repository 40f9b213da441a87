"""The flop in counterfactual regret minimisation: tables of regrets of both players, moved by vectors of hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.gametree.build.size_estimate import check_memory
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.board_kernels import (
    add_lanes,
    add_ranges,
    add_up_entries,
    values_against,
    values_against_mix,
)
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.regrets import Rates, advance, match
from counterplay.poker.whole_game.strategy import Buckets, ModelMixture, entry_reach, normalise_rows

Array = NDArray[Any]


class FlopRegrets:
    """Regrets and sums of the average of both players: of each block an array (sequences, lanes)."""

    def __init__(self, game: HoldemGame, buckets: Buckets, threads: int, trust: ModelMixture | None = None) -> None:
        self.game, self.buckets, self.threads, self.trust = game, buckets, threads, trust
        if trust is not None:
            self._model_entry = entry_reach(game, trust.player, trust.model)
        kind, lanes = dtype_of(game, buckets), buckets.sizes.tolist()
        sizes = [side.sizes[1] for side in game.sides]
        self.regrets = [[np.zeros((size, n), kind) for n in lanes] for size in sizes]
        self.sums = [[np.zeros((size, n), kind) for n in lanes] for size in sizes]
        self._tables: list[Array | None] = [None, None]
        self._rooms = [game.room() for _ in range(threads)]
        self._spare = [np.zeros_like(room[0]) for room in self._rooms]
        self._rows = [np.zeros(max(lanes), kind) for _ in range(threads)]

    def move(self, player: int, flops: Ints, weights: Floats, entries: list[Array], rate: Rates) -> Floats:
        """One player's new regrets; (entries, classes) what the flops are worth by the strategy before.

        Args:
            flops, weights: which flops are seen, and how often each counts.
            entries: of each player, (entries, classes) the reach.
        """
        work = self._alone if len(self.buckets.sizes) > 1 else self._together
        return work(player, flops, weights, entries, rate)

    def average(self) -> tuple[list[Array], list[Array]]:
        """The average strategy, by block."""
        one, two = (
            [normalise_rows(block, side.flop).astype(self.game.dtype, copy=False) for block in sums]
            for side, sums in zip(self.game.sides, self.sums, strict=True)
        )
        return one, two

    def _alone(self, player: int, flops: Ints, weights: Floats, entries: list[Array], rate: Rates) -> Floats:
        """Every flop has lanes of its own, which move at once."""
        side = self.game.sides[player]

        def part(k: int) -> Floats:
            below = np.zeros((len(entries[0]), self.game.flops.classes))
            for f, weight in zip(flops[k :: self.threads].tolist(), weights[k :: self.threads].tolist(), strict=True):
                block = int(self.buckets.block[f])
                tables = [self._matched(p, block, self._rows[k]) for p in (0, 1)]
                worth, own = (np.zeros_like(tables[player]) for _ in range(2))
                self._flop(player, f, weight, entries, tables, (worth, own, below), k)
                regrets, sums = self.regrets[player][block], self.sums[player][block]
                advance(side.flop, worth, own, tables[player], regrets, sums, rate, self._rows[k])
            return below

        if len(flops) > len(np.unique(flops)):  # a flop drawn twice must not move in two threads
            flops, index = np.unique(flops, return_inverse=True)
            weights = np.bincount(index, weights).astype(float)
        return _total(self._run(part))

    def _together(self, player: int, flops: Ints, weights: Floats, entries: list[Array], rate: Rates) -> Floats:
        """All flops share their lanes, which move after the last of them."""
        side, tables = self.game.sides[player], [self._kept(0), self._kept(1)]

        def part(k: int) -> tuple[Array, Array, Floats]:
            worth, own = (np.zeros_like(self.regrets[player][0]) for _ in range(2))
            into = worth, own, np.zeros((len(entries[0]), self.game.flops.classes))
            for f, weight in zip(flops[k :: self.threads].tolist(), weights[k :: self.threads].tolist(), strict=True):
                self._flop(player, f, weight, entries, tables, into, k)
            return into

        worth, own, below = (_total(parts) for parts in zip(*self._run(part), strict=True))
        regrets, sums = self.regrets[player][0], self.sums[player][0]
        advance(side.flop, worth, own, tables[player], regrets, sums, rate, self._rows[0])
        self._tables[player] = None
        return below

    def _flop(
        self,
        player: int,
        f: int,
        weight: float,
        entries: list[Array],
        tables: list[Array],
        into: tuple[Array, ...],
        k: int,
    ) -> None:
        """Add what one flop is worth by lanes, the own reach of its lanes, and its worth by class, to `into`."""
        game, lane, group, room = self.game, self.buckets.lane[f], self.game.flops.at[f], self._rooms[k]
        worth, own, below = into
        self._evaluate(player, f, entries[1 - player], tables[1 - player], k)
        add_lanes(game.sides[player].flop, weight, tables[player], lane, game.run, room, worth)
        add_up_entries(weight, group, game.run, room, below)
        add_ranges(entries[player], weight, group, lane, own)

    def _evaluate(self, player: int, f: int, entry: Array, table: Array, k: int) -> None:
        """What the player's sequences are worth right after them, against the opponent's strategy and the model."""
        game, lane, group, room = self.game, self.buckets.lane[f], self.game.flops.at[f], self._rooms[k]
        before = game.flops.layouts[f], game.terminals[player], game.sides[1 - player].flop
        if self.trust is None or self.trust.player == player:
            values_against(*before, entry, group, table, lane, game.run, room)
        else:
            model = (self._model_entry, *self.trust.model.on(1 - player, f))
            free = entry, table, lane
            values_against_mix(*before, free, model, self.trust.p, group, game.run, room, self._spare[k])

    def _run(self, part: Callable[[int], Any]) -> list[Any]:
        """Parts of the work, each in a thread."""
        if self.threads == 1:
            return [part(0)]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(part, range(self.threads)))

    def _matched(self, player: int, block: int, row: Array) -> Array:
        """The present strategy of a block."""
        regrets = self.regrets[player][block]
        table = np.empty(regrets.shape, self.game.dtype)
        match(self.game.sides[player].flop, regrets, table, row)
        return table

    def _kept(self, player: int) -> Array:
        """The present strategy of the shared block, which lasts until it moves."""
        table = self._tables[player]
        if table is None:
            table = self._tables[player] = self._matched(player, 0, self._rows[0])
        return table


def _total(parts: Sequence[Array]) -> Array:
    """The sum of what the threads found."""
    for other in parts[1:]:
        parts[0][:] += other
    return parts[0]


def check_room(
    game: HoldemGame, buckets: Buckets, limit: float | None = None, advice: str = "ask for fewer buckets"
) -> None:
    """Refuse what does not fit.

    Args:
        limit: bytes that may be taken; by default half of the machine's.
        advice: what to ask for instead.

    Raises:
        InputError: with the estimate.
    """
    needed = memory_of(game, buckets)
    check_memory(f"solving with {buckets} takes {needed / 2**30:.3g} GiB", needed, limit, advice)


def memory_of(game: HoldemGame, buckets: Buckets) -> float:
    """Bytes of regrets and sums, and of the average strategy made of them."""
    numbers = float(buckets.sizes.sum()) * sum(side.sizes[1] for side in game.sides)
    return numbers * (2 * dtype_of(game, buckets).itemsize + game.dtype.itemsize)


def dtype_of(game: HoldemGame, buckets: Buckets) -> np.dtype[Any]:
    """That of regrets: where many hands and flops add up, float64."""
    return game.dtype if len(buckets.sizes) > 1 else np.dtype(np.float64)
