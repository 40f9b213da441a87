"""Eight stored numbers at once, for the kernels: floats, or 16 bits, signed or unsigned, which count in units of a scale.

Kernels compute in the dtype of their working set; storage is converted when it is read and written. Whoever stores 16 bits
divides by the scale first: the largest magnitude of a block over the largest number (`LARGEST`).
"""

# ruff: noqa: ARG001, ARG005 (Numba decides what an intrinsic is called with)

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from counterplay.treeplex.simd import LANES, Vector

LARGEST_SIGNED, LARGEST_UNSIGNED = 32767.0, 65535.0
"""The largest numbers of 16 bits, with a sign and without."""
_STORED = {
    types.float64: ir.DoubleType(), types.float32: ir.FloatType(), types.int16: ir.IntType(16),
    types.uint16: ir.IntType(16),
}  # fmt: skip
_BITS = {types.float64: "f64", types.float32: "f32"}


def _place(builder: Any, at: Any, args: Any) -> Any:
    """The address of eight stored numbers, and their LLVM type."""
    number = _STORED[at.dtype]
    address = builder.gep(args[0], [args[1]], source_etype=number)
    return builder.bitcast(address, ir.VectorType(number, LANES).as_pointer()), ir.VectorType(number, LANES)


def _call(builder: Any, name: str, kind: Any, out: Any, value: Any) -> Any:
    """A call of an LLVM intrinsic of one vector."""
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(out, [kind]), name)
    return builder.call(function, [value])


@intrinsic  # type: ignore[untyped-decorator]
def read_lanes(_: Any, at: Any, index: Any, like: Any) -> Any:
    """Eight stored numbers from element `index` on, as a vector of the dtype of the pointer `like`; not scaled."""
    kind = Vector(like.dtype)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address, stored = _place(builder, at, args)
        value = builder.load(address, typ=stored)
        value.align = at.dtype.bitwidth // 8
        if at.dtype == like.dtype:
            return value
        if isinstance(at.dtype, types.Integer):
            return (builder.sitofp if at.dtype.signed else builder.uitofp)(value, kind.value)
        wider = like.dtype.bitwidth > at.dtype.bitwidth
        return (builder.fpext if wider else builder.fptrunc)(value, kind.value)

    return kind(at, types.int64, like), emit


@intrinsic  # type: ignore[untyped-decorator]
def write_lanes(_: Any, at: Any, index: Any, value: Any) -> Any:
    """Store eight numbers from element `index` on; 16 bits take the nearest whole number, which must fit."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address, stored = _place(builder, at, args)
        found = args[2]
        if isinstance(at.dtype, types.Integer):
            found = _call(builder, f"llvm.rint.v{LANES}{_BITS[value.dtype]}", value.value, value.value, found)
            whole = ir.VectorType(ir.IntType(32), LANES)
            found = builder.trunc(builder.fptosi(found, whole), stored)
        elif at.dtype != value.dtype:
            wider = at.dtype.bitwidth > value.dtype.bitwidth
            found = (builder.fpext if wider else builder.fptrunc)(found, stored)
        builder.store(found, address, align=at.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(at, types.int64, value), emit


@intrinsic  # type: ignore[untyped-decorator]
def magnitudes(_: Any, value: Any) -> Any:
    """The absolute values of a vector."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(builder, f"llvm.fabs.v{LANES}{_BITS[value.dtype]}", value.value, value.value, args[0])

    return value(value), emit


@intrinsic  # type: ignore[untyped-decorator]
def largest_lane(_: Any, value: Any) -> Any:
    """The largest of eight numbers."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        name = f"llvm.vector.reduce.fmax.v{LANES}{_BITS[value.dtype]}"
        return _call(builder, name, value.value, value.value.element, args[0])

    return value.dtype(value), emit


@intrinsic  # type: ignore[untyped-decorator]
def sum_of_lanes(_: Any, value: Any) -> Any:
    """The sum of eight numbers, in the order that the processor likes best."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        element = value.value.element
        kind = ir.FunctionType(element, [element, value.value])
        name = f"llvm.vector.reduce.fadd.v{LANES}{_BITS[value.dtype]}"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, [ir.Constant(element, -0.0), args[0]], fastmath=("reassoc",))

    return value.dtype(value), emit


@intrinsic  # type: ignore[untyped-decorator]
def is_packed(_: Any, at: Any) -> Any:
    """Return whether a pointer is to 16-bit numbers; known to the compiler."""
    packed = isinstance(at.dtype, types.Integer)
    return types.boolean(at), lambda context, builder, sig, args: ir.Constant(ir.IntType(1), int(packed))
