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
from typing import Any, Union, get_args, get_origin, get_type_hints

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
    """Records of the kinds in `RECORDS` as compressed columns."""
    columns = _Columns()
    try:
        columns.put_ints([RECORDS.index(type(record)) for record in records])
        for kind in RECORDS:
            same = [record for record in records if type(record) is kind]
            columns.put_ints([len(same)])
            _record(kind).put_fields(columns, same)
        return columns.packed()
    except (OverflowError, ValueError, TypeError, RecursionError) as error:
        raise ColumnError(str(error)) from None


def unpack_records(content: bytes, file: str) -> list[Any]:
    """The records of columns. file: where they are written, by its name of today."""
    try:
        columns = _Columns.unpacked(content, file)
        kinds = columns.take_ints()
        lists = []
        for kind in RECORDS:
            (count,) = columns.take_ints(1)
            lists.append(_record(kind).take_fields(columns, count))
        if [kinds.count(number) for number in range(len(RECORDS))] != list(map(len, lists)) or columns.is_left:
            raise ColumnError("the columns hold other numbers of records")
        each = list(map(iter, lists))
        return [next(each[kind]) for kind in kinds]
    except Exception as error:  # records refuse what they are made of, each with an error of its own
        raise ColumnError(f"damaged columns: {error}") from None


