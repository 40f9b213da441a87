"""One street's regrets by rows of lanes, for public chance sampling over large tables: only a board's lanes are touched.

The numbers of all sequences of a lane are contiguous, so that a board reads some hundreds of runs of memory. They are
gathered into a small table of the board's lanes, which the kernels take, and scattered back afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.regrets import Rates, advance, match
from counterplay.poker.whole_game.strategy import normalise_rows
from counterplay.solvers.minimiser import Minimiser

Array = NDArray[Any]
_TOGETHER = 16
"""Lanes that are walked together: as many float32 as a line of the cache holds."""


class RowRegrets:
    """Regrets and sums of the average of both players on a street: arrays (lanes, sequences) of the game's dtype.

    It has the interface of `StreetRegrets`; `lanes_here` must be called first on each board.

    Attributes:
        street: index in STREETS.
        shared: False, since tables change on every board.
        weight: weight of the present iteration's regrets (see `regret_weight`).
    """

    shared = False
    weight = 1.0

    def __init__(self, game: HoldemGame, street: int, sizes: Ints) -> None:
        """Allocate the arrays.

        Args:
            sizes: (1,) lanes of the street.

        Raises:
            InputError: boards do not share lanes.
        """
        if len(sizes) != 1:
            raise InputError("regrets by rows need boards that share lanes")
        self.game, self.street = game, street
        self.decisions = [side.decisions[street] for side in game.sides]
        shapes = [(int(sizes[0]), side.sizes[street]) for side in game.sides]
        self.regrets, self.sums = ([np.zeros(shape, game.dtype) for shape in shapes] for _ in range(2))
        most = min(int(sizes[0]), game.places(street))
        self._rooms = [[np.zeros(shape[1] * most, game.dtype) for shape in shapes] for _ in range(5)]
        self._row, self._here, self._brought = np.zeros(most, game.dtype), np.zeros(0, np.int64), [False, False]

    def lanes_here(self, lane: Array) -> Array:
        """Move to a board: (n,) the indices of the hands' lanes among the board's lanes."""
        here, local = np.unique(lane, return_inverse=True)
        if not np.array_equal(here, self._here):  # both players move on a board: what was brought for one stays
            self._here, self._brought = here, [False, False]
        return local.astype(np.uint32)

    def table(self, player: int, block: int, thread: int = 0) -> Array:  # noqa: ARG002 - one block, one thread
        """(sequences, lanes of the board) the present strategy."""
        regrets, out = self._room(0, player), self._room(1, player)
        if not self._brought[player]:
            gather_rows(self.regrets[player], self._here, regrets)
            self._brought[player] = True
        match(self.decisions[player], regrets, out, self._row)
        return out

    def nothing(self, player: int, block: int = 0) -> tuple[Array, Array]:  # noqa: ARG002
        """Two (sequences, lanes of the board): scratch for values of a player's sequences, and for the player's reach."""
        worth, own = self._room(2, player), self._room(3, player)
        worth[:] = 0
        own[: len(self.game.roots[self.street])] = 0
        return worth, own

    def move(
        self, player: int, block: int, worth: Array, own: Array, table: Array, rate: Rates, thread: int = 0  # noqa: ARG002
    ) -> None:  # fmt: skip
        """Update the regrets of the board's lanes.

        Args:
            player: whose.
            block: unused: all boards share lanes.
            worth, own, table: (sequences, lanes of the board) values, own reach, and the gathered strategy.
            rate: weights of the update.
            thread: unused.
        """
        regrets, sums, still = self._room(0, player), self._room(4, player), Rates(1.0, 1.0, rate.weight, rate.floor)
        gather_rows(self.sums[player], self._here, sums)
        advance(self.decisions[player], worth, own, table, regrets, sums, still, self._row)
        scatter_rows(self.regrets[player], self._here, regrets)
        scatter_rows(self.sums[player], self._here, sums)

    def average(self, player: int) -> list[Array]:
        """(sequences, lanes) the average strategy, in one block."""
        return [normalise_rows(self.sums[player].T.astype(np.float64), self.decisions[player]).astype(self.game.dtype)]

    def _room(self, which: int, player: int) -> Array:
        """(sequences, lanes of the board) regrets, strategy, values, own reach or sums."""
        size = self.game.sides[player].sizes[self.street], len(self._here)
        return self._rooms[which][player][: size[0] * size[1]].reshape(size)


def regret_weight(method: Minimiser, iteration: int) -> float:
    """The weight of an iteration's regrets in rows that most iterations do not touch: 1, or t for equal discounts t / (t +
    1).

    Raises:
        InputError: any other discounting.
    """
    if method.alpha == method.beta and method.alpha in (1.0, float("inf")):
        return float(iteration) if method.alpha == 1.0 else 1.0
    raise InputError(f"regrets by rows are updated by cfr, cfr+ or linear CFR (dcfr:1,1,1), not by {method.name}")


@kernel(nogil=True)
def gather_rows(source: Any, rows: Any, out: Any) -> None:
    """Set `out` (sequences, k) to the `rows` (k,) of `source` (lanes, sequences)."""
    for begin in range(0, len(rows), _TOGETHER):
        end = min(begin + _TOGETHER, len(rows))
        for s in range(len(out)):
            for j in range(begin, end):
                out[s, j] = source[rows[j], s]


@kernel(nogil=True)
def scatter_rows(target: Any, rows: Any, values: Any) -> None:
    """Set the `rows` (k,) of `target` (lanes, sequences) to `values` (sequences, k)."""
    for begin in range(0, len(rows), _TOGETHER):
        end = min(begin + _TOGETHER, len(rows))
        for s in range(len(values)):
            for j in range(begin, end):
                target[rows[j], s] = values[s, j]
