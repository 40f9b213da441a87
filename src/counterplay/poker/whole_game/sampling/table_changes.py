"""What a share of the boards changes in the tables of a solve, as lines of numbers: most of them stay as they were."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.poker.showdown.simd_lanes import fetch
from counterplay.treeplex.simd import pointer

Array = NDArray[Any]
LINE = 16
"""Numbers of a line, which is what the cache of a processor moves."""
_AHEAD = 12
"""Lines that are brought into the cache before they are needed: those of a share lie here and there."""


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
    into = room or Changes(np.empty(len(looked), np.int32), np.empty(len(looked) * LINE, flat.dtype))
    count = move_lines(looked, flat.view(bits), old.view(bits), flat, old, into.places, into.values)
    found = Changes(into.places[:count], into.values[: count * LINE])
    return found if room is not None else Changes(found.places.copy(), found.values.copy())


def copy_lines(table: Array, places: Array, source: Array) -> None:
    """Copy some lines of a table of the same shape."""
    fetch_lines(places, source.reshape(-1), table.reshape(-1))


def add_changes(table: Array, changes: Changes) -> None:
    """Add them to a table of any shape."""
    add_lines(changes.places, changes.values, table.reshape(-1))


def changes_between(changes: Changes, first: int, end: int) -> Changes:
    """The changes of the lines from one on to before another."""
    begin, beyond = np.searchsorted(changes.places, np.array((first, end), changes.places.dtype))
    return Changes(changes.places[begin:beyond], changes.values[begin * LINE : beyond * LINE])


@kernel(nogil=True)
def move_lines(among: Any, bits: Any, old_bits: Any, table: Any, before: Any, places: Any, values: Any) -> int:
    """How many lines differ; of each its number, and what was added to it. One pass, since a line is in the cache then.

    Args:
        among: the lines that are compared, ascending.
        bits, old_bits: the bits of the numbers of `table` and `before`.
        table: flat.
        before: the same as it was; empty for 0 all over, to which lines that differ are set.
        places, values: set, as far as it goes; values are 0 beyond the end of the table.
    """
    count, whole, new = 0, len(table) // LINE, len(before) == 0
    for k in range(len(among)):
        line = among[k]
        if k + _AHEAD < len(among):
            fetch(pointer(table), among[k + _AHEAD] * LINE)
            if not new:
                fetch(pointer(before), among[k + _AHEAD] * LINE)
        begin, into, differ = line * LINE, count * LINE, bits[0] ^ bits[0]
        if line >= whole:
            for i in range(begin, len(table)):
                differ |= bits[i] if new else bits[i] ^ old_bits[i]
        elif new:  # the loops of whole lines have a fixed length, so that they become vectors
            for i in range(LINE):
                differ |= bits[begin + i]
        else:
            for i in range(LINE):
                differ |= bits[begin + i] ^ old_bits[begin + i]
        if not differ:
            continue
        if line >= whole:
            values[into : into + LINE] = 0
            for i in range(begin, len(table)):
                values[into + i - begin] = table[i] if new else table[i] - before[i]
                table[i] = 0 if new else table[i]
        elif new:
            for i in range(LINE):
                values[into + i] = table[begin + i]
                table[begin + i] = 0
        else:
            for i in range(LINE):
                values[into + i] = table[begin + i] - before[begin + i]
        places[count] = line
        count += 1
    return count


@kernel(nogil=True)
def fetch_lines(places: Any, source: Any, table: Any) -> None:
    """Copy some lines."""
    whole = len(table) // LINE
    for k in range(len(places)):
        begin = places[k] * LINE
        if k + _AHEAD < len(places):
            fetch(pointer(source), places[k + _AHEAD] * LINE)
            fetch(pointer(table), places[k + _AHEAD] * LINE)
        if places[k] < whole:
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
        if k + _AHEAD < len(places):
            fetch(pointer(table), places[k + _AHEAD] * LINE)
        if places[k] < whole:
            for i in range(LINE):
                table[begin + i] += values[source + i]
        else:
            for i in range(len(table) - begin):
                table[begin + i] += values[source + i]
