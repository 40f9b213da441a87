"""A share of the boards of a round, swept from the regrets with which all shares begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from counterplay.arrays import AnyArray
from counterplay.poker.whole_game.sampling.round_tables import FollowedTables
from counterplay.poker.whole_game.sampling.share_room import ShareRoom
from counterplay.poker.whole_game.sampling.table_changes import LINE, Changes, take_changes

ShareChanges = Mapping[str, Changes] | Mapping[str, int]
"""Of the tables by name: the changes, or how many lines of them are noted in a `ShareRoom`."""


class BoardSampling(Protocol):
    """A solver by sampling, whose boards can be split."""

    def state(self) -> dict[str, AnyArray]:
        """Everything that iterations change, by name, of any shape: the arrays themselves."""

    def use(self, tables: Mapping[str, AnyArray]) -> None:
        """Change these from now on, by name, each of its shape in `state`."""

    def sweep(self, boards: Sequence[int]) -> None:
        """The iterations on the boards of these numbers, ascending."""

    def met_lines(self, line: int) -> dict[str, AnyArray]:
        """By name, (lines,) int32, ascending: the lines of so many numbers that may have changed since this was asked for
        last; all lines of tables that are not among them may have."""


class ShareSweep:
    """Sweeps of shares, one after the other.

    Args:
        solver: of this process; between two shares its own averages are 0.
    """

    def __init__(self, solver: BoardSampling) -> None:
        self._solver, self._own, self._is_clean = solver, solver.state(), True
        self._followed = FollowedTables(self._own)

    def sweep(self, regrets: Mapping[str, AnyArray], boards: Sequence[int]) -> dict[str, Changes]:
        """What boards change: regrets from some on, and averages from 0 on, by name.

        Args:
            regrets: all of the solver's tables (rows, lanes), by name.
            boards: their numbers, ascending.
        """
        self._solver.use(self._own)
        self._followed.follow(regrets)
        if not self._is_clean:  # a share before was interrupted
            _reset({name: table for name, table in self._own.items() if name not in regrets}, {})
        self._is_clean = False
        met = self._sweep_boards(boards)
        found = {name: take_changes(table, regrets.get(name), met.get(name)) for name, table in self._own.items()}
        self._is_clean = True
        self._followed.have_changed({name: change.places.copy() for name, change in found.items() if name in regrets})
        return found

    def sweep_in(self, room: ShareRoom, regrets: Mapping[str, AnyArray], boards: Sequence[int]) -> dict[str, int]:
        """The same in a room, where the changes stay: how many lines are noted there, by name. regrets: (rows, lanes)."""
        tables = room.tables()
        if room.is_stale:
            _reset(tables, regrets)
        room.begin()
        self._solver.use(tables)
        met = self._sweep_boards(boards)
        return {name: room.note(name, met.get(name)) for name in tables}

    def _sweep_boards(self, boards: Sequence[int]) -> dict[str, AnyArray]:
        self._solver.met_lines(LINE)
        self._solver.sweep(boards)
        return self._solver.met_lines(LINE)


def _reset(tables: Mapping[str, AnyArray], regrets: Mapping[str, AnyArray]) -> None:
    """Make tables as these regrets, and all others 0."""
    for name, table in tables.items():
        table[...] = regrets.get(name, 0.0)
