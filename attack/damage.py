"""Ways to damage a file: its bytes, its archive, the headers of its arrays, their numbers, its facts, its text.

Every way takes sound content and a source of chance, and gives other content. `WAYS` lists them by what they need.
"""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from attack.words import JUNK

Way = Callable[[bytes, random.Random], bytes]
TRAPS = ("booby:trap", "os:system", "booby", "booby.trap:x", "__import__('booby')", "subprocess:run")
_BIG = 100 * 2**20


def _flip(content: bytes, draw: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 8))):
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    return bytes(damaged)


def _cut(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content))
    return draw.choice((content[:at], content[at:], content[:at] + content[at + draw.randrange(1, 50) :]))


def _filled(content: bytes, draw: random.Random) -> bytes:
    at, size = draw.randrange(len(content)), draw.choice((1, 4, 16, 200))
    filling = draw.choice((bytes(size), b"\xff" * size, draw.randbytes(size)))[: len(content) - at]
    return content[:at] + filling + content[at + len(filling) :]


def _doubled(content: bytes, draw: random.Random) -> bytes:
    at, other = draw.randrange(len(content)), draw.randrange(len(content))
    piece = content[at : at + draw.choice((1, 8, 64, len(content)))]
    return content[:other] + piece + content[other:]


def _replaced(content: bytes, draw: random.Random) -> bytes:
    noise = draw.randbytes(64)
    return draw.choice((b"", b"\0" * 100, noise, b"PK\x03\x04" + noise, b"PK\x05\x06" + bytes(18), b"\x93NUMPY" + noise, content * 2, content + noise))


# Archives


def _directory(content: bytes, draw: random.Random) -> bytes:
    """One field of the zip's own headers: encryption bit, method, sizes, checksum, offsets, or any byte of them."""
    damaged = bytearray(content)
    signs = [(b"PK\x01\x02", 46, {8: 2, 10: 2, 16: 4, 20: 4, 24: 4, 28: 2, 30: 2, 42: 4}), (b"PK\x03\x04", 30, {6: 2, 8: 2, 14: 4, 18: 4, 22: 4, 26: 2, 28: 2}),
             (b"PK\x05\x06", 22, {8: 2, 10: 2, 12: 4, 16: 4, 20: 2})]  # fmt: skip
    sign, size, fields = draw.choice(signs)
    places = [at for at in range(len(content)) if content.startswith(sign, at)]
    if not places:
        return _flip(content, draw)
    chosen = places if draw.random() < 0.3 else [draw.choice(places)]
    field = draw.choice(list(fields))
    values = {2: (0, 1, 8, 9, 12, 14, 95, 99, 2048, 65535), 4: (0, 1, 10**6, 2**31 - 1, 2**32 - 1, draw.randrange(2**32))}[fields[field]]
    value = draw.choice(values)
    for at in chosen:
        if draw.random() < 0.2:
            damaged[at + draw.randrange(4, size)] = draw.randrange(256)
        else:
            struct.pack_into("<H" if fields[field] == 2 else "<I", damaged, at + field, value)
    return bytes(damaged)


@cache
def _entries(content: bytes) -> tuple[tuple[str, bytes], ...]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return tuple((name, archive.read(name)) for name in archive.namelist())


def _packed(entries: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


def _renamed(content: bytes, draw: random.Random) -> bytes:
    """Entries twice, missing, more, exchanged, with names that lead elsewhere, or packed in another way."""
    entries = list(_entries(content))
    at, other = draw.randrange(len(entries)), draw.randrange(len(entries))
    name, inside = entries[at]
    kind = draw.randrange(6)
    if kind == 0:
        del entries[at]
    elif kind == 1:
        entries.append((name, draw.choice((inside, entries[other][1]))))
    elif kind == 2:
        entries[at] = (draw.choice(("../" + name, "/" + name, name.upper(), name[:-4], "x" * 5000 + ".npy", "", name + "\x00x", "é.npy", entries[other][0])), inside)
    elif kind == 3:
        entries.append((draw.choice(("more.npy", "folder/", "more", "../more.npy")), draw.choice((b"", inside, b"noise"))))
    elif kind == 4:
        entries[at], entries[other] = (name, entries[other][1]), (entries[other][0], inside)
    else:
        return _packed(entries, draw.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)))
    return _packed(entries)


