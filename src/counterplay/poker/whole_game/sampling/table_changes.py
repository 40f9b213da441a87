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


def take_changes(table: Array, before: Array | None = None) -> Changes:
    """What has been added to a table.

    Args:
        table: of any shape.
        before: as it was; by default 0 all over, which it becomes again.
    """
    flat = table.reshape(-1)
    old = np.empty(0, flat.dtype) if before is None else before.reshape(-1)
    bits = np.dtype(f"u{flat.itemsize}")
    places = np.empty(-(-flat.size // LINE), np.int32)
    places = places[: mark_lines(flat.view(bits), old.view(bits), places)].copy()
    values = np.zeros(len(places) * LINE, flat.dtype)
    if before is None:
        take_lines(places, flat, values)
    else:
        subtract_lines(places, flat, old, values)
    return Changes(places, values)


def add_changes(table: Array, changes: Changes) -> None:
    """Add them to a table of any shape."""
    add_lines(changes.places, changes.values, table.reshape(-1))


@kernel(nogil=True)
def mark_lines(table: Any, before: Any, places: Any) -> int:
    """How many lines differ, and their numbers.

    Args:
        table: flat, the bits of its numbers.
        before: the same as it was; empty for 0 all over.
        places: set, as far as it goes.
    """
    count, whole = 0, len(table) // LINE
    for line in range(len(places)):
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
    """Set values, which are 0, to the changes of some lines."""
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
    """Move some lines to values, which are 0."""
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
