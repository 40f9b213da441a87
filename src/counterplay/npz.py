"""Zips of plain NumPy arrays, as `numpy.savez` writes them, read without trust: sizes are checked before allocation.

`numpy.load` trusts the sizes in such a file, and damage raises any of a dozen exceptions.
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
import zipfile
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from counterplay.arrays import AnyArray

_DTYPES = frozenset(("|b1", "|i1", "|u1", *(f"<{kind}" for kind in ("i2", "i4", "i8", "u2", "u4", "u8", "f4", "f8"))))
"""The allowed dtypes of arrays."""
_TEXT = re.compile(r"<U\d{1,9}")
"""A single text of NumPy's: one old format keeps its facts in one."""
_HEADER = re.compile(
    rb"\{'descr': '([<|]\w{2,10})', 'fortran_order': (True|False), 'shape': \(([\d, ]{0,80})\), \} *\n"
)
_MEMBERS, _DIRECTORY, _LONGEST = 256, 2**16, 2**9
"""Most members of a zip, bytes of their directory, bytes of an array's header."""
_FLAGS = 0x80E
"""Of a zip's member: how hard it was compressed, sizes behind it, name in UTF-8. Others mean encryption and the like."""
_RATIO = 1032
"""How far deflate can compress at most."""
_PIECE = 2**20
_LOCAL = struct.Struct("<4s22xHH")
"""The head of a member in the zip: behind it come so many bytes of its name, and so many more."""
_DATE = (1980, 1, 1, 0, 0, 0)


class DamageError(Exception):
    """An error in a file, as the end of a sentence."""


@dataclass(frozen=True)
class Member:
    """One array, by directory and header.

    Attributes:
        info: its entry in the zip.
        dtype: of its numbers, as NumPy writes it.
        shape: of the array.
        turned: whether the first index runs fastest.
        start: bytes of the header.
    """

    info: zipfile.ZipInfo
    dtype: str
    shape: tuple[int, ...]
    turned: bool
    start: int

    @property
    def stored(self) -> bool:
        """Whether it is not compressed."""
        return self.info.compress_type == zipfile.ZIP_STORED

    @property
    def is_text(self) -> bool:
        """Whether it is a text instead of numbers."""
        return self.dtype[1] == "U"


def directory(stream: BinaryIO, names: Set[str], packed: bool) -> tuple[zipfile.ZipFile, dict[str, Member]]:
    """The members of a zip, with plausible sizes.

    Args:
        stream: of the whole file; its position does not matter.
        names: allowed names.
        packed: whether they may be compressed.

    Raises:
        DamageError: it is no such zip; what `zipfile` and `zlib` raise comes through too.
    """
    size = stream.seek(0, 2)
    _check_end(stream, size)
    archive, found = zipfile.ZipFile(stream), dict[str, Member]()
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name not in names or f"{name}.npy" != info.filename:
            raise DamageError(f"it holds {name[:40]!r}, which such a file has not")
        if name in found:
            raise DamageError(f"it holds {name} twice")
        _check_member(info, name, packed, size)
        with archive.open(info) as content:
            found[name] = _header(info, content)
    return archive, found


def _check_end(stream: BinaryIO, size: int) -> None:
    """The directory of a zip stands at its end, and of ours it is short: checked before anything of it is read."""
    stream.seek(max(0, size - 98))
    tail = stream.read(98)
    if tail[-22:-18] != b"PK\5\6" or tail[-2:] != b"\0\0":
        raise DamageError("its end is missing")
    count, length = struct.unpack("<HL", tail[-12:-6])
    if tail[-42:-38] == b"PK\6\7":  # more than 2 GiB: the numbers stand in a record in front of that
        if tail[:4] != b"PK\6\6" or struct.unpack("<Q", tail[-34:-26])[0] != size - 98:
            raise DamageError("its directory is broken")
        count, length = struct.unpack("<QQ", tail[32:48])
    if count > _MEMBERS or length > _DIRECTORY:
        raise DamageError("its directory is too long")


def _check_member(info: zipfile.ZipInfo, name: str, packed: bool, size: int) -> None:
    stored = info.compress_type == zipfile.ZIP_STORED
    if info.flag_bits & ~_FLAGS:
        raise DamageError(f"its {name} are encrypted, or written in a way that is not read here")
    if not stored and (info.compress_type != zipfile.ZIP_DEFLATED or not packed):
        raise DamageError(f"its {name} are compressed in a way that is not read here")
    if info.header_offset < 0 or info.header_offset + info.compress_size > size:
        raise DamageError(f"its {name} are longer than the file")
    if info.file_size > (info.compress_size if stored else _RATIO * info.compress_size):
        raise DamageError(f"its {name} claim to be larger than they can be")


