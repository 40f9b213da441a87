"""Vectors whose lanes are terminals: what the showdown and fold kernels compute with.

A plan stores the hands of one terminal side by side, but card removal keeps a sum per card, and only other terminals do
the same to the same sums. So L runs of L hands are turned into L rows, one a hand, of L lanes, and back. L is 8 for
float64 and 16 for float32, one register of AVX-512; a narrower machine takes several steps. Vectors of one lane make the
same kernels serve a single terminal.

Which vector is meant is said by an example of it, `zero`. Memory is addressed as in `treeplex.simd`, without bounds.
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
_INT, _LONG = ir.IntType(32), ir.IntType(64)
_FUSE = ("contract",)
_FLOATS = {types.float64: ir.DoubleType(), types.float32: ir.FloatType()}


class Lanes(types.Type):  # type: ignore[misc]
    """The type of `count` numbers of one dtype."""

    def __init__(self, dtype: Any, count: int) -> None:
        super().__init__(name=f"{dtype} in {count} lanes")
        self.dtype, self.count = dtype, count
        self.vector = ir.VectorType(_FLOATS[dtype], count)


@register_model(Lanes)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


_KINDS = [Lanes(dtype, count) for dtype, most in WIDTH.items() for count in (1, most)]


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


_arithmetic((operator.add, operator.iadd), lambda b, x, y: b.fadd(x, y, flags=_FUSE))
_arithmetic((operator.sub, operator.isub), lambda b, x, y: b.fsub(x, y, flags=_FUSE))
_arithmetic((operator.mul, operator.imul), lambda b, x, y: b.fmul(x, y, flags=_FUSE))


def _constant(number: int) -> Any:
    return ir.Constant(_LONG, number)


def _numbers(numbers: Iterable[int]) -> Any:
    """Which elements a shuffle takes."""
    listed = list(numbers)
    return ir.Constant(ir.VectorType(_INT, len(listed)), listed)


def _address(builder: Any, kind: Any, pointer: Any, index: Any, shift: int = 0) -> Any:
    """Where element `index + shift` stands."""
    return builder.gep(pointer, [builder.add(index, _constant(shift))], source_etype=_FLOATS[kind.dtype])


def _load(builder: Any, kind: Any, *place: Any) -> Any:
    value = builder.load(_address(builder, kind, *place), typ=kind.vector)
    value.align = kind.dtype.bitwidth // 8
    return value


def _store(builder: Any, kind: Any, value: Any, *place: Any) -> None:
    address = builder.bitcast(_address(builder, kind, *place), kind.vector.as_pointer())
    builder.store(value, address, align=kind.dtype.bitwidth // 8)


def _splat(builder: Any, kind: Any, number: Any) -> Any:
    one = builder.insert_element(ir.Constant(kind.vector, ir.Undefined), number, _constant(0))
    return builder.shuffle_vector(one, one, _numbers([0] * kind.count))


@intrinsic  # type: ignore[untyped-decorator]
def narrow(_: Any, at: Any) -> Any:
    """Zero in one lane, of the dtype of a pointer."""
    kind = Lanes(at.dtype, 1)
    return kind(at), lambda context, builder, sig, args: ir.Constant(kind.vector, None)


@intrinsic  # type: ignore[untyped-decorator]
def wide(_: Any, at: Any) -> Any:
    """Zeros in all lanes of a register, of the dtype of a pointer."""
    kind = Lanes(at.dtype, WIDTH[at.dtype])
    return kind(at), lambda context, builder, sig, args: ir.Constant(kind.vector, None)


@intrinsic  # type: ignore[untyped-decorator]
def lanes_of(_: Any, zero: Any) -> Any:
    """How many lanes a vector has."""
    return types.int64(zero), lambda context, builder, sig, args: _constant(zero.count)


@intrinsic  # type: ignore[untyped-decorator]
def same(_: Any, number: Any, zero: Any) -> Any:
    """One number in all lanes."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _splat(builder, zero, context.cast(builder, args[0], types.float64, zero.dtype))

    return zero(types.float64, zero), emit


@intrinsic  # type: ignore[untyped-decorator]
def row(_: Any, at: Any, number: Any, zero: Any) -> Any:
    """Vector `number` of a table."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _load(builder, zero, args[0], builder.mul(args[1], _constant(zero.count)))

    return zero(at, types.int64, zero), emit


@intrinsic  # type: ignore[untyped-decorator]
def set_row(_: Any, at: Any, number: Any, value: Any) -> Any:
    """Set vector `number` of a table."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _store(builder, value, args[2], args[0], builder.mul(args[1], _constant(value.count)))
        return context.get_dummy_value()

    return types.void(at, types.int64, value), emit


def _turned(builder: Any, vectors: list[Any], size: int) -> list[Any]:
    """Transpose inside blocks of `size` x `size` elements: blocks of 1, 2, 4 ... change places inside larger ones."""
    count, step = len(vectors), 1
    lanes = range(count)
    while step < size:
        low = _numbers(j if not j & step else count + j - step for j in lanes)
        high = _numbers(j + step if not j & step else count + j for j in lanes)
        for i in [i for i in lanes if not i & step]:
            first, second = vectors[i], vectors[i + step]
            vectors[i] = builder.shuffle_vector(first, second, low)
            vectors[i + step] = builder.shuffle_vector(first, second, high)
        step *= 2
    return vectors


def _long(builder: Any, numbers: Any, index: Any) -> Any:
    return builder.load(builder.gep(numbers, [index], source_etype=_LONG), typ=_LONG)


