"""Tables that the processes of one machine see in the same memory: they travel to another process as where they are.

The memory has no name and no file, so that nothing of it stays when the last process that sees it ends, however it ends.
Elsewhere, and where the system has no such memory, numbers travel: those that have changed, or all.
"""

from __future__ import annotations

import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from mmap import ACCESS_READ, ACCESS_WRITE, mmap
from typing import TYPE_CHECKING, Any, NamedTuple

from counterplay.errors import InputError

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
    """Tables in the memory of a process that has ended, or of another machine, or that rest on others that are not there."""


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
