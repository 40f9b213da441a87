"""Ways to damage an archive of arrays: the zip's own headers, its entries, the headers of the arrays, their numbers."""

from __future__ import annotations

import io
import random
import struct
import warnings
import zipfile
from functools import cache
from typing import Any

import numpy as np

from attack.damage_bytes import flip
from attack.damage_texts import document

_BIG = 100 * 2**20
"""Bytes that an array may claim, or have."""
_SIGNS = (
    (b"PK\x01\x02", 46, {8: 2, 10: 2, 16: 4, 20: 4, 24: 4, 28: 2, 30: 2, 42: 4}),
    (b"PK\x03\x04", 30, {6: 2, 8: 2, 14: 4, 18: 4, 22: 4, 26: 2, 28: 2}),
    (b"PK\x05\x06", 22, {8: 2, 10: 2, 12: 4, 16: 4, 20: 2}),
)
"""Of the zip's headers: how each begins, its size, and its fields, place to size."""
_FIELDS = {2: (0, 1, 8, 9, 12, 14, 95, 99, 2048, 65535), 4: (0, 1, 10**6, 2**31 - 1, 2**32 - 1)}
"""By the size of a field, what is put into it."""
_TYPES = (
    "|O", "<f8", "<f4", ">f8", "<f2", "|u1", "<i8", "|S8", "<U9", "<U100000000", "<m8", "<M8[s]", "|V8", "<c16", "|b1",
    "nosuch", "<f99", "f8,f8",
)  # fmt: skip
_SHAPES = ("()", "(0,)", "(-1,)", "(1,)", "(3,)", "(2,3)", "(1.5,)", "('x',)", "3", "None", "(True,)", "(1,)*9")
_BIG_SHAPES = (f"({_BIG // 8},)", f"({2**40},)", f"({10**30},)", f"({2**62}, {2**62})")
_DEEP = ("(" + "1," * 40 + ")", "(" + "1," * 3000 + ")", "(" * 3000 + ")" * 3000, "[" * 200)
_VALUES = {
    "descr": (*map(repr, _TYPES), "''", "[('a', '<f8')]", "[('a', 'O')]", "3", "__import__('booby')", repr("[" * 500)),
    "fortran_order": ("True", "1", "'x'", "None"),
    "shape": (*_SHAPES, *_BIG_SHAPES, *_DEEP),
}
"""What is put into the header of an array."""
_HEADERS = ("", "{}", "[]", "{" * 3000, "  \n\t(", "'", "{'descr': '<f8'}", "\\", "é\x00", "1" * 5000)
"""What is put in the place of the header of an array."""


def directory(content: bytes, draw: random.Random) -> bytes:
    """One field of the zip's own headers: encryption bit, method, sizes, checksum, offsets, or any byte of them."""
    damaged = bytearray(content)
    sign, size, fields = draw.choice(_SIGNS)
    places = [at for at in range(len(content)) if content.startswith(sign, at)]
    if not places:
        return flip(content, draw)
    chosen = places if draw.random() < 0.3 else [draw.choice(places)]
    field = draw.choice(list(fields))
    value = draw.choice((*_FIELDS[fields[field]], draw.randrange(256 ** fields[field])))
    for at in chosen:
        if draw.random() < 0.2:
            damaged[at + draw.randrange(4, size)] = draw.randrange(256)
        else:
            struct.pack_into("<H" if fields[field] == 2 else "<I", damaged, at + field, value)
    return bytes(damaged)


def renamed(content: bytes, draw: random.Random) -> bytes:
    """Entries twice, missing, more, exchanged, with names that lead elsewhere, or packed in another way."""
    entries = list(_entries(content))
    at, other = draw.randrange(len(entries)), draw.randrange(len(entries))
    (name, inside), (second, instead) = entries[at], entries[other]
    kind = draw.randrange(6)
    if kind == 0:
        del entries[at]
    elif kind == 1:
        entries.append((name, draw.choice((inside, instead))))
    elif kind == 2:
        stem = name.removesuffix(".npy")
        names = ("../" + name, "/" + name, name.upper(), stem, "x" * 5000 + ".npy", "", name + "\x00x", "é.npy", second)
        entries[at] = draw.choice(names), inside
    elif kind == 3:
        more = draw.choice(("more.npy", "folder/", "more", "../more.npy"))
        entries.append((more, draw.choice((b"", inside, b"noise"))))
    elif kind == 4:
        entries[at], entries[other] = (name, instead), (second, inside)
    else:
        return _packed(entries, draw.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED)))
    return _packed(entries)


