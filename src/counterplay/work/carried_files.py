"""What goes with work to other processes: tables in shared memory on this machine, files by their digests to others.

Shared tables travel as where they are. The memory has no name and no file, so that nothing of it stays when the last process
that sees it ends, however it ends. Elsewhere, and where the system has no such memory, numbers travel: those that have
changed, or all.

Files that work names travel once to each cache. Texts and paths of the work keep the names that they have here. Where it is
unpickled, these are replaced by the names of copies in the cache folder of that machine, which bear the digests of their
contents.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import tempfile
import weakref
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache, lru_cache
from io import BytesIO
from mmap import ACCESS_READ, ACCESS_WRITE, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.cache_folder import cache_folder, make_trusted, prune
from counterplay.errors import InputError
from counterplay.files import write_whole

if TYPE_CHECKING:
    from counterplay.arrays import AnyArray

_LINE = 64
"""Tables begin at such multiples of bytes: a line of the cache."""
_OPEN = 16
"""Tables of other processes that stay open."""


class Reach(Enum):
    """What whoever gets tables has already: they see our memory, have kept what came before, or have nothing."""

    MEMORY = "memory"
    KEPT = "kept"
    NOTHING = "nothing"

    def less(self) -> Reach:
        """What remains to be tried where this was too much."""
        return Reach.KEPT if self is Reach.MEMORY else Reach.NOTHING


class Travelling(ABC):
    """What travels to a worker of a cluster otherwise than to a process of our own."""

    @abstractmethod
    def reduce_for(self, reach: Reach) -> tuple[Any, ...]:
        """What pickles it there (see `object.__reduce__`)."""


class _Place(NamedTuple):
    """Where a table lies in the memory."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    begin: int


class UnseenTablesError(InputError):
    """Tables in the memory of a process that has ended, or of another machine, or that rest on others that are not
    there."""


