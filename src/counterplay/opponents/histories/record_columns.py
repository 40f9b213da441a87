"""Records of hands as typed columns of numbers and texts, from which equal records are made again.

The layout follows the annotations of the records, so a new kind of record is one entry of `RECORDS`. Columns hold whole
numbers, numbers, and texts by their place in one list; records inside records are kept once each. What is read is checked:
lengths, places, members of enumerations. Nothing in it is executed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cache
from itertools import accumulate, chain, pairwise, repeat, starmap
from operator import index
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.opponents.histories.hand_record import FileLine, GameHand, HoldemHand, LeftOut, TableHand

RECORDS: tuple[type, ...] = (HoldemHand, GameHand, TableHand, LeftOut)
"""Kinds of records that a reader may give; a stored number is a place in this list."""
MOST_BYTES = 1 << 30
"""The most bytes of columns that are unpacked."""
_WIDTHS = ("i1", "<i2", "<i4", "<i8")
_LEVEL = 1
"""Of compression: the fastest."""


class ColumnError(Exception):
    """Columns that are damaged, or of records of another kind."""


def pack_records(records: Sequence[Any]) -> bytes:
    """Records of the kinds in `RECORDS` as compressed columns: a line of JSON, then the numbers."""
    columns = _Columns()
    try:
        columns.put_ints([RECORDS.index(type(record)) for record in records])
        for kind in RECORDS:
            same = [record for record in records if type(record) is kind]
            columns.put_ints([len(same)])
            _fields(kind).put(columns, same)
        if not all(isinstance(text, str) for text in columns.texts):
            raise TypeError("a text is none")
        head = {"texts": list(columns.texts), "columns": [[one.dtype.str, len(one)] for one in columns.arrays]}
        return zlib.compress(json.dumps(head).encode() + b"\n" + b"".join(map(bytes, columns.arrays)), _LEVEL)
    except (OverflowError, ValueError, TypeError, RecursionError) as error:
        raise ColumnError(str(error)) from None


def unpack_records(content: bytes, file: str) -> list[Any]:
    """The records of columns. file: where they are written, by its name of today."""
    try:
        columns = _unpacked(content, file)
        kinds = columns.take("i")
        lists = []
        for kind in RECORDS:
            (count,) = columns.take("i", 1)
            lists.append(_fields(kind).take(columns, count))
        if [kinds.count(number) for number in range(len(RECORDS))] != list(map(len, lists)) or columns.arrays:
            raise ColumnError("the columns hold other numbers of records")
        each = list(map(iter, lists))
        return [next(each[kind]) for kind in kinds]
    except Exception as error:  # records refuse what they are made of, each with an error of its own
        raise ColumnError(f"damaged columns: {error}") from None


class _Columns:
    """Columns in the order in which they are put, and to be taken from the end. texts: each once, with its place."""

    def __init__(self, file: str = "", texts: Iterable[str] = (), arrays: Iterable[AnyArray] = ()) -> None:
        self.file, self.arrays = file, list(arrays)
        self.words = list(texts)
        self.texts = {word: number for number, word in enumerate(self.words)}

    def put_ints(self, values: Iterable[int]) -> None:
        """Whole numbers, in the narrowest type that holds them."""
        column = np.fromiter(map(index, values), np.int64)
        low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        width = next(one for one in _WIDTHS if np.iinfo(one).min <= low and high <= np.iinfo(one).max)
        self.arrays.append(column.astype(width))

    def put_each_once(self, values: Iterable[Any], number: dict[Any, int]) -> None:
        """Values by their place among those put so far."""
        self.put_ints([number.setdefault(value, len(number)) for value in values])

    def take(self, kind: str, count: int | None = None, size: int | None = None) -> list[Any]:
        """So many numbers of a kind, or all of the next column. size: of the list in which they are places."""
        column = self.arrays.pop()
        if column.dtype.kind != kind or count not in (None, len(column)):
            raise ColumnError("a column is of another kind or length")
        if size is not None and len(column) and not 0 <= column.min() <= column.max() < size:
            raise ColumnError("a place is outside its list")
        return column.tolist()  # type: ignore[no-any-return]


def _unpacked(content: bytes, file: str) -> _Columns:
    unpacking = zlib.decompressobj()
    plain = unpacking.decompress(content, MOST_BYTES)
    if not unpacking.eof:
        raise ColumnError("the columns are cut short, or too large")
    line, _, numbers = plain.partition(b"\n")
    head, arrays, at = json.loads(line), list[AnyArray](), 0
    for width, count in head["columns"]:
        if width not in ("|i1", *_WIDTHS, "<f8") or not 0 <= count <= len(numbers):
            raise ColumnError("a column has an unknown type or length")
        arrays.append(np.frombuffer(numbers, width, count, at))
        at += arrays[-1].nbytes
    if at != len(numbers) or not all(isinstance(word, str) for word in head["texts"]):
        raise ColumnError("the columns have another length")
    return _Columns(file, head["texts"], arrays[::-1])


class _Codec(NamedTuple):
    """Values of one annotation in columns. put: writes values. take: reads so many of them."""

    put: Callable[[_Columns, Sequence[Any]], None]
    take: Callable[[_Columns, int], Sequence[Any]]


@cache
def _fields(kind: Any) -> _Codec:
    """Records of a class, field after field."""
    hints = get_type_hints(kind)
    names = [one.name for one in fields(kind) if one.init] if is_dataclass(kind) else list(kind._fields)
    codecs = [_codec(hints[name]) for name in names]
    by_name = is_dataclass(kind) and any(one.kw_only for one in fields(kind))

    def put(columns: _Columns, values: Sequence[Any]) -> None:
        for name, codec in zip(names, codecs, strict=True):
            codec.put(columns, [getattr(value, name) for value in values])

    def take(columns: _Columns, count: int) -> list[Any]:
        rows = zip(*[codec.take(columns, count) for codec in codecs], strict=True)
        if by_name:
            return [kind(**dict(zip(names, row, strict=True))) for row in rows]
        if issubclass(kind, tuple):  # a named tuple, by a third of the time of its own constructor
            return list(map(tuple.__new__, repeat(kind), rows))
        return list(starmap(kind, rows))

    return _Codec(put, take)


def _each_once(codec: _Codec) -> _Codec:
    """Values of which each different one is kept once."""

    def put(columns: _Columns, values: Sequence[Any]) -> None:
        number = {value: place for place, value in enumerate(dict.fromkeys(values))}
        columns.put_ints([len(number)])
        columns.put_each_once(values, number)
        codec.put(columns, list(number))

    def take(columns: _Columns, count: int) -> list[Any]:
        (different,) = columns.take("i", 1)
        places = columns.take("i", count, different)
        return list(map(codec.take(columns, different).__getitem__, places))

    return _Codec(put, take)


def _texts_at(columns: _Columns, count: int) -> list[str]:
    return list(map(columns.words.__getitem__, columns.take("i", count, len(columns.words))))


_PLAIN = {
    FileLine: _Codec(
        lambda columns, values: columns.put_ints([value.line for value in values]),
        lambda columns, count: [FileLine(columns.file, line) for line in columns.take("i", count)],
    ),
    int: _Codec(_Columns.put_ints, lambda columns, count: columns.take("i", count)),
    float: _Codec(
        lambda columns, values: columns.arrays.append(np.fromiter(values, "<f8")),
        lambda columns, count: columns.take("f", count),
    ),
    str: _Codec(lambda columns, values: columns.put_each_once(values, columns.texts), _texts_at),
    bool: _Codec(_Columns.put_ints, lambda columns, count: list(map(bool, columns.take("i", count, 2)))),
}


@cache
def _codec(hint: Any) -> _Codec:
    """The codec of an annotation."""
    parts = get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        members = {int(member): member for member in hint}
        return _Codec(
            _Columns.put_ints, lambda columns, count: list(map(members.__getitem__, columns.take("i", count)))
        )
    if get_origin(hint) in (Union, UnionType) and len(parts) == 2 and NoneType in parts:
        return _optional(_codec(parts[parts[0] is NoneType]))
    if get_origin(hint) is tuple and parts[-1:] == (Ellipsis,):
        return _list(_codec(parts[0]))
    if get_origin(hint) is tuple:
        codecs = [_codec(part) for part in parts]

        def put_each(columns: _Columns, values: Sequence[Any]) -> None:
            for codec, members in zip(codecs, zip(*values, strict=True) if values else [()] * len(codecs), strict=True):
                codec.put(columns, members)

        return _Codec(
            put_each, lambda columns, count: list(zip(*[codec.take(columns, count) for codec in codecs], strict=True))
        )
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        return _each_once(_fields(hint))
    raise TypeError(f"no column holds {hint}")


def _optional(codec: _Codec) -> _Codec:
    """A value or None: which of them are there, then those."""

    def put(columns: _Columns, values: Sequence[Any]) -> None:
        columns.put_ints([value is not None for value in values])
        codec.put(columns, [value for value in values if value is not None])

    def take(columns: _Columns, count: int) -> list[Any]:
        there = columns.take("i", count, 2)
        values = iter(codec.take(columns, sum(there)))
        return [next(values) if one else None for one in there]

    return _Codec(put, take)


def _list(codec: _Codec) -> _Codec:
    """A tuple of any length: all lengths, then all members."""

    def put(columns: _Columns, values: Sequence[Any]) -> None:
        columns.put_ints(list(map(len, values)))
        codec.put(columns, list(chain.from_iterable(values)))

    def take(columns: _Columns, count: int) -> list[Any]:
        lengths = columns.take("i", count)
        if min(lengths, default=0) < 0:
            raise ColumnError("a length is negative")
        members = tuple(codec.take(columns, sum(lengths)))
        return [members[begin:end] for begin, end in pairwise(accumulate(lengths, initial=0))]

    return _Codec(put, take)