def headers(content: bytes, draw: random.Random) -> bytes:
    """The header of one array: type, order, shape, or something else in its place; with the numbers it had, or very
    many."""
    entries, at, array = _array(content, draw)
    kind = repr(np.lib.format.dtype_to_descr(array.dtype))
    text = {"descr": kind, "fortran_order": "False", "shape": str(array.shape)}
    field, many = draw.choice(list(text)), draw.random() < 0.05
    text[field] = draw.choice(_VALUES[field])
    if many:
        text |= {"descr": "'<f8'", "shape": f"({_BIG // 8},)"}
    written = "{" + ", ".join(f"'{key}': {value}" for key, value in text.items()) + ", }"
    if draw.random() < 0.15:
        written = draw.choice((*_HEADERS, written + " + 1", written * 2))
    raw = written.encode("latin-1") + b"\n"
    size = draw.choice((len(raw), len(raw), len(raw), 0, 65535, len(raw) - 3))
    version = draw.choice((b"\x01\x00",) * 8 + (b"\x02\x00", b"\x03\x00", b"\x09\x09"))
    head = b"\x93NUMPY" + version + struct.pack("<H" if version[0] == 1 else "<I", size) + raw
    return _with(entries, at, head + (_zeros() if many else array.tobytes()))


def numbers(content: bytes, draw: random.Random) -> bytes:
    """An archive made anew with other numbers, each of which might pass for sound."""
    entries, at, array = _array(content, draw)
    return _with(entries, at, _npy(_other(array, draw)))


def facts(content: bytes, draw: random.Random) -> bytes:
    """An archive made anew with other facts, which stand in it as JSON."""
    entries = list(_entries(content))
    found = [(at, inside.find(b"{", 1 + inside.find(b"\n"))) for at, (_, inside) in enumerate(entries)]
    found = [(at, start) for at, start in found if entries[at][1][start:].startswith((b'{"', b"{\n")) and start >= 0]
    if not found:
        return numbers(content, draw)
    at, start = draw.choice(found)
    inside = entries[at][1]
    changed = document(inside[start:], draw)
    return _with(entries, at, _npy(np.frombuffer(changed, np.uint8)) if inside.startswith(b"\x93NUMPY") else changed)


@cache
def _entries(content: bytes) -> tuple[tuple[str, bytes], ...]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return tuple((name, archive.read(name)) for name in archive.namelist())


def _array(content: bytes, draw: random.Random) -> tuple[list[tuple[str, bytes]], int, Any]:
    """The entries, the place of one that is an array, and the array."""
    entries = list(_entries(content))
    at = draw.choice([at for at, (_, inside) in enumerate(entries) if inside.startswith(b"\x93NUMPY")])
    return entries, at, np.lib.format.read_array(io.BytesIO(entries[at][1]), allow_pickle=False)


def _with(entries: list[tuple[str, bytes]], at: int, inside: bytes) -> bytes:
    return _packed([*entries[:at], (entries[at][0], inside), *entries[at + 1 :]])


def _packed(entries: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.filterwarnings("ignore", "Duplicate name")
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


def _npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


@cache
def _zeros() -> bytes:
    """Very many numbers, which pack into little."""
    return bytes(_BIG)


def _other(array: Any, draw: random.Random) -> Any:
    """Other numbers in the place of those of an array."""
    flat = array.ravel().copy()
    if not flat.size:
        return np.zeros(3, array.dtype)
    i, j, kind = draw.randrange(flat.size), draw.randrange(flat.size), draw.randrange(9)
    if kind < 5:
        return (
            array[::-1].copy(), array.T.copy() if array.ndim > 1 else array[:-1].copy(), array[None],
            np.concatenate([flat, flat]), array * 2 if array.dtype.kind in "fiu" else ~array,
        )[kind]  # fmt: skip
    if kind == 5:
        return array.astype(draw.choice((np.float32, np.float16, np.int64, np.uint8, np.complex128, "S8")))
    if kind == 6 and array.dtype.kind == "f":
        flat[i] = draw.choice((np.nan, np.inf, -1.0, 1e308, 2.0, 0.0))
    elif kind == 7:
        flat[i] = flat[j]
    else:
        flat[i], flat[j] = flat[j], flat[i]
    return flat.reshape(array.shape)