class SharedTables(Travelling, Mapping[str, "AnyArray"]):
    """Tables of zeros, with the names, shapes and dtypes of others. Only one process writes to them, while others do
    not read; written: other processes write to them, too, in turn with this one."""

    def __init__(self, like: Mapping[str, AnyArray], *, written: bool = False) -> None:
        import numpy as np

        self._places, size, self._written = list[_Place](), 0, written
        for name, table in like.items():
            self._places.append(_Place(name, table.shape, table.dtype.str, size))
            size += -(-table.nbytes // _LINE) * _LINE
        self._handle = _memory(size)
        if self._handle is None:
            self._tables = {name: np.zeros(table.shape, table.dtype) for name, table in like.items()}
        else:
            weakref.finalize(self, os.close, self._handle)
            self._tables = _mapped(mmap(self._handle, size), self._places)

    def __getitem__(self, name: str) -> AnyArray:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process of this machine."""
        return self.reduce_for(Reach.MEMORY)

    def reduce_for(self, reach: Reach) -> tuple[Any, ...]:
        """The place of the memory, where it is seen; else the tables."""
        if self._handle is None or reach is not Reach.MEMORY:
            return dict, (self._tables,)
        number = os.fstat(self._handle).st_ino
        place = f"/proc/{os.getpid()}/fd/{self._handle}"
        return _seen, (place, number, tuple(self._places), self._written)

    @property
    def is_shared(self) -> bool:
        """Return whether other processes of this machine can see them."""
        return self._handle is not None


def _memory(size: int) -> int | None:
    """The handle of new memory full of zeros; None where the system has none that other processes can open."""
    if size == 0 or not hasattr(os, "memfd_create") or not os.path.isdir("/proc/self/fd"):
        return None
    handle = os.memfd_create("counterplay")
    try:
        os.ftruncate(handle, size)
    except OSError:
        os.close(handle)
        return None
    return handle


@lru_cache(maxsize=_OPEN)
def _seen(path: str, number: int, places: tuple[_Place, ...], written: bool) -> Mapping[str, AnyArray]:
    """The tables of another process, if it runs and does so here; the last ones stay open."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDWR if written else os.O_RDONLY)
        try:
            if os.fstat(handle).st_ino == number:
                return _mapped(mmap(handle, 0, access=ACCESS_WRITE if written else ACCESS_READ), places)
        finally:
            os.close(handle)
    raise UnseenTablesError("the process that gave this work has ended")


def _mapped(memory: mmap, places: Iterable[_Place]) -> dict[str, AnyArray]:
    import numpy as np

    return {
        place.name: np.ndarray(place.shape, np.dtype(place.dtype), buffer=memory, offset=place.begin)
        for place in places
    }


FILES = "files"
"""The part of the cache folder with copies of files that work names."""
_NAME = re.compile(r"[^\s:;,=()\[\]]+\.\w{1,9}")
"""A file's name within a text such as `bias:fold=0.2:bot.cpb`."""
_CODE = (".py", ".pyc", ".so", ".pyd")
_LONGEST = 100_000
"""Characters of a text that is searched for names."""
_LARGE = 2**20
"""Bytes of an array that lies beside the pickled work."""
_checked: set[Path] = set()


class CachedFile(NamedTuple):
    """A file of the cache folder."""

    part: str
    name: str


class Carried(NamedTuple):
    """A file with its digest, to be carried to another cache."""

    file: CachedFile
    digest: str


Packed = tuple[Any, ...]
"""Pickled work: bytes, and of each of its large arrays the bytes as they lie in memory."""


def pack(work: Any, *, reach: Reach = Reach.NOTHING) -> tuple[Packed, dict[CachedFile, Path]]:
    """Pickled work, and the files that it names, but for code. reach: what those have already for whom it is.

    Raises:
        PicklingError, AttributeError, TypeError: as of `pickle.dumps`.
        InputError: a file cannot be read.
    """
    stream = BytesIO()
    packer = _Packer(stream, reach)
    packer.dump(work)
    return (pickle.dumps((packer.names, stream.getvalue())), *packer.arrays), packer.files


def unpack(packed: Packed) -> Any:
    """The work again; all files that it names must be in the cache."""
    names, body = pickle.loads(packed[0])
    return _Unpacker(BytesIO(body), names, packed[1:]).load()


def packed_digest(packed: Packed) -> str:
    """SHA-256 of the bytes, and of the check sums of the arrays."""
    sums = [zlib.crc32(array) for array in packed[1:]]
    return hashlib.sha256(b"".join([packed[0], *(number.to_bytes(4) for number in sums)])).hexdigest()


class _Packer(pickle.Pickler):
    """Puts numbers in the place of texts and paths that name files: `names` has by number the text, or None for a path,
    and its files. Large arrays are not copied."""

    def __init__(self, stream: BytesIO, reach: Reach) -> None:
        super().__init__(stream, protocol=5, buffer_callback=self._is_small)
        self._reach = reach
        self.arrays: list[Any] = []
        self.names: list[tuple[str | None, dict[str, CachedFile]]] = []
        self.files: dict[CachedFile, Path] = {}

    def persistent_id(self, found: Any) -> Any:
        if isinstance(found, Path):
            text, words = None, [str(found)]
        elif type(found) is str and len(found) <= _LONGEST:
            text, words = found, _NAME.findall(found)
        else:
            return None
        copies = {word: copy for word in words if (copy := self._carried(Path(word))) is not None}
        if not copies:
            return None
        self.names.append((text, copies))
        return len(self.names) - 1

    def _is_small(self, buffer: pickle.PickleBuffer) -> bool:
        """Return whether an array goes with the bytes; it is kept otherwise."""
        is_small = buffer.raw().nbytes < _LARGE
        if not is_small:
            self.arrays.append(buffer)
        return is_small

    def reducer_override(self, found: Any) -> Any:
        return found.reduce_for(self._reach) if isinstance(found, Travelling) else NotImplemented

    def _carried(self, path: Path) -> CachedFile | None:
        """Where the copy of a file will be; None for what is no file of data."""
        try:
            if path.suffix in _CODE or not path.is_file():
                return None
        except (OSError, ValueError):  # no name of a file at all
            return None
        copy = CachedFile(FILES, content_digest(read(path)) + path.suffix)
        self.files[copy] = path
        return copy


class _Unpacker(pickle.Unpickler):
    def __init__(
        self, stream: BytesIO, names: list[tuple[str | None, dict[str, CachedFile]]], arrays: Sequence[Any]
    ) -> None:
        super().__init__(stream, buffers=arrays)
        self._names = names

    def persistent_load(self, number: Any) -> Any:
        text, copies = self._names[number]
        if text is None:
            return place_of(*copies.values())
        # All at once: a name may be the end of another, and of the place of another's copy.
        return _NAME.sub(lambda found: str(place_of(copies[found[0]])) if found[0] in copies else found[0], text)


def place_of(file: CachedFile) -> Path:
    """Where a file of the cache is, or will be."""
    return (cache_folder(file.part) or _without_cache() / file.part) / file.name


@cache
def _without_cache() -> Path:
    """A folder for this process, where there is no cache."""
    return Path(tempfile.mkdtemp(prefix="counterplay-"))


def absent(files: Sequence[CachedFile]) -> tuple[CachedFile, ...]:
    """Those of some named files that are not in this cache, or not as their digests say."""
    lacking = list[CachedFile]()
    for file in files:
        path = place_of(file)
        if path not in _checked and path.is_file() and content_digest(read(path)) == path.name.partition(".")[0]:
            _checked.add(path)
        if path not in _checked or not path.is_file():
            lacking.append(file)
    return tuple(lacking)


_IN_USE = 3600.0
"""Seconds for which a file that has come stays: one work may need more of them than the cache holds."""


def keep(carried: Carried, content: bytes) -> None:
    """Put a file that has come into the cache, or raise an `InputError`: it is not what its digest says, or cannot be
    written."""
    if content_digest(content) != carried.digest:
        raise InputError(f"the file {carried.file.name} was damaged on its way")
    path = place_of(carried.file)
    try:
        make_trusted(path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    write_whole(path, content)
    prune(path.parent, spared=_IN_USE)


def content_digest(content: bytes) -> str:
    """SHA-256."""
    return hashlib.sha256(content).hexdigest()


def read(path: Path) -> bytes:
    """The content of a file, or an `InputError`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
