"""A counter that threads share: each takes the next number."""

# ruff: noqa: ARG001 (Numba decides what an intrinsic is called with)

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def take_turn(_: Any, at: Any) -> Any:
    """Fetch the counter behind a pointer to int64 and add one, atomically."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", args[0], ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(at), emit