class _Columns:
    """Columns in the order in which they are put and taken; texts are kept once each."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self._columns: list[AnyArray] = []
        self._texts: dict[str, int] = {}
        self._words: list[str] = []
        self._next = 0

    def put_ints(self, values: Iterable[int]) -> None:
        """Whole numbers, in the narrowest type that holds them."""
        column = np.fromiter(map(index, values), np.int64)
        low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        width = next(one for one in _WIDTHS if np.iinfo(one).min <= low and high <= np.iinfo(one).max)
        self._columns.append(column.astype(width))

    def put_floats(self, values: Iterable[float]) -> None:
        """Numbers, bit for bit."""
        self._columns.append(np.fromiter(values, "<f8"))

    def put_texts(self, values: Iterable[str]) -> None:
        """Texts."""
        number = self._texts
        self.put_ints([number.setdefault(text, len(number)) for text in values])

    def take_ints(self, count: int | None = None) -> list[int]:
        """So many whole numbers; all of the next column without a count."""
        return self._take("i", count).tolist()  # type: ignore[no-any-return]

    def take_places(self, count: int, size: int) -> list[int]:
        """So many places in a list of a size."""
        column = self._take("i", count)
        if count and not 0 <= column.min() <= column.max() < size:
            raise ColumnError("a place is outside its list")
        return column.tolist()  # type: ignore[no-any-return]

    def take_floats(self, count: int) -> list[float]:
        """So many numbers."""
        return self._take("f", count).tolist()  # type: ignore[no-any-return]

    def take_texts(self, count: int) -> list[str]:
        """So many texts."""
        return list(map(self._words.__getitem__, self.take_places(count, len(self._words))))

    @property
    def is_left(self) -> bool:
        """Return whether columns are left."""
        return self._next < len(self._columns)

    def _take(self, kind: str, count: int | None) -> AnyArray:
        column = self._columns[self._next]
        self._next += 1
        if column.dtype.kind != kind or count not in (None, len(column)):
            raise ColumnError("a column is of another kind or length")
        return column

    def packed(self) -> bytes:
        """All columns, compressed: a line of JSON, then the numbers."""
        if not all(isinstance(text, str) for text in self._texts):
            raise TypeError("a text is none")
        head = {"texts": list(self._texts), "columns": [[one.dtype.str, len(one)] for one in self._columns]}
        return zlib.compress(json.dumps(head).encode() + b"\n" + b"".join(map(bytes, self._columns)), _LEVEL)

    @classmethod
    def unpacked(cls, content: bytes, file: str) -> _Columns:
        """Columns that were packed."""
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(content, MOST_BYTES)
        if not unpacking.eof:
            raise ColumnError("the columns are cut short, or too large")
        line, _, numbers = plain.partition(b"\n")
        head, self, at = json.loads(line), cls(file), 0
        self._words = head["texts"]
        for width, count in head["columns"]:
            if width not in ("|i1", *_WIDTHS, "<f8") or not 0 <= count <= len(numbers):
                raise ColumnError("a column has an unknown type or length")
            self._columns.append(np.frombuffer(numbers, width, count, at))
            at += self._columns[-1].nbytes
        if at != len(numbers) or not all(isinstance(word, str) for word in self._words):
            raise ColumnError("the columns have another length")
        return self


class _Codec:
    """Values of one annotation in columns. put: writes values. take: reads so many of them."""

    def __init__(
        self, put: Callable[[_Columns, Sequence[Any]], None], take: Callable[[_Columns, int], Sequence[Any]]
    ) -> None:
        self.put, self.take = put, take


class _Record(_Codec):
    """Records of a class, each different one kept once."""

    def __init__(self, kind: Any) -> None:
        super().__init__(self._put, self._take)
        self._kind, hints = kind, get_type_hints(kind)
        names = [one.name for one in fields(kind) if one.init] if is_dataclass(kind) else list(kind._fields)
        self._fields = [(name, _codec(hints[name])) for name in names]
        self._by_name = is_dataclass(kind) and any(one.kw_only for one in fields(kind))

    def put_fields(self, columns: _Columns, values: Sequence[Any]) -> None:
        """The fields of records, one after the other."""
        for name, codec in self._fields:
            codec.put(columns, [getattr(value, name) for value in values])

    def take_fields(self, columns: _Columns, count: int) -> list[Any]:
        """So many records."""
        rows = zip(*[codec.take(columns, count) for _, codec in self._fields], strict=True)
        if self._by_name:
            names = [name for name, _ in self._fields]
            return [self._kind(**dict(zip(names, row, strict=True))) for row in rows]
        if issubclass(self._kind, tuple):  # a named tuple, by a third of the time of its own constructor
            return list(map(tuple.__new__, repeat(self._kind), rows))
        return list(starmap(self._kind, rows))

    def _put(self, columns: _Columns, values: Sequence[Any]) -> None:
        number: dict[Any, int] = {}
        columns.put_ints([number.setdefault(value, len(number)) for value in values])
        columns.put_ints([len(number)])
        self.put_fields(columns, list(number))

    def _take(self, columns: _Columns, count: int) -> list[Any]:
        places = columns.take_ints(count)
        (different,) = columns.take_ints(1)
        if count and not 0 <= min(places) <= max(places) < different:
            raise ColumnError("a place is outside its list")
        return list(map(self.take_fields(columns, different).__getitem__, places))


@cache
def _record(kind: type) -> _Record:
    return _Record(kind)


@cache
def _codec(hint: Any) -> _Codec:
    """The codec of an annotation."""
    if hint is FileLine:
        return _Codec(
            lambda columns, values: columns.put_ints([value.line for value in values]),
            lambda columns, count: [FileLine(columns.file, line) for line in columns.take_ints(count)],
        )
    if hint is int:
        return _Codec(_Columns.put_ints, _Columns.take_ints)
    if hint is float:
        return _Codec(_Columns.put_floats, _Columns.take_floats)
    if hint is str:
        return _Codec(_Columns.put_texts, _Columns.take_texts)
    if hint is bool:
        return _Codec(
            _Columns.put_ints, lambda columns, count: [bool(value) for value in columns.take_places(count, 2)]
        )
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        members = {int(member): member for member in hint}
        return _Codec(
            _Columns.put_ints, lambda columns, count: list(map(members.__getitem__, columns.take_ints(count)))
        )
    if get_origin(hint) in (Union, UnionType):
        return _optional(hint)
    if get_origin(hint) is tuple:
        return _tuple(*get_args(hint))
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        return _record(hint)
    raise TypeError(f"no column holds {hint}")


def _optional(hint: Any) -> _Codec:
    """A value or None: which of them are there, then those."""
    inner, *more = [one for one in get_args(hint) if one is not NoneType]
    if more or NoneType not in get_args(hint):
        raise TypeError(f"no column holds {hint}")
    codec = _codec(inner)

    def put(columns: _Columns, values: Sequence[Any]) -> None:
        columns.put_ints([value is not None for value in values])
        codec.put(columns, [value for value in values if value is not None])

    def take(columns: _Columns, count: int) -> list[Any]:
        there = columns.take_places(count, 2)
        values = iter(codec.take(columns, sum(there)))
        return [next(values) if one else None for one in there]

    return _Codec(put, take)


def _tuple(*parts: Any) -> _Codec:
    """A tuple: of a fixed length position by position, else all lengths and then all members."""
    if parts[-1:] != (Ellipsis,):
        codecs = [_codec(part) for part in parts]

        def put_each(columns: _Columns, values: Sequence[Any]) -> None:
            for codec, members in zip(codecs, zip(*values, strict=True) if values else [()] * len(codecs), strict=True):
                codec.put(columns, members)

        return _Codec(
            put_each, lambda columns, count: list(zip(*[codec.take(columns, count) for codec in codecs], strict=True))
        )
    codec = _codec(parts[0])

    def put(columns: _Columns, values: Sequence[Any]) -> None:
        columns.put_ints(list(map(len, values)))
        codec.put(columns, list(chain.from_iterable(values)))

    def take(columns: _Columns, count: int) -> list[Any]:
        lengths = columns.take_ints(count)
        if min(lengths, default=0) < 0:
            raise ColumnError("a length is negative")
        members = tuple(codec.take(columns, sum(lengths)))
        return [members[begin:end] for begin, end in pairwise(accumulate(lengths, initial=0))]

    return _Codec(put, take)
