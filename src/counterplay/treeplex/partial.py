"""Operations on some of eight lanes, for kernels that compute eight lanes at a time but may change only some of them.

Lanes next to each other may belong to different boards, which different threads work on. A kernel then still reads and
computes whole vectors, whose other lanes are ignored; only the store is limited. `first` and `last` are the first lane to
change and one past the last: if they are the constants 0 and 8, the compiler emits a plain store.
"""

# ruff: noqa: ARG001 (Numba decides what an intrinsic is called with)

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from counterplay.jit import kernel
from counterplay.treeplex.simd import LANES, get, put, store
from counterplay.treeplex.sweeps import to_parents


@intrinsic  # type: ignore[untyped-decorator]
def lane_of(_: Any, value: Any, number: Any) -> Any:
    """One of eight numbers."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], ir.IntType(32)))

    return value.dtype(value, types.int64), emit


@kernel(inline=True, inner=True)
def store_some(at: Any, index: int, value: Any, first: int, last: int) -> None:
    """Set some of eight neighbours from element `index` on."""
    if last - first == LANES:
        store(at, index, value)
    else:
        for k in range(first, last):
            put(at, index + k, lane_of(value, k))


@kernel(inline=True, inner=True)
def some_to_parents(parent: Any, lane: int, value: Any, cfv: Any, first: int, last: int) -> None:
    """`to_parents` for some of eight infosets."""
    if last - first == LANES:
        to_parents(parent, lane, value, cfv)
    else:
        for k in range(first, last):
            up = get(parent, lane + k)
            put(cfv, up, get(cfv, up) + lane_of(value, k))
