"""Loops over ranges of int64 with a constant step, without an object for the range.

As in Numba a loop counts down the steps that are left. Where there are none the count is not positive.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types

_LONG = ir.IntType(64)


def is_plain_range(kind: Any) -> bool:
    """Whether it is the type of a range of int64."""
    return kind is types.range_state64_type


def range_of(builder: Any, bounds: Any, kind: Any) -> Any:
    """A range from the one to three arguments of `range`."""
    start, stop, step = (_LONG(0), *bounds, _LONG(1)) if len(bounds) == 1 else (*bounds, _LONG(1))[:3]
    return _record(builder, kind, (start, stop, step))


def begin(builder: Any, found: Any, kind: Any) -> Any:
    """The state of a loop over a range: where its number stands, its end, its step, and where the count stands. None where
    the step is known only when it runs: it may be 0.
    """
    start, stop, step = (builder.extract_value(found, k) for k in range(3))
    if not isinstance(step, ir.Constant) or not isinstance(step.constant, int) or step.constant == 0:
        return None
    count = builder.sub(stop, start)
    if step.constant != 1:
        left = builder.srem(count, step)
        uneven = builder.icmp_signed(">" if step.constant > 0 else "<", left, _LONG(0))
        count = builder.add(builder.sdiv(count, step), builder.zext(uneven, _LONG))
    with builder.goto_entry_block():
        number, steps = builder.alloca(_LONG), builder.alloca(_LONG)
    builder.store(start, number)
    builder.store(count, steps)
    return _record(builder, kind, (number, stop, step, steps))


def next_number(builder: Any, state: Any, kind: Any) -> Any:
    """The next number of a loop, and whether there is one."""
    number, _, step, steps = (builder.extract_value(state, k) for k in range(4))
    value, left = builder.load(number), builder.load(steps)
    builder.store(builder.sub(left, _LONG(1)), steps)
    builder.store(builder.add(value, step), number)
    return _record(builder, kind, (value, builder.icmp_signed(">", left, _LONG(0))))


def _record(builder: Any, kind: Any, parts: tuple[Any, ...]) -> Any:
    found = ir.Constant(kind, ir.Undefined)
    for k, part in enumerate(parts):
        found = builder.insert_value(found, part, k)
    return found
