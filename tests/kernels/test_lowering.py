"""Kernels do what Python does: loops, records, variables of every kind, and calls that fail."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support.package_kernels import package_kernel

BOUNDS = (-7, -3, 0, 1, 6)


def _looped(start: int, stop: int, step: int) -> int:
    """Every range, in an order that a wrong number would change."""
    total, last = 1, 99
    for i in range(stop):
        total = (3 * total + i) % 1_000_003
    for i in range(start, stop):
        last = i
        total = (3 * total + i) % 1_000_003
    for i in range(start, stop, 3):
        for j in range(i, start, -2):
            if j == 4:
                continue
            if i == 5:
                break
            total = (3 * total + j) % 1_000_003
        last += i
    for i in range(start, stop, step):
        total = (3 * total + i) % 1_000_003
        last = i
    return 100 * total + last


class _Inner(NamedTuple):
    one: Any
    two: Any


class _Outer(NamedTuple):
    left: Any
    right: Any
    number: Any


def _changed(outer: Any, turns: int) -> Any:
    return _Outer(outer.right, _Inner(outer.left.two, outer.left.one + turns), outer.number * 0.5)


def _turned(one: int, turns: int) -> float:
    """Records in records that are set in one place, in two, and in a loop."""
    outer, extra = _Outer(_Inner(one, 2), _Inner(3, 4), 8.0), 0
    for k in range(turns):
        outer = changed(outer, k)
        if outer.left.one > 4:
            extra = k
    left, right = outer.left, outer.right
    found = left if extra > 1 else _Inner(right.one, extra)
    return float(1000 * found.one + 100 * found.two + 10 * right.two) + outer.number


def _shared(whole: float, parts: float) -> float:
    return whole / parts


def _share(whole: float, parts: float) -> float:
    return shared(whole, parts) + 1.0


changed, shared = package_kernel(_changed, inner=True), package_kernel(_shared, inner=True)


def test_loops_are_those_of_python() -> None:
    looped = package_kernel(_looped)
    for start in BOUNDS:
        for stop in BOUNDS:
            for step in (-3, 1, 2):
                assert looped(start, stop, step) == _looped(start, stop, step)
    with pytest.raises(ValueError, match="must not be zero"):
        looped(0, 1, 0)


def test_records_are_those_of_python() -> None:
    turned, plain = package_kernel(_turned), _turned.__globals__ | {"changed": _changed}
    expected = type(_turned)(_turned.__code__, plain)
    for one in BOUNDS:
        for turns in (0, 1, 2, 7):
            assert turned(one, turns) == expected(one, turns)


def test_a_kernel_that_fails_fails_through_its_callers() -> None:
    share = package_kernel(_share)
    assert share(3.0, 2.0) == 2.5
    with pytest.raises(ZeroDivisionError):
        share(3.0, 0.0)