@intrinsic  # type: ignore[untyped-decorator]
def take_block(_: Any, plan: Any, starts: Any, hand: Any, target: Any, zero: Any) -> Any:
    """L hands, from `hand` on, of the L runs of `plan` that begin at `starts`, as L rows of `target`."""
    n, half = zero.count, Lanes(zero.dtype, max(zero.count // 2, 1))

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        plan, starts, hand, target, _ = args
        places = [builder.add(_long(builder, starts, _constant(lane)), hand) for lane in range(n)]
        # Halves of two runs in one vector: that is the last exchange of the transposition, done by the loads.
        rows = [_load(builder, half, plan, places[0])]
        if n > 1:
            halves = [[_load(builder, half, plan, at, shift) for at in places] for shift in (0, n // 2)]
            pairs = [(part[k], part[k + n // 2]) for part in halves for k in range(n // 2)]
            rows = _turned(builder, [builder.shuffle_vector(*pair, _numbers(range(n))) for pair in pairs], n // 2)
        for k, value in enumerate(rows):
            _store(builder, zero, value, target, _constant(0), k * n)
        return context.get_dummy_value()

    return types.void(plan, starts, types.int64, target, zero), emit


def _values(builder: Any, zero: Any, sums: Any, hand: Any, hands: int) -> list[Any]:
    """Rows of a `Sums`."""
    table, pairs, own, total, gain, scale = sums
    rows, n = [], _constant(zero.count)
    for k in range(hands):
        value = total
        for side in range(2):
            place = builder.add(builder.shl(hand, _constant(1)), _constant(2 * k + side))
            card = builder.zext(builder.load(builder.gep(pairs, [place], source_etype=_INT), typ=_INT), _LONG)
            value = builder.fsub(value, _load(builder, zero, table, builder.mul(card, n)), flags=_FUSE)
        value = builder.fmul(value, gain, flags=_FUSE)
        if scale is not None:
            mine = _load(builder, zero, own, builder.mul(hand, n), k * zero.count)
            value = builder.fadd(value, builder.fmul(mine, scale, flags=_FUSE), flags=_FUSE)
        rows.append(value)
    return rows


def _runs(builder: Any, zero: Any, rows: list[Any]) -> list[list[Any]]:
    """Per lane, its run of one hand or of L, in halves."""
    if len(rows) == 1:
        return [[builder.shuffle_vector(rows[0], rows[0], _numbers([lane]))] for lane in range(zero.count)]
    half = zero.count // 2
    rows = _turned(builder, rows, half)
    cut = [_numbers(range(half)), _numbers(range(half, 2 * half))]
    return [
        [builder.shuffle_vector(rows[at], rows[at], cut[lane // half]) for at in (lane % half, lane % half + half)]
        for lane in range(zero.count)
    ]


def _put_run(builder: Any, kind: Any, into: Any, lane: Any, hand: Any, run: list[Any]) -> None:
    """One lane's part of an `Into`, unless it begins below 0."""
    out, starts, fresh, plan, reaches, weights = into
    start = _long(builder, starts, lane)
    with builder.if_then(builder.icmp_signed(">=", start, _constant(0))):
        if plan is not None:
            reach = builder.add(_long(builder, reaches, lane), hand)
            weight = builder.load(_address(builder, kind, weights, lane), typ=kind.vector.element)
            times = _splat(builder, kind, weight)
            more = [_load(builder, kind, plan, reach, k * kind.count) for k in range(len(run))]
            more = [builder.fmul(part, times, flags=_FUSE) for part in more]
            run = [builder.fadd(part, extra, flags=_FUSE) for part, extra in zip(run, more, strict=True)]
        at, first = builder.add(start, hand), _long(builder, fresh, lane)
        with builder.if_else(builder.icmp_signed("!=", first, _constant(0))) as (yes, no):
            with yes:
                for k, part in enumerate(run):
                    _store(builder, kind, part, out, at, k * kind.count)
            with no:
                for k, part in enumerate(run):
                    old = _load(builder, kind, out, at, k * kind.count)
                    _store(builder, kind, builder.fadd(old, part, flags=_FUSE), out, at, k * kind.count)


def _give(sums: Any, into: Any, zero: Any, hands: int) -> Any:
    """The signature and the emission of the way back of `hands` hands: 1, or as many as lanes."""

    def unpacked(builder: Any, kind: Any, value: Any) -> list[Any]:
        none = types.NoneType
        return [None if isinstance(t, none) else builder.extract_value(value, k) for k, t in enumerate(kind)]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        rows = _values(builder, zero, unpacked(builder, sums, args[0]), args[2], hands)
        runs, target = _runs(builder, zero, rows), unpacked(builder, into, args[1])
        kind = Lanes(zero.dtype, max(hands // 2, 1))
        for lane, run in enumerate(runs):
            _put_run(builder, kind, target, _constant(lane), args[2], run)
        return context.get_dummy_value()

    return types.void(sums, into, types.int64, zero), emit


@intrinsic  # type: ignore[untyped-decorator]
def give_block(_: Any, sums: Any, into: Any, hand: Any, zero: Any) -> Any:
    """The way back: L hands, from `hand` on, of L terminals; `sums` and `into` are those of `showdown`."""
    return _give(sums, into, zero, zero.count)


@intrinsic  # type: ignore[untyped-decorator]
def give_hand(_: Any, sums: Any, into: Any, hand: Any, zero: Any) -> Any:
    """The same for one hand."""
    return _give(sums, into, zero, 1)
