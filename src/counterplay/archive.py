"""Archives: the file format of strategies, solved spots, blueprints, agents and sampled values.

An archive is a zip of plain NumPy arrays (`NAME.npy`, so that `numpy.load` reads it too), and of two members of bytes:

    manifest    JSON: {"kind", "format", "facts": {...}, "arrays": {name: SHA-256 of its member}}
    checksum    SHA-256 of the manifest, and thereby of all facts and all arrays together

Nothing in it is code, and nothing is trusted: names, kinds, shapes and sizes are checked in the headers, against the
size of the file and against what the reader expects, before memory is allocated for an array. The checksum detects
damage, altered facts and exchanged arrays, not forgery.

Files from before manifests hold their facts under another name and have no checksum. They are read with the same
checks, and one line on stderr says so.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from counterplay.errors import FileError, InputError
from counterplay.files import write_whole
from counterplay.json_text import read_json
from counterplay.npz import DamageError, Member, directory, mapped_numbers, numbers_of, put

if TYPE_CHECKING:
    from counterplay.arrays import AnyArray

MANIFEST, CHECKSUM = "manifest", "checksum"
_FACTS, _PACKED_FACTS = 2**26, 2**24
"""Most bytes of facts, and of compressed ones."""
_told: set[str] = set()


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
    """An archive with a checked directory and headers. Made by `opened`; readable while that is open.

    Attributes:
        path: of the file.
        facts: those of the manifest; empty without one.
        sealed: whether it has a manifest and a checksum.
        format: number of its format; 0 without a manifest.
    """

    def __init__(self, path: str | Path, kind: ArchiveKind, stream: BinaryIO) -> None:
        self.path, self._kind, self._in_file = path, kind, not isinstance(stream, BytesIO)
        self._zip, self._members = directory(stream, kind.arrays | kind.old | {MANIFEST, CHECKSUM}, kind.packed)
        self.sealed = MANIFEST in self._members
        self.facts: dict[str, Any] = {}
        self.format: Any = 0
        self._digests: dict[str, str] = {}
        if self.sealed:
            self._open_manifest()

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
        """The array of that `shape`, mapped into memory where it is not compressed: processes that read one file share its
        pages. What is written to the array stays in the process."""
        with _blamed(self.path, self._kind):
            member = self._fitting(name, shape, kinds)
            found, digest = mapped_numbers(Path(self.path), member) if self._in_file else numbers_of(self._zip, member)
            return self._checked(name, found, digest)

    def _fitting(self, name: str, shape: tuple[int | None, ...], kinds: str) -> Member:
        """The member of an array, if it is as required."""
        member = self._member(name)
        fits = len(shape) == len(member.shape) and member.dtype[1] in kinds
        for wanted, found in zip(shape, member.shape, strict=False):
            fits &= found == wanted or (wanted is None and member.stored)
        if not fits:
            raise DamageError(f"its {name} are {member.dtype}{list(member.shape)}, which does not fit")
        return member

    def old_facts(self, name: str) -> Any:
        """The facts of a file without a manifest, and a line on stderr that says so.

        Raises:
            InputError: missing facts, or invalid JSON.
        """
        with _blamed(self.path, self._kind):
            if self.sealed:
                raise DamageError(f"it has a manifest and a {name}")
            found = read_json(self._bytes(name))
        if str(self.path) not in _told:
            _told.add(str(self.path))
            print(
                f"{self.path} has no checksum, which such files have now: save it again to give it one", file=sys.stderr
            )
        return found

    def _member(self, name: str) -> Member:
        if name not in self._members:
            raise DamageError(f"it has no {name}")
        return self._members[name]

    def _open_manifest(self) -> None:
        seal = self._member(CHECKSUM)
        if seal.shape != (hashlib.sha256().digest_size,) or not self._members[MANIFEST].stored:
            raise DamageError("its manifest is none")
        manifest = self._bytes(MANIFEST)
        if self._read(CHECKSUM, seal).tobytes() != hashlib.sha256(manifest).digest():
            raise DamageError("its checksum does not fit its facts")
        found = read_json(manifest, infinite=False)
        if not isinstance(found, dict) or {type(found.get(key)) for key in ("facts", "arrays")} != {dict}:
            raise DamageError("its manifest is none")
        if found.get("kind") != self._kind.name:
            raise FileError(f"{self.path} is {str(found.get('kind'))[:40]}, and {self._kind.name} is needed")
        self.format = found.get("format")
        if self.format not in {self._kind.format} | self._kind.older:
            raise FileError(f"{self.path} was written in a format that this version does not read")
        self.facts, self._digests = found["facts"], found["arrays"]
        if {MANIFEST, CHECKSUM, *self._digests} != set(self._members):
            raise DamageError("its arrays are not those of its manifest")

    def _bytes(self, name: str) -> bytes:
        """A member that holds JSON: bytes, or a text of NumPy's."""
        member = self._member(name)
        if member.info.file_size > (_FACTS if member.stored else _PACKED_FACTS):
            raise DamageError(f"its {name} is too long")
        content = self._read(name, member).tobytes()
        return content.decode("utf-32-le").rstrip("\0").encode() if member.is_text else content

    def _read(self, name: str, member: Member) -> AnyArray:
        return self._checked(name, *numbers_of(self._zip, member))

    def _checked(self, name: str, found: AnyArray, digest: str) -> AnyArray:
        if name in self._digests and digest != self._digests[name]:
            raise DamageError(f"its {name} are not those that its checksum was made of")
        return found


@contextmanager
def opened(path: str | Path, kind: ArchiveKind, content: bytes | None = None) -> Iterator[Archive]:
    """An archive to read.

    Args:
        path: the file.
        kind: of archive; a file of another is refused.
        content: of one that lies within the file, as `archive_bytes` made it.

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
    except MemoryError:
        raise
    except FileError:
        raise
    except InputError as error:
        raise FileError(f"{path} is not {kind.name}, or it is damaged: {error}") from None
    except Exception as error:
        why = " ".join(str(error).split())[:120] or type(error).__name__
        raise FileError(f"{path} is not {kind.name}, or it is damaged: {why}") from None


def write(path: str | Path, kind: ArchiveKind, facts: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write an archive, whole or not at all.

    Args:
        path: the file.
        kind: format and version.
        facts: plain numbers and texts.
        arrays: by name, of any shape.

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
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
