"""Transposes between runs of hands and rows of terminals.

A plan stores the hands of one terminal side by side, but card removal keeps a sum per card, and vectorises over terminals.
So L runs of L hands are transposed into L rows, one per hand, of L lanes (see `simd_lanes`), and back.
"""

# ruff: noqa: ARG001 (Numba decides what an intrinsic is called with)

from __future__ import annotations

from typing import Any

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


@intrinsic  # type: ignore[untyped-decorator]
def take_block(_: Any, plan: Any, starts: Any, hand: Any, target: Any, zero: Any) -> Any:
    """Load L hands, from `hand` on, of the L runs of `plan` that begin at `starts`, as L rows of `target`."""
    n, half = zero.count, VectorType(zero.dtype, max(zero.count // 2, 1))

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        plan, starts, hand, target, _ = args
        places = [builder.add(_long(builder, starts, constant(lane)), hand) for lane in range(n)]
        # Halves of two runs in one vector: that is the last exchange of the transposition, done by the loads.
        rows = [emit_load(builder, half, plan, places[0])]
        if n > 1:
            halves = [[emit_load(builder, half, plan, at, shift) for at in places] for shift in (0, n // 2)]
            pairs = [(part[k], part[k + n // 2]) for part in halves for k in range(n // 2)]
            rows = _turned(builder, [builder.shuffle_vector(*pair, numbers(range(n))) for pair in pairs], n // 2)
        for k, value in enumerate(rows):
            emit_store(builder, zero, value, target, constant(0), k * n)
        return context.get_dummy_value()

    return types.void(plan, starts, types.int64, target, zero), emit


def _values(builder: Any, zero: Any, sums: Any, hand: Any, hands: int) -> list[Any]:
    """Rows of a `Sums`."""
    table, pairs, own, total, gain, scale = sums
    rows, n = [], constant(zero.count)
    for k in range(hands):
        value = total
        for side in range(2):
            place = builder.add(builder.shl(hand, constant(1)), constant(2 * k + side))
            card = builder.zext(builder.load(builder.gep(pairs, [place], source_etype=INT), typ=INT), LONG)
            value = builder.fsub(value, emit_load(builder, zero, table, builder.mul(card, n)), flags=FUSE)
        value = builder.fmul(value, gain, flags=FUSE)
        if scale is not None:
            mine = emit_load(builder, zero, own, builder.mul(hand, n), k * zero.count)
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


def _put_run(builder: Any, kind: Any, into: Any, lane: Any, hand: Any, run: list[Any]) -> None:
    """Store one lane's part of an `Into`, unless it begins below 0."""
    out, starts, fresh, plan, reaches, weights = into
    start = _long(builder, starts, lane)
    with builder.if_then(builder.icmp_signed(">=", start, constant(0))):
        if plan is not None:
            reach = builder.add(_long(builder, reaches, lane), hand)
            weight = builder.load(address(builder, kind, weights, lane), typ=kind.vector.element)
            times = splat(builder, kind, weight)
            more = [emit_load(builder, kind, plan, reach, k * kind.count) for k in range(len(run))]
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
