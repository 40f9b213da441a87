"""The regrets with which all shares of a round begin, and which of their lines are new since the round before.

Workers that see the memory of this process read them there. To others the new lines travel, as long as they have kept those
of the round before; all of them do where a worker comes new. So the bits are the same wherever a share is swept.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.jit import kernel
from counterplay.jit.threads import OURS
from counterplay.treeplex.simd import fetch, pointer
from counterplay.work.carried_files import Reach, SharedTables, Travelling, UnseenTablesError

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
            changes = share[name]
            begin, beyond = np.searchsorted(changes.places, np.array((first, end), changes.places.dtype))
            add_changes(
                tables[name], Changes(changes.places[begin:beyond], changes.values[begin * LINE : beyond * LINE])
            )

    share_lines(add, tables, threads)


def share_lines(work: Callable[[str, int, int], None], tables: Mapping[str, AnyArray], threads: int) -> None:
    """Call a function with names of tables of any shape and a range of lines, until it had all lines; large tables in
    as many blocks as makes a thread busy."""
    total = max(1, sum(table.size for table in tables.values()))
    parts = list[tuple[str, int, int]]()
    for name, table in tables.items():
        blocks, lines = max(1, round(threads * table.size / total)), lines_of(table)
        parts += [(name, lines * k // blocks, lines * (k + 1) // blocks) for k in range(blocks)]
    with ThreadPoolExecutor(threads, thread_name_prefix=OURS) as pool:
        for done in [pool.submit(work, *part) for part in parts]:
            done.result()


@kernel(nogil=True)
def move_lines(among: Any, bits: Any, old_bits: Any, table: Any, before: Any, places: Any, values: Any) -> int:
    """Number of lines that differ `among` some; of each its number, and what was added to it. `before` is empty for 0
    all over, to which lines that differ are set. One pass, since a line is in the cache then."""
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
    """Add what shares have changed in as many lines as there are marks, from the first on; see
    `SharedShareTables.merge`. marks, chosen, lines: zeros, a number for each line, and (2, LINE) zeros. places, counts:
    (shares, lines) int32, the lines that each share may have changed, ascending, and how many these are. follows:
    shares have begun with the numbers of the table."""
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


_NEW = "new lines of "


class RoundState(NamedTuple):
    """Name of the tables, number of rounds, and how many lines of each by name are new."""

    tables: str
    rounds: int
    new: Mapping[str, int]


_NONE = RoundState("", -1, {})


class RoundTables(Mapping[str, AnyArray]):
    """Tables at the beginning of a round; of each `numbers` has the numbers of its new lines, as many as the state
    says."""

    def __init__(self, numbers: Mapping[str, AnyArray], state: RoundState) -> None:
        self._numbers, self.state = numbers, state

    def __getitem__(self, name: str) -> AnyArray:
        return self._numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.state.new)

    def __len__(self) -> int:
        return len(self.state.new)

    def new_lines(self, name: str) -> AnyArray:
        """(lines,) int32, ascending: what is not as it was one round before."""
        return self._numbers[_NEW + name][: self.state.new[name]]


class GrowingTables(Travelling, RoundTables):
    """`RoundTables` in the process that adds up what shares have learned; all numbers are 0 at first."""

    def __init__(self, like: Mapping[str, AnyArray]) -> None:
        news = {_NEW + name: np.broadcast_to(np.int32(0), lines_of(table)) for name, table in like.items()}
        super().__init__(SharedTables({**like, **news}), RoundState(secrets.token_hex(8), 0, dict.fromkeys(like, 0)))

    def end_round(self, shares: Sequence[Mapping[str, Changes]] | None) -> None:
        """Note which lines have been changed, by name, by the shares whose changes were added; None if any may have
        been. Then all numbers travel to who has those of the round before."""
        if shares is None:
            self.state = RoundState(self.state.tables, self.state.rounds + 2, dict.fromkeys(self, 0))
            return
        new = {}
        for name in self:
            marks = np.zeros(lines_of(self[name]), bool)
            for share in shares:
                marks[share[name].places] = True
            lines = np.flatnonzero(marks)
            self._numbers[_NEW + name][: len(lines)] = lines
            new[name] = len(lines)
        self.state = RoundState(self.state.tables, self.state.rounds + 1, new)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.reduce_for(Reach.MEMORY)

    def reduce_for(self, reach: Reach) -> tuple[Any, ...]:
        if reach is Reach.MEMORY:
            return RoundTables, (self._numbers, self.state)
        lines = {name: self.new_lines(name) for name in self}
        if reach is Reach.NOTHING or not self.state.rounds:
            return _kept_whole, (self.state, lines, {name: self[name] for name in self})
        return _kept_with, (self.state, lines, {name: _lines_at(self[name], some) for name, some in lines.items()})


def _lines_at(table: AnyArray, lines: AnyArray) -> AnyArray:
    found, flat = np.zeros((len(lines), LINE), table.dtype), table.reshape(-1)
    whole = lines[lines < flat.size // LINE]
    found[: len(whole)] = flat[: flat.size // LINE * LINE].reshape(-1, LINE)[whole]
    if len(whole) < len(lines):
        rest = flat[flat.size // LINE * LINE :]
        found[-1, : len(rest)] = rest
    return found


_kept: dict[str, RoundTables] = {}
"""The last tables that have come to this process, by their name."""


def _keep(numbers: Mapping[str, AnyArray], state: RoundState) -> RoundTables:
    _kept.clear()
    _kept[state.tables] = RoundTables(numbers, state)
    return _kept[state.tables]


def _kept_whole(state: RoundState, lines: Mapping[str, AnyArray], tables: Mapping[str, AnyArray]) -> RoundTables:
    copies = {name: np.array(table) for name, table in tables.items()}
    return _keep(copies | {_NEW + name: some for name, some in lines.items()}, state)


def _kept_with(state: RoundState, lines: Mapping[str, AnyArray], values: Mapping[str, AnyArray]) -> RoundTables:
    """The tables of the round before with some lines replaced; an `UnseenTablesError` if they are not here."""
    before = _kept.get(state.tables)
    if before is None or not 0 <= state.rounds - before.state.rounds <= 1:
        raise UnseenTablesError("the tables of the round before are not here")
    for name, some in lines.items():
        place_lines(before[name], some, values[name])
    return _keep({name: before[name] for name in before} | {_NEW + name: some for name, some in lines.items()}, state)


def place_lines(table: AnyArray, lines: AnyArray, values: AnyArray) -> None:
    """Write values (lines, LINE) over the numbered lines (lines,) of a table of any shape."""
    flat = table.reshape(-1)
    for k in range(max(0, len(lines) - 1), len(lines)):  # the last one may go beyond the end
        begin = int(lines[k]) * LINE
        flat[begin : begin + LINE] = values[k, : len(flat[begin : begin + LINE])]
    most = flat.size // LINE * LINE
    flat[:most].reshape(-1, LINE)[lines[:-1]] = values[:-1]


class FollowedTables:
    """A worker's own tables by name, in which it sweeps: shared ones among them are brought up to date."""

    def __init__(self, tables: Mapping[str, AnyArray]) -> None:
        self._own, self._last, self._coming = tables, _NONE, _NONE
        self._changed: dict[str, AnyArray] = {}

    def follow(self, shared: Mapping[str, AnyArray]) -> None:
        """Make them as the shared ones; each has the shape of its own."""
        state, last, changed = shared.state if isinstance(shared, RoundTables) else _NONE, self._last, self._changed
        self._coming, self._last = state, _NONE
        follows = state.tables == last.tables and 0 <= state.rounds - last.rounds <= 1
        for name, table in shared.items():
            if not follows or state is _NONE:
                self._own[name][...] = table
                continue
            assert isinstance(shared, RoundTables)
            # What this worker has changed in the round before is among what is new, whoever has swept that share in the end.
            copy_lines(self._own[name], shared.new_lines(name) if state.rounds > last.rounds else changed[name], table)

    def have_changed(self, places: Mapping[str, AnyArray]) -> None:
        """Note the (lines,) that a share has changed since `follow`, by name, once it has ended as it should."""
        self._last, self._changed = self._coming, {name: places[name] for name in self._coming.new}


