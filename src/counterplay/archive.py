"""Archives: the file format of strategies, solved spots, blueprints, agents and sampled values.

An archive is a zip of plain NumPy arrays (`NAME.npy`, so that `numpy.load` reads it too), and of two members of bytes:

    manifest    JSON: {"kind", "format", "facts": {...}, "arrays": {name: SHA-256 of its member}}
    checksum    SHA-256 of the manifest, and thereby of all facts and all arrays together

Nothing in it is code, and nothing is trusted, as `numpy.load` trusts the sizes: names, kinds, shapes and sizes are checked
in the headers, against the size of the file and against what the reader expects, before memory is allocated for an array.
The checksum detects damage, altered facts and exchanged arrays, not forgery.

Files from before manifests hold their facts under another name and have no checksum. They are read with the same
checks, and one line on stderr says so.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
import sys
import zipfile
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from counterplay.errors import FileError, InputError
from counterplay.files import read_json, write_whole

if TYPE_CHECKING:
    from counterplay.arrays import AnyArray

MANIFEST, CHECKSUM = "manifest", "checksum"
_FACTS, _PACKED_FACTS = 2**26, 2**24
"""Most bytes of facts, and of compressed ones."""
_told: set[str] = set()
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


@dataclass(frozen=True)
class ArchiveKind:
    """A kind of archive.

    Attributes:
        name: with its article, for messages: "a solved spot".
        format: number of the present format.
        older: numbers of formats that are read, too.
        arrays: names of the arrays that such a file may hold.
        packed: whether its arrays may be compressed. Those that are not cannot take more memory than the file has bytes.
        old: names under which files without a manifest hold their facts.
    """

    name: str
    format: int
    arrays: frozenset[str]
    packed: bool = False
    old: frozenset[str] = frozenset()
    older: frozenset[int] = frozenset()


class Archive:
    """An archive with a checked directory and headers, readable while `opened` is. `sealed` if it has a manifest and a
    checksum; without them its facts are empty, and its format is 0.
    """

    def __init__(self, path: str | Path, kind: ArchiveKind, stream: BinaryIO) -> None:
        self.path, self._kind, self._in_file = path, kind, not isinstance(stream, BytesIO)
        self._zip, self._members = directory(stream, kind.arrays | kind.old | {MANIFEST, CHECKSUM}, kind.packed)
        self.sealed = MANIFEST in self._members
        self.facts: dict[str, Any] = {}
        self.format: Any = 0
        self._digests: dict[str, str] = {}
        if not self.sealed:
            return
        seal = self._member(CHECKSUM)
        if seal.shape != (hashlib.sha256().digest_size,) or not self._members[MANIFEST].stored:
            raise DamageError("its manifest is none")
        manifest = self._bytes(MANIFEST)
        if self._read(CHECKSUM, seal).tobytes() != hashlib.sha256(manifest).digest():
            raise DamageError("its checksum does not fit its facts")
        content = read_json(manifest, infinite=False)
        if not isinstance(content, dict) or {type(content.get(key)) for key in ("facts", "arrays")} != {dict}:
            raise DamageError("its manifest is none")
        if content.get("kind") != self._kind.name:
            raise FileError(f"{self.path} is {str(content.get('kind'))[:40]}, and {self._kind.name} is needed")
        self.format = content.get("format")
        if self.format not in {self._kind.format} | self._kind.older:
            raise FileError(f"{self.path} was written in a format that this version does not read")
        self.facts, self._digests = content["facts"], content["arrays"]
        if {MANIFEST, CHECKSUM, *self._digests} != set(self._members):
            raise DamageError("its arrays are not those of its manifest")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each array's member, as the manifest has them."""
        return dict(self._digests)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, by its header."""
        with _blamed(self.path, self._kind):
            return self._member(name).shape

    def array(self, name: str, shape: tuple[int | None, ...], kinds: str = "f") -> AnyArray:
        """An array.

        Args:
            name: of its member, without `.npy`.
            shape: the required shape; None is any length, for uncompressed arrays.
            kinds: allowed kinds of numbers: any of `f`, `i`, `u` and `b`.

        Raises:
            InputError: a missing, wrong or damaged array.
        """
        with _blamed(self.path, self._kind):
            return self._read(name, self._fitting(name, shape, kinds))

    def mapped(self, name: str, shape: tuple[int | None, ...], kinds: str = "f") -> AnyArray:
        """The array, mapped into memory where it is not compressed: processes that read one file share its pages. What is
        written to the array stays in the process."""
        with _blamed(self.path, self._kind):
            member = self._fitting(name, shape, kinds)
            mapped = mapped_numbers(Path(self.path), member) if self._in_file else numbers_of(self._zip, member)
            return self._checked(name, *mapped)

    def _fitting(self, name: str, shape: tuple[int | None, ...], kinds: str) -> Member:
        """The member of an array, if it is as required."""
        member = self._member(name)
        fits = len(shape) == len(member.shape) and member.dtype[1] in kinds
        for wanted, length in zip(shape, member.shape, strict=False):
            fits &= length == wanted or (wanted is None and member.stored)
        if not fits:
            raise DamageError(f"its {name} are {member.dtype}{list(member.shape)}, which does not fit")
        return member

    def old_facts(self, name: str) -> Any:
        """The facts of a file without a manifest, and a line on stderr that says so."""
        with _blamed(self.path, self._kind):
            if self.sealed:
                raise DamageError(f"it has a manifest and a {name}")
            facts = read_json(self._bytes(name))
        if str(self.path) not in _told:
            _told.add(str(self.path))
            print(
                f"{self.path} has no checksum, which such files have now: save it again to give it one", file=sys.stderr
            )
        return facts

    def _member(self, name: str) -> Member:
        if name not in self._members:
            raise DamageError(f"it has no {name}")
        return self._members[name]

    def _bytes(self, name: str) -> bytes:
        """A member that holds JSON: bytes, or a text of NumPy's."""
        member = self._member(name)
        if member.info.file_size > (_FACTS if member.stored else _PACKED_FACTS):
            raise DamageError(f"its {name} is too long")
        content = self._read(name, member).tobytes()
        return content.decode("utf-32-le").rstrip("\0").encode() if member.is_text else content

    def _read(self, name: str, member: Member) -> AnyArray:
        return self._checked(name, *numbers_of(self._zip, member))

    def _checked(self, name: str, array: AnyArray, digest: str) -> AnyArray:
        if name in self._digests and digest != self._digests[name]:
            raise DamageError(f"its {name} are not those that its checksum was made of")
        return array