_DTYPES = ("|O", "<f8", "<f4", ">f8", "<f2", "|u1", "<i8", "|S8", "<U9", "<U100000000", "<m8", "<M8[s]", "|V8", "<c16", "|b1", "", "nosuch", "<f99", "f8,f8")
_SHAPES = ("()", "(0,)", "(-1,)", "(1,)", "(3,)", "(2, 3)", f"({_BIG // 8},)", f"({2**40},)", f"({10**30},)", "(1.5,)", "('x',)", "3", "None", "(True,)",
           "(1,)*9", "(" + "1," * 40 + ")", "(" + "1," * 3000 + ")", f"({2**62}, {2**62})", "(" * 3000 + ")" * 3000, "[" * 200)  # fmt: skip


def _headers(content: bytes, draw: random.Random) -> bytes:
    """The header of one array: type, order, shape, or something else in its place; with the numbers it had, or very many."""
    entries = list(_entries(content))
    at = draw.randrange(len(entries))
    name, inside = entries[at]
    array = np.lib.format.read_array(io.BytesIO(inside), allow_pickle=False)
    kind, order, shape = np.lib.format.dtype_to_descr(array.dtype), "False", str(array.shape)
    text = {"descr": repr(kind), "fortran_order": order, "shape": shape}
    field, many = draw.choice(list(text)), draw.random() < 0.05
    text[field] = draw.choice({"descr": tuple(map(repr, _DTYPES)) + ("[('a', '<f8')]", "[('a', 'O')]", "3", "__import__('booby')", "'" + "[" * 500 + "'"),
                               "fortran_order": ("True", "1", "'x'", "None"), "shape": _SHAPES}[field])  # fmt: skip
    if many:
        text |= {"descr": repr("<f8"), "shape": f"({_BIG // 8},)"}
    written = "{" + ", ".join(f"'{key}': {value}" for key, value in text.items()) + ", }"
    if draw.random() < 0.15:
        written = draw.choice(("", "{}", "[]", "{" * 3000, "  \n\t(", "'", "{'descr': '<f8'}", written + " + 1", "\\", "é\x00", "1" * 5000, written * 2))
    raw = written.encode("latin-1") + b"\n"
    size = draw.choice((len(raw), len(raw), len(raw), 0, 65535, len(raw) - 3))
    version = draw.choice((b"\x01\x00",) * 8 + (b"\x02\x00", b"\x03\x00", b"\x09\x09"))
    head = b"\x93NUMPY" + version + (struct.pack("<H", size) if version[0] == 1 else struct.pack("<I", size)) + raw
    if many:
        return _with_many(entries, at, head)
    return _packed([*entries[:at], (name, head + array.tobytes()), *entries[at + 1 :]])


def _with_many(entries: list[tuple[str, bytes]], at: int, head: bytes) -> bytes:
    """An entry whose numbers are very many zeros, which pack into little."""
    return _packed([*entries[:at], (entries[at][0], head + _zeros()), *entries[at + 1 :]])


@cache
def _zeros() -> bytes:
    return bytes(_BIG)


def _numbers(content: bytes, draw: random.Random) -> bytes:
    """An archive made anew with other numbers, each of which might pass for sound."""
    entries = list(_entries(content))
    at = draw.randrange(len(entries))
    name, inside = entries[at]
    array = np.lib.format.read_array(io.BytesIO(inside), allow_pickle=False)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, _other(array, draw), allow_pickle=False)
    return _packed([*entries[:at], (name, stream.getvalue()), *entries[at + 1 :]])


def _other(array: Any, draw: random.Random) -> Any:
    flat = array.ravel().copy()
    if not flat.size:
        return np.zeros(3, array.dtype)
    i, j = draw.randrange(flat.size), draw.randrange(flat.size)
    kind = draw.randrange(9)
    if kind == 0:
        return array[::-1].copy()
    if kind == 1 and flat.size > 1:
        flat[i], flat[j] = flat[j], flat[i]
    elif kind == 2 and array.dtype.kind == "f":
        flat[i] = draw.choice((np.nan, np.inf, -1.0, 1e308, 2.0, 0.0))
    elif kind == 3:
        return array.T.copy() if array.ndim > 1 else array[:-1].copy()
    elif kind == 4:
        return array.astype(draw.choice((np.float32, np.float16, np.int64, np.uint8, np.complex128, "S8")))
    elif kind == 5:
        return array[None]
    elif kind == 6:
        return np.concatenate([flat, flat])
    elif kind == 7:
        return array * 2 if array.dtype.kind in "fiu" else ~array
    else:
        flat[i] = flat[j]
    return flat.reshape(array.shape)


