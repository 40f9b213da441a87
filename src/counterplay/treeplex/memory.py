"""Arrays aligned to cache lines, so that a vector of eight float64 never straddles two; large ones come from the system."""

from __future__ import annotations

import mmap
from contextlib import suppress
from itertools import count
from math import prod
from typing import Any

import numpy as np

from counterplay.arrays import F64, U8, AnyArray

_LINE, _PAGE, _HUGE = 64, 4096, 1 << 21
LARGE = 1 << 22
"""Bytes from which an array comes from the system, not from NumPy's allocator."""
_turn = count()


def zeros(size: int) -> F64:
    """(size,) zeros. Successive arrays begin at different offsets within a page: otherwise a kernel that walks several of
    them suffers from 4K aliasing, a store that seems to hit the address of the next load.

    Raises:
        MemoryError: the system has not so much.
    """
    raw = _cleared(8 * size + _LINE + _PAGE)
    start = (-_address(raw) % _LINE) + 9 * _LINE * next(_turn) % _PAGE
    return raw[start : start + 8 * size].view(np.float64)


def zeros_of(shape: tuple[int, ...], kind: np.dtype[Any]) -> AnyArray:
    """Zeros of any dtype and shape, aligned in the same way."""
    size = prod(shape)
    return zeros(-(-size * kind.itemsize // 8)).view(kind)[:size].reshape(shape)


def _cleared(size: int) -> U8:
    """(size,) zero bytes. Many come from the system, in huge pages where it has them, and go back to it when they are freed:
    an allocator keeps the place of large arrays that others were allocated after."""
    if size < LARGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(size, np.uint8)
    try:
        room = mmap.mmap(-1, size + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"an array of {size / 2**30:.3g} GiB") from error
    raw = np.frombuffer(room, np.uint8)
    begin = -_address(raw) % _HUGE
    with suppress(OSError):  # a system without them
        room.madvise(mmap.MADV_HUGEPAGE, begin, size - size % _HUGE)
    return raw[begin : begin + size]


def _address(raw: U8) -> int:
    """Where an array begins, without the object that `ctypes` makes."""
    return int(raw.__array_interface__["data"][0])
