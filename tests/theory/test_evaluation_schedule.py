"""When a solve looks at its exploitability: often enough to end near the first iteration that is good enough."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from counterplay.solvers.iterates import Looks

LARGE, SMALL = 10**6, 10**3
"""Sequences."""


def schedule(looks: Looks, constant: float, power: float, goal: float) -> list[int]:
    """The iterations after which a solve looks whose NashConv is `constant` over a power of the iterations."""
    done = [looks.after(0)]
    while constant / done[-1] ** power > 2.0 * goal:
        looks.saw(done[-1], constant / done[-1] ** power)
        done.append(looks.after(done[-1]))
    return done


@given(st.floats(0.8, 2.5), st.floats(10.0, 300.0))
def test_the_last_look_is_just_after_the_goal(power: float, wanted: float) -> None:
    """In a large problem, where the goal is reached after `wanted` iterations, beyond the first two looks."""
    done = schedule(Looks(LARGE, 0.5), wanted**power, power, 0.5)
    assert done[-1] <= max(1.02 * wanted + 3, 32)
    assert len(done) <= 8


def test_a_small_problem_looks_every_few_iterations() -> None:
    done = schedule(Looks(SMALL, 0.5), 100.0, 1.0, 0.5)
    assert done == [16, 32, 48, 64, 80, 96, 112]


def test_after_a_rise_the_next_look_is_as_after_a_single_one() -> None:
    """As on the flop Td 9d 6h, at 0.67, 0.85 and, after 88 iterations, 0.5 % of the pot: not at twice the iterations."""
    looks, alone = Looks(LARGE, 0.5), Looks(LARGE, 0.5)
    for done, nash_conv in ((54, 1.34), (65, 1.70)):
        looks.saw(done, nash_conv)
    alone.saw(65, 1.70)
    assert looks.after(65) == alone.after(65) == 89