def _header(info: zipfile.ZipInfo, stream: Any) -> Member:
    """The checked header of a .npy: plain numbers, as many as there are bytes for."""
    magic = stream.read(10)
    length = struct.unpack("<H", magic[8:])[0] if magic[:8] == b"\x93NUMPY\1\0" else 0
    read = _HEADER.fullmatch(stream.read(min(length, _LONGEST)))
    if read is None:
        raise DamageError(f"the header of {info.filename} is none")
    dtype, turned, numbers = (part.decode() for part in read.groups())
    shape = tuple(int(number) for number in numbers.split(",") if number.strip())
    if dtype not in _DTYPES and not (_TEXT.fullmatch(dtype) and not shape):
        raise DamageError(f"{info.filename} holds {dtype}, and not plain numbers")
    width = int(dtype[2:]) * (4 if dtype[1] == "U" else 1)
    if len(shape) > 4 or 10 + length + width * math.prod(shape) != info.file_size:
        raise DamageError(f"the header of {info.filename} claims another size than it has")
    return Member(info, dtype, shape, turned == "True", 10 + length)


def numbers_of(archive: zipfile.ZipFile, member: Member) -> tuple[AnyArray, str]:
    """The numbers of a member, read piece by piece into memory of the size that was checked, in its shape; and its SHA-256.

    Raises:
        DamageError: there are fewer, or flags that are neither true nor false; `zipfile` and `zlib` raise what they raise.
    """
    import numpy as np

    out = np.empty(math.prod(member.shape), member.dtype)
    room, at = out.view(np.uint8) if out.size else np.zeros(0, np.uint8), 0
    with archive.open(member.info) as stream:
        digest = hashlib.sha256(stream.read(member.start))
        while piece := stream.read(_PIECE):  # to the end, where the zip compares its own sum
            room[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
            digest.update(piece)
            at += len(piece)
    if at != room.size:
        raise DamageError(f"{member.info.filename} is cut off")
    if member.dtype == "|b1" and (room > 1).any():
        raise DamageError(f"{member.info.filename} is neither true nor false")
    return out.reshape(member.shape, order="F" if member.turned else "C"), digest.hexdigest()


def mapped_numbers(path: Path, member: Member) -> tuple[AnyArray, str]:
    """The numbers of an uncompressed member, mapped into memory, in its shape; and its SHA-256.

    Raises:
        DamageError: it is compressed, or there are fewer.
    """
    import numpy as np

    if not member.stored or not math.prod(member.shape):
        raise DamageError(f"{member.info.filename} cannot be mapped")
    with path.open("rb") as stream:
        stream.seek(member.info.header_offset)
        local = stream.read(_LOCAL.size)
        if len(local) < _LOCAL.size or local[:4] != b"PK\3\4":
            raise DamageError(f"{member.info.filename} has no beginning")
        first = member.info.header_offset + _LOCAL.size + sum(_LOCAL.unpack(local)[-2:])
    whole = np.memmap(path, np.uint8, "c", first, (member.info.file_size,))
    digest = hashlib.sha256()
    for at in range(0, len(whole), _PIECE):
        digest.update(whole[at : at + _PIECE].data)
    found = np.asarray(whole)[member.start :].view(member.dtype)
    found = found if found.flags.aligned else found.copy()
    return found.reshape(member.shape, order="F" if member.turned else "C"), digest.hexdigest()


def put(archive: zipfile.ZipFile, name: str, array: AnyArray, packed: bool) -> str:
    """Write one array, of any shape, as NumPy would; the SHA-256 of it."""
    from numpy.lib import format as npy

    array = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    info = zipfile.ZipInfo(f"{name}.npy", _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    digest = hashlib.sha256()
    with archive.open(info, "w", force_zip64=True) as stream:
        both = _Both(stream, digest)
        npy.write_array_header_1_0(both, npy.header_data_from_array_1_0(array))  # type: ignore[arg-type]
        content = memoryview(array.data).cast("B") if array.size else b""
        for at in range(0, len(content), _PIECE):
            both.write(content[at : at + _PIECE])
    return digest.hexdigest()


@dataclass(frozen=True)
class _Both:
    """A stream that also feeds a digest."""

    stream: Any
    digest: Any

    def write(self, piece: Any) -> None:
        self.stream.write(piece)
        self.digest.update(piece)
