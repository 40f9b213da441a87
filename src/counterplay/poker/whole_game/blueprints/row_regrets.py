"""One street's regrets by rows of lanes, for public chance sampling over large tables: only the lanes of a board move.

A lane's numbers of all sequences stand side by side, so that what a board needs is some hundreds of runs of memory. They
are brought into a small table of the board's own lanes, which the kernels of a board take, and back after it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.regrets import Rates
from counterplay.poker.whole_game.strategy import normalise_rows
from counterplay.solvers.minimiser import Minimiser

Array = NDArray[Any]
_TOGETHER = 16
"""Lanes that are walked together: as many float32 as a line of the cache holds."""


class RowRegrets:
    """Regrets and sums of the average of both players on a street: arrays (lanes, sequences) of the game's dtype.

    It answers what `StreetRegrets` answers; `lanes_here` must be called on coming to a board.

    Attributes:
        street: index in STREETS.
        shared: False: tables move on every board.
        weight: what the regrets of the present iteration count (see `regret_weight`).
    """

    shared = False
    weight = 1.0

    def __init__(self, game: HoldemGame, street: int, sizes: Ints) -> None:
        """Allocate.

        Args:
            sizes: (1,) lanes of the street.

        Raises:
            InputError: boards have lanes of their own.
        """
        if len(sizes) != 1:
            raise InputError("rows of lanes are for boards that share them")
        self.game, self.street = game, street
        self.decisions = [side.decisions[street] for side in game.sides]
        shapes = [(int(sizes[0]), side.sizes[street]) for side in game.sides]
        self.regrets, self.sums = ([np.zeros(shape, game.dtype) for shape in shapes] for _ in range(2))
        most = min(int(sizes[0]), game.places(street))
        self._tables, self._worth, self._own = (
            [np.zeros(shape[1] * most, game.dtype) for shape in shapes] for _ in range(3)
        )
        self._here = np.zeros(0, np.int64)

    def lanes_here(self, lane: Array) -> Array:
        """Come to a board: (n,) the numbers of the hands' lanes among those that the board has."""
        self._here, local = np.unique(lane, return_inverse=True)
        return local.astype(np.uint32)

    def table(self, player: int, block: int, thread: int = 0) -> Array:  # noqa: ARG002 - one block, one thread
        """(sequences, lanes of the board) the present strategy."""
        out = self._cut(self._tables[player], player)
        match_rows(self.decisions[player], self.regrets[player], self._here, out)
        return out

    def nothing(self, player: int, block: int = 0) -> tuple[Array, Array]:  # noqa: ARG002
        """Room for the values of a player's sequences by lanes, and for the own reach there."""
        worth, own = self._cut(self._worth[player], player), self._cut(self._own[player], player)
        worth[:] = 0
        own[: len(self.game.roots[self.street])] = 0
        return worth, own

    def move(
        self, player: int, block: int, worth: Array, own: Array, table: Array, rate: Rates, thread: int = 0  # noqa: ARG002
    ) -> None:  # fmt: skip
        """New regrets of the board's lanes."""
        tables = table, worth, own, self.regrets[player], self.sums[player]
        advance_rows(self.decisions[player], self._here, tables, self.weight, rate.weight, rate.floor)

    def average(self, player: int) -> list[Array]:
        """The average strategy."""
        return [normalise_rows(self.sums[player].T.astype(np.float64), self.decisions[player]).astype(self.game.dtype)]

    def _cut(self, room: Array, player: int) -> Array:
        size = self.game.sides[player].sizes[self.street], len(self._here)
        return room[: size[0] * size[1]].reshape(size)


def regret_weight(method: Minimiser, iteration: int) -> float:
    """What the regrets of an iteration count in rows that are not looked at in most iterations: as much as in all others,
    or, for equal discounts t / (t + 1), t times as much.

    Raises:
        InputError: discounts of another kind.
    """
    if method.alpha == method.beta and method.alpha in (1.0, float("inf")):
        return float(iteration) if method.alpha == 1.0 else 1.0
    raise InputError(f"rows of lanes are moved by cfr, cfr+ or linear CFR (dcfr:1,1,1), not by {method.name}")


@kernel(nogil=True)
def match_rows(decisions: Any, regrets: Any, rows: Any, table: Any) -> None:
    """Set `table` (sequences, k) to regret matching of the `rows` (k,) of `regrets` (lanes, sequences)."""
    for begin in range(0, len(rows), _TOGETHER):
        end = min(begin + _TOGETHER, len(rows))
        for d in range(len(decisions)):
            first, count = decisions[d, 2], decisions[d, 3]
            for j in range(begin, end):
                row, total = regrets[rows[j]], np.float32(0)
                for s in range(first, first + count):
                    total += max(row[s], np.float32(0))
                scale = 1 / total if total > 0 else np.float32(0)
                for s in range(first, first + count):
                    table[s, j] = max(row[s], np.float32(0)) * scale if total > 0 else 1 / count


@kernel(nogil=True)
def advance_rows(decisions: Any, rows: Any, tables: Any, gain: float, weight: float, floor: bool) -> None:
    """One iteration of a player on the rows of a board.

    Args:
        tables: strategy, values and own reach of the board's lanes, (sequences, k); the reach is given before the first
            decisions; regrets and sums, (lanes, sequences), changed.
        gain: what the iteration's regrets count.
        weight: what its strategy counts in the average.
        floor: regrets below 0 become 0.
    """
    table, worth, own, regrets, sums = tables
    for begin in range(0, len(rows), _TOGETHER):
        end = min(begin + _TOGETHER, len(rows))
        for d in range(len(decisions)):
            before, first, count = decisions[d, 1], decisions[d, 2], decisions[d, 3]
            for j in range(begin, end):
                regret, total = regrets[rows[j]], sums[rows[j]]
                mean, above = np.float32(0), own[before, j]
                for s in range(first, first + count):
                    mean += table[s, j] * worth[s, j]
                for s in range(first, first + count):
                    new = regret[s] + gain * (worth[s, j] - mean)
                    regret[s] = 0 if floor and new < 0 else new
                    reach = above * table[s, j]
                    own[s, j] = reach
                    total[s] += weight * reach
