"""Tables that the processes of one machine see in the same memory: they travel to another process as where they are.

The memory has no name and no file, so that nothing of it stays when the last process that sees it ends, however it ends.
Elsewhere, and where the system has no such memory, the numbers travel.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
_LINE = 64
"""Tables begin at such multiples of bytes: a line of the cache."""


class _Place(NamedTuple):
    """Of a table in the memory: name, shape, dtype and first byte."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    begin: int


class UnseenTablesError(InputError):
    """Tables in the memory of a process that has ended, or of another machine."""


class SharedTables(Mapping[str, "Array"]):
    """Tables of zeros. Only this process writes to them; others read, while this one waits for them.

    Args:
        like: their names, shapes and dtypes.
    """

    def __init__(self, like: Mapping[str, Array]) -> None:
        import numpy as np

        self._places, size = list[_Place](), 0
        for name, table in like.items():
            self._places.append(_Place(name, table.shape, table.dtype.str, size))
            size += -(-table.nbytes // _LINE) * _LINE
        self._handle = _memory(size)
        if self._handle is None:
            self._tables = {name: np.zeros(table.shape, table.dtype) for name, table in like.items()}
        else:
            weakref.finalize(self, os.close, self._handle)
            self._tables = _mapped(mmap(self._handle, size), self._places)

    def __getitem__(self, name: str) -> Array:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process of this machine."""
        if self._handle is None:
            return self.reduce_elsewhere()
        number = os.fstat(self._handle).st_ino
        return _seen, (f"/proc/{os.getpid()}/fd/{self._handle}", number, tuple(self._places))

    def reduce_elsewhere(self) -> tuple[Any, ...]:
        """What pickles their numbers, as for another machine."""
        return dict, (self._tables,)


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


@lru_cache(maxsize=1)
def _seen(path: str, number: int, places: tuple[_Place, ...]) -> Mapping[str, Array]:
    """The tables of another process, to be read; the last ones stay open.

    Raises:
        UnseenTablesError: it has ended, or runs elsewhere.
    """
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            if os.fstat(handle).st_ino == number:
                return _mapped(mmap(handle, 0, access=ACCESS_READ), places)
        finally:
            os.close(handle)
    raise UnseenTablesError("the process that gave this work has ended")


def _mapped(memory: mmap, places: Iterable[_Place]) -> dict[str, Array]:
    import numpy as np

    return {
        place.name: np.ndarray(place.shape, np.dtype(place.dtype), buffer=memory, offset=place.begin)
        for place in places
    }
