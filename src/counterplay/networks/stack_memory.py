"""Scratch memory of a kernel on the stack, for kernels that may run in several threads and allocate nothing."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

MOST = 1024
"""How many numbers `stack_singles` has room for."""


@intrinsic  # type: ignore[untyped-decorator]
def stack_singles(_: Any, count: Any) -> Any:  # noqa: ARG001 - read when it runs
    """An array of `count` float32, at most `MOST`, that lives until the kernel returns; at first it holds anything."""
    kind = types.Array(types.float32, 1, "C")

    def emit(context: Any, builder: Any, _: Any, args: Any) -> Any:
        room = cgutils.alloca_once(builder, ir.ArrayType(ir.FloatType(), MOST))
        array = arrayobj.make_array(kind)(context, builder)
        size = ir.Constant(context.get_value_type(types.intp), 4)
        data = builder.bitcast(room, array.data.type)
        arrayobj.populate_array(array, data, [args[0]], [size], size, None)
        return array._getvalue()

    return kind(types.int64), emit
