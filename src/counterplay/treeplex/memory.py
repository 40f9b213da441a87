"""Arrays aligned to cache lines, so that a vector of eight float64 never straddles two of them."""

from __future__ import annotations

from itertools import count
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LINE, _PAGE = 64, 4096
_turn = count()


def zeros(size: int) -> NDArray[np.float64]:
    """(size,) zeros. Successive arrays begin at different offsets within a page: otherwise a kernel that walks several of
    them suffers from 4K aliasing, a store that seems to hit the address of the next load.
    """
    raw = np.zeros(8 * size + _LINE + _PAGE, np.uint8)
    start = (-raw.ctypes.data % _LINE) + 9 * _LINE * next(_turn) % _PAGE
    return raw[start : start + 8 * size].view(np.float64)


def zeros_of(shape: tuple[int, ...], kind: np.dtype[Any]) -> NDArray[Any]:
    """Zeros of any dtype and shape, aligned in the same way."""
    size = prod(shape)
    return zeros(-(-size * kind.itemsize // 8)).view(kind)[:size].reshape(shape)
