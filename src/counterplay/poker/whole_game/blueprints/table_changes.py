"""What a share of the boards changes in the tables of a solve, as lines of numbers: most of them stay as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.jit.threads import OURS
from counterplay.treeplex.simd import fetch, pointer

LINE = 16
"""Numbers of a line, which is what the cache of a processor moves."""
_AHEAD = 12
"""Lines that are brought into the cache before they are needed: those of a share lie here and there."""


class Changes(NamedTuple):
    """(lines,) numbers of the lines of a table that have changed, ascending, and (lines * LINE,) what is to be added to
    them; 0 beyond the end of the table."""

    places: AnyArray
    values: AnyArray


def lines_of(table: AnyArray) -> int:
    """The number of lines of a table of any shape."""
    return -(-table.size // LINE)


def take_changes(table: AnyArray, before: AnyArray | None = None, among: AnyArray | None = None) -> Changes:
    """Changes of a table of any shape since `before`; by default since 0 all over, which it becomes again. among:
    (lines,) int32, ascending: those that may have changed; by default all."""
    flat = table.reshape(-1)
    old = np.empty(0, flat.dtype) if before is None else before.reshape(-1)
    bits = np.dtype(f"u{flat.itemsize}")
    looked = np.arange(lines_of(table), dtype=np.int32) if among is None else among
    places, values = np.empty(len(looked), np.int32), np.empty(len(looked) * LINE, flat.dtype)
    count = move_lines(looked, flat.view(bits), old.view(bits), flat, old, places, values)
    return Changes(places[:count].copy(), values[: count * LINE].copy())


def copy_lines(table: AnyArray, places: AnyArray, source: AnyArray) -> None:
    """Copy some lines of a table of the same shape."""
    given = places.view(), source.reshape(-1).view()
    for array in given:
        array.flags.writeable = False  # some are, as tables of another process: one kernel for all
    fetch_lines(*given, table.reshape(-1))


def add_changes(table: AnyArray, changes: Changes) -> None:
    """Add them to a table of any shape."""
    add_lines(changes.places, changes.values, table.reshape(-1))


def add_all_changes(tables: Mapping[str, AnyArray], shares: Sequence[Mapping[str, Changes]], threads: int) -> None:
    """Add the changes of all shares, in their order, to tables of any shape by name; threads share the lines."""

    def add(name: str, first: int, end: int) -> None:
        for share in shares:
            add_changes(tables[name], changes_between(share[name], first, end))

    share_lines(add, tables, threads)


def share_lines(work: Callable[[str, int, int], None], tables: Mapping[str, AnyArray], threads: int) -> None:
    """Call a function with names of tables of any shape and lines, from one on to before another, until it had all lines;
    large tables in as many blocks as makes a thread busy."""
    total = max(1, sum(table.size for table in tables.values()))
    parts = list[tuple[str, int, int]]()
    for name, table in tables.items():
        blocks, lines = max(1, round(threads * table.size / total)), lines_of(table)
        parts += [(name, lines * k // blocks, lines * (k + 1) // blocks) for k in range(blocks)]
    with ThreadPoolExecutor(threads, thread_name_prefix=OURS) as pool:
        for done in [pool.submit(work, *part) for part in parts]:
            done.result()


def changes_between(changes: Changes, first: int, end: int) -> Changes:
    """The changes of the lines from one on to before another."""
    begin, beyond = np.searchsorted(changes.places, np.array((first, end), changes.places.dtype))
    return Changes(changes.places[begin:beyond], changes.values[begin * LINE : beyond * LINE])


@kernel(nogil=True)
def move_lines(among: Any, bits: Any, old_bits: Any, table: Any, before: Any, places: Any, values: Any) -> int:
    """Number of lines that differ; of each its number, and what was added to it. One pass, since a line is in the cache
    then.

    Args:
        among: the lines that are compared, ascending.
        bits, old_bits: the bits of the numbers of `table` and `before`.
        table, before: flat; `before` is empty for 0 all over, to which lines that differ are set.
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


@kernel(nogil=True)
def merge_lines(
    first: int, marks: Any, chosen: Any, lines: Any, places: Any, counts: Any, table: Any, shares: Any, follows: bool
) -> None:
    """Add what shares have changed in as many lines as there are marks, from one on; see `SharedShareTables.merge`.

    Args:
        first: number of the first line.
        marks, chosen, lines: work space: zeros, a number for each line, and (2, LINE) zeros.
        places, counts: (shares, lines) int32, the lines that each share may have changed, ascending, and how many these
            are.
        table, shares: flat; the tables of all shares in whole lines.
        follows: shares have begun with the numbers of the table, else with 0.
    """
    end, count, old, new = first + len(marks), 0, lines[0], lines[1]
    for k in range(len(counts)):
        at = np.searchsorted(places[k, : counts[k]], np.int32(first))
        while at < counts[k] and places[k, at] < end:
            marks[places[k, at] - first] = True
            at += 1
    for line in range(len(marks)):
        chosen[count] = first + line
        count += marks[line]
    whole, stride = len(table) // LINE, len(shares) // len(counts)
    for j in range(count):
        begin = np.int64(chosen[j]) * LINE
        if j + _AHEAD < count:
            ahead = np.int64(chosen[j + _AHEAD]) * LINE
            fetch(pointer(table), ahead)
            for k in range(len(counts)):
                fetch(pointer(shares), k * stride + ahead)
        if chosen[j] < whole:  # a fixed length, so that the loops become vectors
            for i in range(LINE):
                new[i] = table[begin + i]
        else:
            new[:] = 0
            for i in range(len(table) - begin):
                new[i] = table[begin + i]
        if follows:  # else they stay 0
            for i in range(LINE):
                old[i] = new[i]
        for k in range(len(counts)):
            at = k * stride + begin
            for i in range(LINE):
                new[i] += shares[at + i] - old[i]
        for k in range(len(counts)):
            at = k * stride + begin
            if follows:
                for i in range(LINE):
                    shares[at + i] = new[i]
            else:
                for i in range(LINE):
                    shares[at + i] = 0
        if chosen[j] < whole:
            for i in range(LINE):
                table[begin + i] = new[i]
        else:
            for i in range(len(table) - begin):
                table[begin + i] = new[i]