_MET, _STALE = "lines of ", "stale"


class ShareTables(Travelling):
    """The tables of one share of all, with their shapes by name; memory is taken as far as it is written to. Only our
    own processes get it, which write to it no more once they are ended; others keep None in its place."""

    def __init__(self, numbers: Mapping[str, AnyArray], share: int, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._numbers, self._share, self._shapes = numbers, share, shapes

    def tables(self) -> dict[str, AnyArray]:
        flat = {name: self._numbers[name][self._share] for name in self._shapes}
        return {name: flat[name][: prod(shape)].reshape(shape) for name, shape in self._shapes.items()}

    @property
    def is_stale(self) -> bool:
        """Return whether the tables are not those of the round's begin: no share was merged yet, or one was broken
        off."""
        return bool(self._numbers[_STALE][self._share])

    def begin(self) -> None:
        """From now on the tables are stale, until they are merged."""
        self._numbers[_STALE][self._share] = True

    def note(self, name: str, lines: AnyArray | None) -> int:
        """Note which (lines,) of a table may have changed, int32, ascending; None for all. Returns their number."""
        room = self._numbers[_MET + name][self._share]
        noted = np.arange(len(room), dtype=np.int32) if lines is None else lines
        room[: len(noted)] = noted
        return len(noted)

    def noted(self, name: str, count: int) -> AnyArray:
        return np.asarray(self._numbers[_MET + name][self._share, :count])

    def __reduce__(self) -> tuple[Any, ...]:
        shared = isinstance(self._numbers, SharedTables) and self._numbers.is_shared
        return (ShareTables, (self._numbers, self._share, self._shapes)) if shared else self.reduce_for(Reach.NOTHING)

    def reduce_for(self, reach: Reach) -> tuple[Any, ...]:  # noqa: ARG002 - as of `Travelling`
        return type(None), ()


class SharedShareTables:
    """The tables of so many shares; `each` has those of every share."""

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
        """Add to each table, of any shape, by name what its shares have changed, in their order; those of shares are then
        as this one if they are among the `followed`, with whose numbers shares begin, and else 0. counts: of each
        share, by name, how many lines are noted."""

        def merge(name: str, first: int, end: int) -> None:
            table, shares = tables[name].reshape(-1), self._numbers[name].reshape(-1)
            met = np.array([count[name] for count in counts], np.int64)
            room = np.zeros(end - first, bool), np.empty(end - first, np.int32), np.zeros((2, LINE), table.dtype)
            merge_lines(first, *room, self._numbers[_MET + name], met, table, shares, name in followed)

        share_lines(merge, tables, threads)
        self._numbers[_STALE][:] = False