@contextmanager
def opened(path: str | Path, kind: ArchiveKind, content: bytes | None = None) -> Iterator[Archive]:
    """An archive to read; content: of one that lies within the file, as `archive_bytes` made it.

    Raises:
        InputError: a missing file, another kind, or a damaged one; the message names the file.
    """
    try:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise FileError(f"cannot read {path}: it is no plain file")
        stream: BinaryIO = Path(path).open("rb") if content is None else BytesIO(content)  # noqa: SIM115 - it is closed below
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    with stream:
        with _blamed(path, kind):
            archive = Archive(path, kind, stream)
        yield archive


@contextmanager
def _blamed(path: str | Path, kind: ArchiveKind) -> Iterator[None]:
    """Report all errors of damaged files in one sentence: zip, zlib and NumPy have a dozen exceptions."""
    try:
        yield
    except (MemoryError, FileError):
        raise
    except InputError as error:
        raise FileError(f"{path} is not {kind.name}, or it is damaged: {error}") from None
    except Exception as error:
        why = " ".join(str(error).split())[:120] or type(error).__name__
        raise FileError(f"{path} is not {kind.name}, or it is damaged: {why}") from None


def write(path: str | Path, kind: ArchiveKind, facts: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write an archive, whole or not at all; facts are plain numbers and texts, arrays of any shape.

    Raises:
        InputError: the file cannot be written.
    """
    write_whole(Path(path), lambda stream: _write(stream, kind, facts, arrays))


def archive_bytes(kind: ArchiveKind, facts: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> bytes:
    """The bytes of such a file; arrays of any shape."""
    stream = BytesIO()
    _write(stream, kind, facts, arrays)
    return stream.getvalue()


def _write(stream: BinaryIO, kind: ArchiveKind, facts: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    import numpy as np

    with zipfile.ZipFile(stream, "w") as archive:
        digests = {name: put(archive, name, np.asarray(array), kind.packed) for name, array in arrays.items()}
        about = {"kind": kind.name, "format": kind.format, "facts": plain(facts), "arrays": digests}
        manifest = json.dumps(about, allow_nan=False).encode()
        put(archive, MANIFEST, np.frombuffer(manifest, np.uint8), packed=False)
        put(archive, CHECKSUM, np.frombuffer(hashlib.sha256(manifest).digest(), np.uint8), packed=False)


def plain(value: Any) -> Any:
    """A value as JSON data: Python numbers for NumPy's, lists for tuples, and None for non-finite numbers."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


class DamageError(Exception):
    """An error in a file, as the end of a sentence."""


@dataclass(frozen=True)
class Member:
    """One array, by directory and header: `turned` if the first index runs fastest; `start` are the bytes of the header."""

    info: zipfile.ZipInfo
    dtype: str
    shape: tuple[int, ...]
    turned: bool
    start: int

    @property
    def stored(self) -> bool:
        """Return whether it is not compressed."""
        return self.info.compress_type == zipfile.ZIP_STORED

    @property
    def is_text(self) -> bool:
        """Return whether it is a text instead of numbers."""
        return self.dtype[1] == "U"


def directory(stream: BinaryIO, names: Set[str], packed: bool) -> tuple[zipfile.ZipFile, dict[str, Member]]:
    """The members of a zip, of allowed names and with plausible sizes; packed: whether they may be compressed. Errors of
    `zipfile` and `zlib` come through.
    """
    size = stream.seek(0, 2)
    # The directory of a zip stands at its end, and of ours it is short: checked before anything of it is read.
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
    archive, members = zipfile.ZipFile(stream), dict[str, Member]()
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name not in names or f"{name}.npy" != info.filename:
            raise DamageError(f"it holds {name[:40]!r}, which such a file has not")
        if name in members:
            raise DamageError(f"it holds {name} twice")
        stored = info.compress_type == zipfile.ZIP_STORED
        if info.flag_bits & ~_FLAGS:
            raise DamageError(f"its {name} are encrypted, or written in a way that is not read here")
        if not stored and (info.compress_type != zipfile.ZIP_DEFLATED or not packed):
            raise DamageError(f"its {name} are compressed in a way that is not read here")
        if info.header_offset < 0 or info.header_offset + info.compress_size > size:
            raise DamageError(f"its {name} are longer than the file")
        if info.file_size > (info.compress_size if stored else _RATIO * info.compress_size):
            raise DamageError(f"its {name} claim to be larger than they can be")
        with archive.open(info) as content:
            members[name] = _header(info, content)
    return archive, members


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
    """The numbers of a member, read piece by piece into memory of the checked size, in its shape; and its SHA-256."""
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
    """The numbers of an uncompressed member, mapped into memory, in its shape; and its SHA-256."""
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
    numbers = np.asarray(whole)[member.start :].view(member.dtype)
    numbers = numbers if numbers.flags.aligned else numbers.copy()
    return numbers.reshape(member.shape, order="F" if member.turned else "C"), digest.hexdigest()


def put(archive: zipfile.ZipFile, name: str, array: AnyArray, packed: bool) -> str:
    """Write one array, of any shape, as NumPy would; the SHA-256 of it."""
    from numpy.lib import format as npy

    array = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    info = zipfile.ZipInfo(f"{name}.npy", _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    digest = hashlib.sha256()
    header = BytesIO()
    npy.write_array_header_1_0(header, npy.header_data_from_array_1_0(array))
    content = memoryview(array.data).cast("B") if array.size else b""
    with archive.open(info, "w", force_zip64=True) as stream:
        for piece in (header.getbuffer(), *(content[at : at + _PIECE] for at in range(0, len(content), _PIECE))):
            stream.write(piece)
            digest.update(piece)
    return digest.hexdigest()
