"""What a share of the boards changes in the tables of a solve, as lines of numbers: most of them stay as they were."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel

Array = NDArray[Any]
LINE = 16
"""Numbers of a line, which is what the cache of a processor moves."""


class Changes(NamedTuple):
    """The changes of a table.

    Attributes:
        places: (lines,) numbers of the lines that have changed, ascending.
        values: (lines * LINE,) what is to be added to them; 0 beyond the end of the table.
    """

    places: Array
    values: Array


def room_for(table: Array) -> Changes:
    """Room for the changes of all lines of a table of any shape, of which nothing is written before it is needed."""
    lines = lines_of(table)
    return Changes(np.empty(lines, np.int32), np.empty(lines * LINE, table.dtype))


def lines_of(table: Array) -> int:
    """The number of lines of a table of any shape."""
    return -(-table.size // LINE)


def take_changes(
    table: Array, before: Array | None = None, among: Array | None = None, room: Changes | None = None
) -> Changes:
    """What has been added to a table.

    Args:
        table: of any shape.
        before: as it was; by default 0 all over, which it becomes again.
        among: (lines,) int32, ascending: those that may have changed; by default all.
        room: where the changes are written to; by default they get their own.
    """
    flat = table.reshape(-1)
    old = np.empty(0, flat.dtype) if before is None else before.reshape(-1)
    bits = np.dtype(f"u{flat.itemsize}")
    looked = np.arange(lines_of(table), dtype=np.int32) if among is None else among
    places = np.empty(len(looked), np.int32) if room is None else room.places
    count = mark_lines(flat.view(bits), old.view(bits), looked, places)
    values = np.zeros(count * LINE, flat.dtype) if room is None else room.values[: count * LINE]
    values[(count - 1) * LINE :] = 0.0  # the last line may go beyond the table
    if before is None:
        take_lines(places[:count], flat, values)
    else:
        subtract_lines(places[:count], flat, old, values)
    return Changes(places[:count].copy() if room is None else places[:count], values)


def copy_lines(table: Array, places: Array, source: Array) -> None:
    """Copy some lines of a table of the same shape."""
    fetch_lines(places, source.reshape(-1), table.reshape(-1))


def add_changes(table: Array, changes: Changes) -> None:
    """Add them to a table of any shape."""
    add_lines(changes.places, changes.values, table.reshape(-1))


@kernel(nogil=True)
def mark_lines(table: Any, before: Any, among: Any, places: Any) -> int:
    """How many lines differ, and their numbers.

    Args:
        table: flat, the bits of its numbers.
        before: the same as it was; empty for 0 all over.
        among: the lines that are compared.
        places: set, as far as it goes.
    """
    count, whole = 0, len(table) // LINE
    for line in among:
        begin, bits = line * LINE, table[0] ^ table[0]
        if line < whole and len(before):  # the loops of whole lines have a fixed length, so that they become vectors
            for i in range(LINE):
                bits |= table[begin + i] ^ before[begin + i]
        elif line < whole:
            for i in range(LINE):
                bits |= table[begin + i]
        else:
            for i in range(begin, len(table)):
                bits |= table[i] ^ before[i] if len(before) else table[i]
        if bits:
            places[count] = line
            count += 1
    return count


@kernel(nogil=True)
def subtract_lines(places: Any, table: Any, before: Any, values: Any) -> None:
    """Set values, of which the last line is 0, to the changes of some lines."""
    whole = len(table) // LINE
    for k in range(len(places)):
        begin, into = places[k] * LINE, k * LINE
        if places[k] < whole:
            for i in range(LINE):
                values[into + i] = table[begin + i] - before[begin + i]
        else:
            for i in range(len(table) - begin):
                values[into + i] = table[begin + i] - before[begin + i]


@kernel(nogil=True)
def take_lines(places: Any, table: Any, values: Any) -> None:
    """Move some lines to values, of which the last one is 0."""
    whole = len(table) // LINE
    for k in range(len(places)):
        begin, into = places[k] * LINE, k * LINE
        if places[k] < whole:
            for i in range(LINE):
                values[into + i] = table[begin + i]
                table[begin + i] = 0
        else:
            for i in range(len(table) - begin):
                values[into + i] = table[begin + i]
                table[begin + i] = 0


@kernel(nogil=True)
def fetch_lines(places: Any, source: Any, table: Any) -> None:
    """Copy some lines."""
    whole = len(table) // LINE
    for line in places:
        begin = line * LINE
        if line < whole:
            for i in range(LINE):
                table[begin + i] = source[begin + i]
        else:
            for i in range(begin, len(table)):
                table[i] = source[i]


@kernel(nogil=True)
def add_lines(places: Any, values: Any, table: Any) -> None:
    """Add values to some lines."""
    whole = len(table) // LINE
    for k in range(len(places)):
        begin, source = places[k] * LINE, k * LINE
        if places[k] < whole:
            for i in range(LINE):
                table[begin + i] += values[source + i]
        else:
            for i in range(len(table) - begin):
                table[begin + i] += values[source + i]