def _facts(content: bytes, draw: random.Random) -> bytes:
    """An archive made anew with other facts."""
    entries = list(_entries(content))
    found = [(at, start) for at, (_, inside) in enumerate(entries) if (start := inside.find(b"\n{")) > 0]
    if not found:
        return _numbers(content, draw)
    at, start = draw.choice(found)
    name, inside = entries[at]
    document = _document(inside[start + 1 :], draw)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.frombuffer(document, np.uint8), allow_pickle=False)
    return _packed([*entries[:at], (name, stream.getvalue()), *entries[at + 1 :]])


# JSON and text

_WORTHS = ("null", "true", "-1", "0", "1.5", "1e999", "NaN", "-Infinity", "1" * 400, '""', '"x"', "[]", "{}", "[[[]]]", '{"a": 1}', '"\\u0000\\n\\u001b[31m"', '"' + "x" * 3000 + '"')  # fmt: skip


def _document(content: bytes, draw: random.Random) -> bytes:
    """A JSON document with one value of another kind, another name, a trap, or something else in its place."""
    if draw.random() < 0.1:
        return draw.choice((b"", b"[]", b"3", b"null", b'"x"', b"[" * 100000, b'{"a":' * 50000, b"\xff\xfe", b"{", content[:-1], b'{"a": 1, "a": 2}'))
    document = json.loads(content)
    holder, key = document, None
    while isinstance(holder, dict | list) and holder and (key is None or draw.random() < 0.7):
        where = draw.choice(list(holder)) if isinstance(holder, dict) else draw.randrange(len(holder))
        if key is not None and not isinstance(holder[where], dict | list):
            break
        key, parent = where, holder
        if isinstance(holder[where], dict | list) and holder[where]:
            holder = holder[where]
        else:
            break
    if key is None:
        return b"{}"
    kind = draw.randrange(5)
    mark = "mark of the attack"
    if kind == 0 and isinstance(parent, dict):
        parent[draw.choice((*TRAPS, "x", "", "é", mark))] = parent.pop(key)
    elif kind == 1:
        del parent[key]
    elif kind == 2:
        parent[key] = draw.choice(TRAPS)
    elif kind == 3 and isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
        parent[key] = draw.choice((parent[key] + 1, -parent[key], parent[key] * 1.0001, 10**30))
    else:
        parent[key] = mark
    return json.dumps(document).replace(f'"{mark}"', draw.choice(_WORTHS)).encode()


def _text(content: bytes, draw: random.Random) -> bytes:
    """A text with words of another kind in it, lines twice or missing, other numbers, traps."""
    text = content.decode("utf-8", "replace")
    words = text.split(" ")
    at, lines = draw.randrange(len(words)), text.splitlines(keepends=True)
    line = draw.randrange(len(lines)) if lines else 0
    kind = draw.randrange(7)
    if kind == 0:
        words[at] = draw.choice((*TRAPS, *JUNK)).encode("utf-8", "replace").decode()
    elif kind == 1:
        words.insert(at, draw.choice(("nan", "inf", "-1", "1e308", "1e-300", "1" * 400, "{", "}", '"', "[", "#", ":", "\x00", "\ufeff", "\u2028")))
    elif kind == 2 and lines:
        del lines[line]
        words = "".join(lines).split(" ")
    elif kind == 3 and lines:
        lines.insert(line, lines[draw.randrange(len(lines))] * draw.choice((1, 2, 200)))
        words = "".join(lines).split(" ")
    elif kind == 4:
        return text.replace("\n", draw.choice(("\r\n", "\r", "\x0b", "\u2028", " "))).encode()
    elif kind == 5:
        return text.encode(draw.choice(("utf-16", "utf-32", "utf-8-sig", "cp037")))
    else:
        words[at] = words[at] * draw.choice((2, 1000))
    return " ".join(words).encode()


BYTES: tuple[Way, ...] = (_flip, _flip, _cut, _filled, _doubled, _replaced)
ARCHIVE: tuple[Way, ...] = (_directory, _renamed, _headers, _numbers, _facts)


def damaged(content: bytes, draw: random.Random) -> tuple[str, bytes]:
    """Content damaged in one way, and the name of the way."""
    ways = BYTES
    if content.startswith(b"PK") and draw.random() < 0.75:
        ways = ARCHIVE
    elif content.startswith(b"{") and draw.random() < 0.6:
        ways = (_document,)
    elif not content.startswith(b"PK") and draw.random() < 0.6:
        ways = (_text,)
    way = draw.choice(ways)
    try:
        return way.__name__.strip("_"), way(content, draw)
    except (ValueError, OverflowError, struct.error, zipfile.LargeZipFile, zlib.error):  # a name or number that no archive can hold
        return "flip", _flip(content, draw)
