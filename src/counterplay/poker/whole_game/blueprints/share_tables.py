"""Tables of all shares in memory that workers of this machine see: each is swept in its own, and they are merged there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.poker.whole_game.blueprints.table_changes import LINE, lines_of, merge_lines, share_lines
from counterplay.work.shared_tables import Reach, SharedTables, Travelling

_MET, _STALE = "lines of ", "stale"


class ShareTables(Travelling):
    """The tables of one share of all, with their shapes by name; memory is taken as far as it is written to.

    Only our own processes get it, which write to it no more once they are ended: a worker of a cluster that was taken
    for lost might still. Others keep None in its place."""

    def __init__(self, numbers: Mapping[str, AnyArray], share: int, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._numbers, self._share, self._shapes = numbers, share, shapes

    def tables(self) -> dict[str, AnyArray]:
        """By name, each of its own shape."""
        flat = {name: self._numbers[name][self._share] for name in self._shapes}
        return {name: flat[name][: prod(shape)].reshape(shape) for name, shape in self._shapes.items()}

    @property
    def is_stale(self) -> bool:
        """Return whether the tables are not those of the round's begin: no share was merged yet, or one was broken off."""
        return bool(self._numbers[_STALE][self._share])

    def begin(self) -> None:
        """From now on the tables are stale, until they are merged."""
        self._numbers[_STALE][self._share] = True

    def note(self, name: str, lines: AnyArray | None) -> int:
        """Note which (lines,) of a table may have changed, int32, ascending; None for all. How many they are."""
        room = self._numbers[_MET + name][self._share]
        noted = np.arange(len(room), dtype=np.int32) if lines is None else lines
        room[: len(noted)] = noted
        return len(noted)

    def noted(self, name: str, count: int) -> AnyArray:
        """(count,) int32, ascending: what was noted."""
        return np.asarray(self._numbers[_MET + name][self._share, :count])

    def __reduce__(self) -> tuple[Any, ...]:
        shared = isinstance(self._numbers, SharedTables) and self._numbers.is_shared
        return (ShareTables, (self._numbers, self._share, self._shapes)) if shared else self.reduce_for(Reach.NOTHING)

    def reduce_for(self, reach: Reach) -> tuple[Any, ...]:  # noqa: ARG002 - as of `Travelling`
        return type(None), ()


class SharedShareTables:
    """The tables of so many shares, like some by name; `each` has those of every share."""

    def __init__(self, like: Mapping[str, AnyArray], shares: int) -> None:
        shapes, rooms = {name: table.shape for name, table in like.items()}, dict[str, AnyArray]()
        for name, table in like.items():  # whole lines for each share; nothing is written here
            rooms[name] = np.broadcast_to(table.dtype.type(0), (shares, lines_of(table) * LINE))
            rooms[_MET + name] = np.broadcast_to(np.int32(0), (shares, lines_of(table)))
        self._numbers = SharedTables({**rooms, _STALE: np.ones(shares, bool)}, written=True)
        self.forget()
        self.each = tuple(ShareTables(self._numbers, share, shapes) for share in range(shares))

    def forget(self) -> None:
        """The numbers with which shares begin have changed elsewhere: all tables are stale."""
        self._numbers[_STALE][:] = True

    def merge(
        self, tables: Mapping[str, AnyArray], followed: Sequence[str], counts: Sequence[Mapping[str, int]], threads: int
    ) -> None:
        """Add to each table by name what its shares have changed, in the order of the shares. Their tables are then as
        this one, if they follow it, and else 0. followed: the names of tables with whose numbers shares begin; they
        begin others from 0. counts: of each share, and by name, how many lines are noted."""

        def merge(name: str, first: int, end: int) -> None:
            table, shares = tables[name].reshape(-1), self._numbers[name].reshape(-1)
            met = np.array([count[name] for count in counts], np.int64)
            room = np.zeros(end - first, bool), np.empty(end - first, np.int32), np.zeros((2, LINE), table.dtype)
            merge_lines(first, *room, self._numbers[_MET + name], met, table, shares, name in followed)

        share_lines(merge, tables, threads)
        self._numbers[_STALE][:] = False
