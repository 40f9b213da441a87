"""Counters by which the threads of some sweeps share branches and wait for each other, without a call of Python in between.

The *leader* begins each sweep, and ends it when everything is finished; *helpers* come when they come, and take what is
left. Each sweep has counters of its own, so that a thread that is late finds nothing to do and goes on to the next one. All
waits are bounded: on a busy machine a thread may not run for milliseconds, and then others do its work, or Python waits.
"""

# ruff: noqa: ARG001 (Numba decides what an intrinsic is called with)

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from counterplay.arrays import I64
from counterplay.jit import kernel
from counterplay.treeplex.simd import get, shifted

TAKEN, FINISHED, ADDED, SUMMED, STATE = range(0, 40, 8)
"""Places of the counters, each in a cache line of its own: branches that were taken and that are finished, parts of their
sums that were taken and that are added up; and how far the leader is."""
_LOOKS, TURNS = 40, 48
"""The place of the looks at a counter before a thread gives up; the distance of the counters of two sweeps."""
OPEN, SUMMING, OVER = 1, 2, 3
"""States of a sweep, after 0: branches may be taken; their sums may be added up; it has ended."""
PATIENCE = 250_000
"""Looks at a counter before a thread gives up: 0.14 ms where a look takes 0.55 ns, somewhat longer than a branch of a turn,
which the other thread may be in. More would cost others time on a busy machine."""
_LONG = ir.IntType(64)


def new_turns(sweeps: int) -> I64:
    """(sweeps, 48) counters of so many sweeps."""
    turns = np.zeros((sweeps, TURNS), np.int64)
    turns[:, _LOOKS] = PATIENCE
    return turns


@intrinsic  # type: ignore[untyped-decorator]
def count_one(_: Any, at: Any) -> Any:
    """Fetch the counter behind a pointer and add one, atomically; what the thread wrote before is seen by who reads it."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", args[0], ir.Constant(_LONG, 1), "acq_rel")

    return types.int64(at), emit


@intrinsic  # type: ignore[untyped-decorator]
def read(_: Any, at: Any) -> Any:
    """The counter behind a pointer, atomically."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load_atomic(args[0], "acquire", 8, typ=_LONG)

    return types.int64(at), emit


@intrinsic  # type: ignore[untyped-decorator]
def publish(_: Any, at: Any, number: Any) -> Any:
    """Set the counter behind a pointer, atomically; what the thread wrote before is seen by who reads it."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store_atomic(args[1], args[0], "release", 8)
        return context.get_dummy_value()

    return types.void(at, types.int64), emit


@kernel(inner=True)
def reaches(turns: Any, counter: int, number: int) -> Any:
    """Wait until a counter is at least so much; whether it was within the patience of a thread."""
    at, looks = shifted(turns, counter), get(turns, _LOOKS)
    while read(at) < number and looks > 0:
        looks -= 1
    return read(at) >= number
