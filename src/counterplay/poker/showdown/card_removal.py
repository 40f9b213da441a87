"""Vectors whose lanes are terminals, for the showdown and fold kernels; and transposes between runs of hands and rows of
terminals.

They have 8 lanes of float64 or 16 of float32, one register of AVX-512; a narrower machine takes several steps. Vectors of
one lane make the same kernels serve a single terminal, and *blocks* of four registers hide how long each step takes. The
vector type is passed as an example, `zero`. Memory is addressed as in `treeplex.simd`, without bounds checks.

A plan stores the hands of one terminal side by side, but card removal keeps a sum per card, and vectorises over terminals.
So L runs of L hands are transposed into L rows, one per hand, of L lanes, and back.
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
    """Return whether all lanes are 0."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = ir.IntType(value.count)
        differ = builder.bitcast(builder.fcmp_unordered("!=", args[0], ir.Constant(value.vector, None)), bits)
        return builder.icmp_unsigned("==", differ, ir.Constant(bits, 0))

    return types.boolean(value), emit


def _turned(builder: Any, vectors: list[Any], size: int) -> list[Any]:
    """Transpose inside blocks of `size` x `size` elements: blocks of 1, 2, 4 ... are swapped inside larger ones."""
    count, step = len(vectors), 1
    lanes = range(count)
    while step < size:
        low = numbers(j if not j & step else count + j - step for j in lanes)
        high = numbers(j + step if not j & step else count + j for j in lanes)
        for i in [i for i in lanes if not i & step]:
            first, second = vectors[i], vectors[i + step]
            vectors[i] = builder.shuffle_vector(first, second, low)
            vectors[i + step] = builder.shuffle_vector(first, second, high)
        step *= 2
    return vectors


def _long(builder: Any, listed: Any, index: Any) -> Any:
    return builder.load(builder.gep(listed, [index], source_etype=LONG), typ=LONG)


def _numbered(builder: Any, listed: Any, index: Any) -> Any:
    """The element of a list of int32, or the index itself without a list."""
    if listed is None:
        return index
    return builder.zext(builder.load(builder.gep(listed, [index], source_etype=INT), typ=INT), LONG)


def _row_of(builder: Any, listed: Any, index: Any, none: Any) -> Any:
    """The element of a list of int32, or `none` where it is below 0."""
    number = builder.sext(builder.load(builder.gep(listed, [index], source_etype=INT), typ=INT), LONG)
    return builder.select(builder.icmp_signed("<", number, constant(0)), none, number)


def _known(value: Any, kind: Any) -> Any:
    return None if isinstance(kind, types.NoneType) else value


