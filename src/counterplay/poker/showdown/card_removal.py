"""Transposes between runs of hands and rows of terminals.

A plan stores the hands of one terminal side by side, but card removal keeps a sum per card, and vectorises over terminals.
So L runs of L hands are transposed into L rows, one per hand, of L lanes (see `simd_lanes`), and back.
"""

# ruff: noqa: ARG001 (Numba decides what an intrinsic is called with)

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from counterplay.poker.showdown.simd_lanes import (
    FUSE,
    INT,
    LONG,
    VectorType,
    address,
    constant,
    emit_load,
    emit_store,
    numbers,
    splat,
)


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
