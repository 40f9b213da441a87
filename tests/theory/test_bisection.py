"""Searches over the odds of p on frontiers with corners, whose best mixture is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay.responses.method import Outcome
from counterplay.responses.methods import _between, _Measured
from counterplay.solvers.bisection import OddsBisection, largest_weight, most_above

STEPS = st.lists(st.tuples(st.floats(0.1, 1.0), st.floats(0.2, 2.0)), min_size=1, max_size=8)


@given(STEPS, st.floats(0.01, 0.99))
def test_the_chord_finds_the_best_mixture_within_as_many_responses_as_there_are_corners(
    steps: list[tuple[float, float]], share: float
) -> None:
    """A corner is what is lost and won; each response is the corner with the most p x (won) - (1 - p) x (lost)."""
    slopes = np.sort([slope for _, slope in steps])[::-1]  # ever less is won for what is lost: the frontier is concave
    lost = np.concatenate([[0.0], np.cumsum([width for width, _ in steps])])
    won = np.concatenate([[0.0], np.cumsum([width * slope for (width, _), slope in zip(steps, slopes, strict=True)])])
    allowed = share * lost[-1]
    best = float(np.interp(allowed, lost, won))
    low, high, odds, bound = 0, len(steps), OddsBisection(), np.inf
    for _ in range(len(lost)):
        odds = odds.toward_chord(won[high] - won[low], lost[high] - lost[low])
        corner = int((odds.p * won - (1.0 - odds.p) * lost).argmax())
        bound = min(bound, most_above(-allowed, odds.p * won[corner] - (1.0 - odds.p) * lost[corner], odds.p))
        low, high = (corner, high) if lost[corner] <= allowed else (low, corner)
        odds = odds.after(low == corner)
        reached = won[low] + (won[high] - won[low]) * (allowed - lost[low]) / (lost[high] - lost[low])
        assert reached <= best + 1e-9
        assert best <= bound + 1e-9
        if bound - reached <= 1e-9:
            break
    assert reached == pytest.approx(bound, abs=1e-9)


def test_without_a_chord_inside_the_interval_is_halved() -> None:
    odds = OddsBisection()
    assert odds.toward_chord(0.0, 1.0).p == odds.toward_chord(1.0, 1e9).p == odds.p == 0.5
    assert odds.toward_chord(3.0, 1.0).p == pytest.approx(0.25)
    tried = odds.toward_chord(3.0, 1.0)
    assert tried.after(True).low == tried.after(False).high == pytest.approx(np.log(1.0 / 3.0))
    assert tried.after(True).toward_chord(4.0, 1.0).p == tried.after(True).p > 0.25  # 0.2 has been left


LINES = st.lists(st.tuples(st.integers(0, 16), st.integers(-100, 30)), min_size=1, max_size=12)
"""What each is at 0, and how much it rises up to 1, in sixteenths."""


@given(LINES, st.integers(0, 60), st.sampled_from([12, 40]))
def test_the_largest_weight_is_found_within_few_looks(lines: list[tuple[int, int]], bend: int, halvings: int) -> None:
    """Of the least of some lines less a parabola, which is concave: before the first root, to the accuracy that is asked
    for. Halving alone takes as many looks as halvings."""
    looked: list[float] = []

    def left(weight: float) -> float:
        looked.append(weight)
        return min(start + slope * weight for start, slope in lines) - bend * weight**2

    roots = [1.0]
    for start, slope in lines:
        if start + slope < bend:
            half = 0.5 * slope
            roots.append((half + np.sqrt(half**2 + bend * start)) / bend if bend else start / -slope)
    found = largest_weight(left, (left(0.0), left(1.0)), halvings)
    assert found == 0.0 or left(found) >= 0.0
    assert found == pytest.approx(min(roots), abs=2.0**-halvings)
    assert len(looked) <= 20


@pytest.mark.parametrize(("lost", "wins"), [(0.4, 1.25), (0.1, 1.0), (0.05, 1.0)])
def test_a_mixture_wins_between_two_responses_of_which_the_first_risks_less(lost: float, wins: float) -> None:
    """An exploitability of 0.175 between 0.1 and 0.4 is a quarter of the way; where the second risks no more than the first,
    nothing is mixed, nor divided by zero."""
    one, two = (Outcome(np.zeros(0), solver="sweep") for _ in range(2))
    assert _between(_Measured(one, 1.0, 0.1), _Measured(two, 2.0, lost), 0.175) == pytest.approx(wins)