@intrinsic  # type: ignore[untyped-decorator]
def number_at(_: Any, listed: Any, index: Any) -> Any:
    """Element `index` of a list of int32 that are not negative; the index itself where the list is None."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _numbered(builder, _known(args[0], listed), args[1])

    return types.int64(listed, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def if_listed(_: Any, listed: Any, yes: Any, no: Any) -> Any:
    """`yes` where there is a list, `no` where it is None; the compiler sees one of the two only."""
    which = 2 if isinstance(listed, types.NoneType) else 1

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[which]

    return (no if which == 2 else yes)(listed, yes, no), emit


@intrinsic  # type: ignore[untyped-decorator]
def rows_from(_: Any, rows: Any, listed: Any, at: Any) -> Any:
    """Where a block is taken to: all rows if a list tells the numbers of its own, else those from element `at` on."""
    alone = isinstance(listed, types.NoneType)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = context.get_value_type(rows.dtype)
        return builder.gep(args[0], [args[2]], source_etype=kind) if alone else args[0]

    return rows(rows, listed, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def take_block(_: Any, plan: Any, starts: Any, hand: Any, numbers_of: Any, target: Any, zero: Any) -> Any:
    """Load L hands, from `hand` on, of the L runs of `plan` that begin at `starts`, as rows of `target`: those that
    `numbers_of` tells for these hands, or the first L if it is None."""
    n, half = zero.count, VectorType(zero.dtype, max(zero.count // 2, 1))

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        plan, starts, hand, listed, target, _ = args
        listed = _known(listed, numbers_of)
        places = [builder.add(_long(builder, starts, constant(lane)), hand) for lane in range(n)]
        # Halves of two runs in one vector: that is the last exchange of the transposition, done by the loads.
        rows = [emit_load(builder, half, plan, places[0])]
        if n > 1:
            halves = [[emit_load(builder, half, plan, at, shift) for at in places] for shift in (0, n // 2)]
            pairs = [(part[k], part[k + n // 2]) for part in halves for k in range(n // 2)]
            rows = _turned(builder, [builder.shuffle_vector(*pair, numbers(range(n))) for pair in pairs], n // 2)
        for k, value in enumerate(rows):
            if listed is None:
                emit_store(builder, zero, value, target, constant(0), k * n)
            else:
                number = _numbered(builder, listed, builder.add(hand, constant(k)))
                emit_store(builder, zero, value, target, builder.mul(number, constant(n)))
        return context.get_dummy_value()

    return types.void(plan, starts, types.int64, numbers_of, target, zero), emit


def _values(builder: Any, zero: Any, sums: Any, hand: Any, hands: int) -> list[Any]:
    table, pairs, own, total, gain, scale, gives, rows_of, none = sums
    rows, n = [], constant(zero.count)
    for k in range(hands):
        value, number = total, _numbered(builder, gives, builder.add(hand, constant(k)))
        for side in range(2):
            place = builder.add(builder.shl(number, constant(1)), constant(side))
            card = builder.zext(builder.load(builder.gep(pairs, [place], source_etype=INT), typ=INT), LONG)
            value = builder.fsub(value, emit_load(builder, zero, table, builder.mul(card, n)), flags=FUSE)
        value = builder.fmul(value, gain, flags=FUSE)
        if scale is not None:
            if rows_of is not None:
                number = _row_of(builder, rows_of, builder.add(hand, constant(k)), none)
            mine = emit_load(builder, zero, own, builder.mul(number, n))
            value = builder.fadd(value, builder.fmul(mine, scale, flags=FUSE), flags=FUSE)
        rows.append(value)
    return rows


def _runs(builder: Any, zero: Any, rows: list[Any]) -> list[list[Any]]:
    """Per lane, its run of one hand or of L hands, in halves."""
    if len(rows) == 1:
        return [[builder.shuffle_vector(rows[0], rows[0], numbers([lane]))] for lane in range(zero.count)]
    half = zero.count // 2
    rows = _turned(builder, rows, half)
    cut = [numbers(range(half)), numbers(range(half, 2 * half))]
    return [
        [builder.shuffle_vector(rows[at], rows[at], cut[lane // half]) for at in (lane % half, lane % half + half)]
        for lane in range(zero.count)
    ]


def _shared_reach(builder: Any, kind: Any, plan: Any, start: Any, listed: Any, at: Any) -> Any:
    """The reach of a vector of hands, whose numbers are listed from `at` on: 0 for those below 0."""
    value, zero = ir.Constant(kind.vector, None), ir.Constant(INT, 0)
    for k in range(kind.count):
        number = builder.load(builder.gep(listed, [builder.add(at, constant(k))], source_etype=INT), typ=INT)
        held = builder.icmp_signed(">=", number, zero)
        place = builder.add(start, builder.zext(builder.select(held, number, zero), LONG))
        reach = builder.load(address(builder, kind, plan, place), typ=kind.vector.element)
        reach = builder.select(held, reach, ir.Constant(kind.vector.element, 0.0))
        value = builder.insert_element(value, reach, constant(k))
    return value


def _put_run(builder: Any, kind: Any, into: Any, lane: Any, hand: Any, run: list[Any]) -> None:
    """Store one lane's part of an `Into`, unless it begins below 0."""
    out, starts, fresh, plan, reaches, weights, shared = into
    start = _long(builder, starts, lane)
    with builder.if_then(builder.icmp_signed(">=", start, constant(0))):
        if plan is not None:
            reach = _long(builder, reaches, lane)
            weight = builder.load(address(builder, kind, weights, lane), typ=kind.vector.element)
            times = splat(builder, kind, weight)
            if shared is None:
                reach = builder.add(reach, hand)
                more = [emit_load(builder, kind, plan, reach, k * kind.count) for k in range(len(run))]
            else:
                begins = [builder.add(hand, constant(k * kind.count)) for k in range(len(run))]
                more = [_shared_reach(builder, kind, plan, reach, shared, at) for at in begins]
            more = [builder.fmul(part, times, flags=FUSE) for part in more]
            run = [builder.fadd(part, extra, flags=FUSE) for part, extra in zip(run, more, strict=True)]
        at, first = builder.add(start, hand), _long(builder, fresh, lane)
        with builder.if_else(builder.icmp_signed("!=", first, constant(0))) as (yes, no):
            with yes:
                for k, part in enumerate(run):
                    emit_store(builder, kind, part, out, at, k * kind.count)
            with no:
                for k, part in enumerate(run):
                    old = emit_load(builder, kind, out, at, k * kind.count)
                    emit_store(builder, kind, builder.fadd(old, part, flags=FUSE), out, at, k * kind.count)


def _give(sums: Any, into: Any, zero: Any, hands: int) -> Any:
    """The signature and code generator for storing `hands` hands: 1, or as many as lanes."""

    def unpacked(builder: Any, kind: Any, value: Any) -> list[Any]:
        none = types.NoneType
        return [None if isinstance(t, none) else builder.extract_value(value, k) for k, t in enumerate(kind)]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        rows = _values(builder, zero, unpacked(builder, sums, args[0]), args[2], hands)
        runs, target = _runs(builder, zero, rows), unpacked(builder, into, args[1])
        kind = VectorType(zero.dtype, max(hands // 2, 1))
        for lane, run in enumerate(runs):
            _put_run(builder, kind, target, constant(lane), args[2], run)
        return context.get_dummy_value()

    return types.void(sums, into, types.int64, zero), emit


@intrinsic  # type: ignore[untyped-decorator]
def give_block(_: Any, sums: Any, into: Any, hand: Any, zero: Any) -> Any:
    """Store L hands, from `hand` on, of L terminals; `sums` and `into` are those of `showdown`."""
    return _give(sums, into, zero, zero.count)


@intrinsic  # type: ignore[untyped-decorator]
def give_hand(_: Any, sums: Any, into: Any, hand: Any, zero: Any) -> Any:
    """Store one hand of L terminals."""
    return _give(sums, into, zero, 1)
