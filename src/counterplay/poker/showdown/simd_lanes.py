"""Vectors whose lanes are terminals, for the showdown and fold kernels.

They have 8 lanes of float64 or 16 of float32, one register of AVX-512; a narrower machine takes several steps. Vectors of
one lane make the same kernels serve a single terminal, and *blocks* of four registers hide how long each step takes. The
vector type is passed as an example, `zero`. Memory is addressed as in `treeplex.simd`, without bounds checks.
"""

# ruff: noqa: ARG001, ARG005 (Numba decides what an intrinsic is called with)

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

WIDTH = {types.float64: 8, types.float32: 16}
BLOCK = 4
"""Registers of a block."""
INT, LONG = ir.IntType(32), ir.IntType(64)
FUSE = ("contract",)
_FLOATS = {types.float64: ir.DoubleType(), types.float32: ir.FloatType()}


class VectorType(types.Type):  # type: ignore[misc]
    """The type of `count` numbers of one dtype."""

    def __init__(self, dtype: Any, count: int) -> None:
        super().__init__(name=f"{dtype} in {count} lanes")
        self.dtype, self.count = dtype, count
        self.vector = ir.VectorType(_FLOATS[dtype], count)


@register_model(VectorType)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


_KINDS = [VectorType(dtype, count) for dtype, most in WIDTH.items() for count in (1, most, BLOCK * most)]


def _arithmetic(symbols: tuple[Any, Any], emit: Callable[[Any, Any, Any], Any]) -> None:
    """Let an operator combine two vectors of one type; `contract` allows fused multiply-adds."""

    class _Template(ConcreteTemplate):  # type: ignore[misc]
        cases = [signature(kind, kind, kind) for kind in _KINDS]  # noqa: RUF012

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)

    for symbol in symbols:
        infer_global(symbol)(type(symbol.__name__, (_Template,), {}))
        for kind in _KINDS:
            lower_builtin(symbol, kind, kind)(lower)


_arithmetic((operator.add, operator.iadd), lambda b, x, y: b.fadd(x, y, flags=FUSE))
_arithmetic((operator.sub, operator.isub), lambda b, x, y: b.fsub(x, y, flags=FUSE))
_arithmetic((operator.mul, operator.imul), lambda b, x, y: b.fmul(x, y, flags=FUSE))


def constant(number: int) -> Any:
    """An LLVM constant."""
    return ir.Constant(LONG, number)


def numbers(which: Iterable[int]) -> Any:
    """The mask of an LLVM shuffle."""
    listed = list(which)
    return ir.Constant(ir.VectorType(INT, len(listed)), listed)


def address(builder: Any, kind: Any, pointer: Any, index: Any, shift: int = 0) -> Any:
    """The address of element `index + shift`."""
    place = builder.add(index, constant(shift)) if shift else index
    return builder.gep(pointer, [place], source_etype=_FLOATS[kind.dtype])


def emit_load(builder: Any, kind: Any, *place: Any) -> Any:
    """Emit a load of a vector at `address`."""
    value = builder.load(address(builder, kind, *place), typ=kind.vector)
    value.align = kind.dtype.bitwidth // 8
    return value


def emit_store(builder: Any, kind: Any, value: Any, *place: Any) -> None:
    """Emit a store of a vector."""
    where = builder.bitcast(address(builder, kind, *place), kind.vector.as_pointer())
    builder.store(value, where, align=kind.dtype.bitwidth // 8)


def splat(builder: Any, kind: Any, number: Any) -> Any:
    """Emit a vector of one number."""
    one = builder.insert_element(ir.Constant(kind.vector, ir.Undefined), number, constant(0))
    return builder.shuffle_vector(one, one, numbers([0] * kind.count))


@intrinsic  # type: ignore[untyped-decorator]
def narrow(_: Any, at: Any) -> Any:
    """Zero in one lane, of the dtype of a pointer."""
    kind = VectorType(at.dtype, 1)
    return kind(at), lambda context, builder, sig, args: ir.Constant(kind.vector, None)


@intrinsic  # type: ignore[untyped-decorator]
def wide(_: Any, at: Any) -> Any:
    """Zeros in all lanes of a register, of the dtype of a pointer."""
    kind = VectorType(at.dtype, WIDTH[at.dtype])
    return kind(at), lambda context, builder, sig, args: ir.Constant(kind.vector, None)


@intrinsic  # type: ignore[untyped-decorator]
def block(_: Any, at: Any) -> Any:
    """Zeros in all lanes of a block, of the dtype of a pointer."""
    kind = VectorType(at.dtype, BLOCK * WIDTH[at.dtype])
    return kind(at), lambda context, builder, sig, args: ir.Constant(kind.vector, None)


@intrinsic  # type: ignore[untyped-decorator]
def repeated(_: Any, value: Any) -> Any:
    """A register in all parts of a block."""
    kind = VectorType(value.dtype, BLOCK * value.count)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.shuffle_vector(args[0], args[0], numbers(list(range(value.count)) * BLOCK))

    return kind(value), emit


@intrinsic  # type: ignore[untyped-decorator]
def lanes_of(_: Any, zero: Any) -> Any:
    """The number of lanes of a vector."""
    return types.int64(zero), lambda context, builder, sig, args: constant(zero.count)


@intrinsic  # type: ignore[untyped-decorator]
def same(_: Any, number: Any, zero: Any) -> Any:
    """One number in all lanes."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return splat(builder, zero, context.cast(builder, args[0], types.float64, zero.dtype))

    return zero(types.float64, zero), emit


@intrinsic  # type: ignore[untyped-decorator]
def row(_: Any, at: Any, number: Any, zero: Any) -> Any:
    """Vector `number` of a table."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_load(builder, zero, args[0], builder.mul(args[1], constant(zero.count)))

    return zero(at, types.int64, zero), emit


@intrinsic  # type: ignore[untyped-decorator]
def set_row(_: Any, at: Any, number: Any, value: Any) -> Any:
    """Set vector `number` of a table."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        emit_store(builder, value, args[2], args[0], builder.mul(args[1], constant(value.count)))
        return context.get_dummy_value()

    return types.void(at, types.int64, value), emit


@intrinsic  # type: ignore[untyped-decorator]
def positive(_: Any, value: Any) -> Any:
    """Numbers below 0 replaced by 0."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        zero = ir.Constant(value.vector, None)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[0], zero)

    return value(value), emit


@intrinsic  # type: ignore[untyped-decorator]
def inverse(_: Any, value: Any) -> Any:
    """1 / value."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fdiv(ir.Constant(value.vector, [1.0] * value.count), args[0])

    return value(value), emit


@intrinsic  # type: ignore[untyped-decorator]
def is_zero(_: Any, value: Any) -> Any:
    """Whether all lanes are 0."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = ir.IntType(value.count)
        differ = builder.bitcast(builder.fcmp_unordered("!=", args[0], ir.Constant(value.vector, None)), bits)
        return builder.icmp_unsigned("==", differ, ir.Constant(bits, 0))

    return types.boolean(value), emit
