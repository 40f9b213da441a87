"""Where a worker of this machine writes what its share has changed, so that whoever adds it up reads it there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterplay.poker.whole_game.sampling.table_changes import LINE, Array, Changes, room_for
from counterplay.work.shared_tables import Reach, SharedTables, Travelling


class ShareRoom(Travelling):
    """Room for the changes of all tables, which is used again in each round; memory is taken as far as it is written to.

    Only our own processes get it, which write to it no more once they are ended: a worker of a cluster that was taken for
    lost might still. Others keep None in its place.

    Args:
        like: the tables by name.
    """

    def __init__(self, like: Mapping[str, Array]) -> None:
        rooms = {name: room_for(table)._asdict() for name, table in like.items()}
        self._set(SharedTables({f"{part} {name}": room for name, parts in rooms.items() for part, room in parts.items()},
                               written=True))  # fmt: skip

    def _set(self, numbers: Mapping[str, Array]) -> None:
        self._numbers = numbers

    def of(self, name: str, lines: int | None = None) -> Changes:
        """The room of a table, or the changes in it of so many lines."""
        places, values = (self._numbers[f"{part} {name}"] for part in Changes._fields)
        return Changes(places, values) if lines is None else Changes(places[:lines], values[: lines * LINE])

    def __reduce__(self) -> tuple[Any, ...]:
        shared = isinstance(self._numbers, SharedTables) and self._numbers.is_shared
        return (_seen, (self._numbers,)) if shared else self.reduce_for(Reach.NOTHING)

    def reduce_for(self, reach: Reach) -> tuple[Any, ...]:  # noqa: ARG002
        """See `Travelling`."""
        return type(None), ()


def _seen(numbers: Mapping[str, Array]) -> ShareRoom:
    room = ShareRoom.__new__(ShareRoom)
    room._set(numbers)
    return room
