"""Intervals of a match: the plain one at its end, and those of a confidence sequence at all times together."""

from __future__ import annotations

import numpy as np
import pytest

import counterplay as cp
from counterplay.intervals import anytime_interval, mean_interval
from tests.support.commands import Runner


def test_intervals_at_any_time_hold_together_where_plain_ones_do_not() -> None:
    """The mean is 0; looked at after each of 2,000 results from the 50th on, in 120 matches."""
    rng, looks = np.random.default_rng(3), np.unique(np.geomspace(50, 2000, 40).astype(int))
    missed = np.zeros(2)
    for _ in range(120):
        values = rng.choice([-3.0, 1.0], p=[0.25, 0.75], size=2000)
        for kind, interval in enumerate((mean_interval, anytime_interval)):
            ends = [interval(values[:look]) for look in looks]
            missed[kind] += any(one is not None and not one[0] <= 0.0 <= one[1] for one in ends)
    assert missed[1] / 120 <= 0.05 < 0.2 < missed[0] / 120


@pytest.mark.parametrize("count", [2, 4, 10, 40])
def test_intervals_of_few_values_hold_as_often_as_they_say(count: int) -> None:
    """Of normal values with any mean and spread, whose intervals are exact (Student 1908): 4,000 means of few."""
    values = 3.0 + 2.0 * np.random.default_rng(count).normal(size=(4000, count))
    found = [mean_interval(row) for row in values]
    held = np.mean([one is not None and one[0] <= 3.0 <= one[1] for one in found])
    assert held == pytest.approx(0.95, abs=4.0 * (0.95 * 0.05 / 4000) ** 0.5)


def test_the_sequence_is_little_wider_and_shrinks() -> None:
    values = np.random.default_rng(1).normal(size=100_000)
    for count in (300, 1000, 10_000, 100_000):
        plain, anytime = mean_interval(values[:count]), anytime_interval(values[:count])
        assert plain is not None
        assert anytime is not None
        assert 1.4 < (anytime[1] - anytime[0]) / (plain[1] - plain[0]) < 2.0
    assert anytime_interval(values[:1]) is mean_interval(values[:1]) is None


def test_the_command_shows_them_and_the_parts(run: Runner) -> None:
    found = run("match", "kuhn", "nash", "uniform", "--hands", "400", "--aivat", "--json").json
    for one in (found, found["aivat"]):
        assert one["anytime"][0] < one["interval"][0] < one["mean"] < one["interval"][1] < one["anytime"][1]
    assert np.mean(found["blocks"]) == pytest.approx(found["mean"])
    shown = run("match", "kuhn", "nash", "uniform", "--hands", "400", "--anytime", "--blocks", "--aivat").out
    assert (shown.count("95 % at any time"), "95 % interval" in shown) == (2, False)
    assert "chips by part" in shown


@pytest.mark.slow
def test_aivat_takes_a_fifth_of_the_hands_in_leduc(leduc: cp.GameTree) -> None:
    """The variance that is left is below a fifth, so that five times fewer hands give the same interval."""
    from counterplay.agents.factory.agent_factory import PlayableGame
    from counterplay.measure.make_aivat import aivat_of
    from counterplay.measure.match import match

    one, two = (lambda seat, text=text: cp.agent(leduc, text, seat, seed=3) for text in ("nash", "cfr+:10"))
    ground = PlayableGame(leduc)
    found = match(leduc, one, two, 400, aivat=lambda a, b: aivat_of(ground, a, b))
    assert found.aivat is not None
    assert found.aivat.variance is not None
    assert found.aivat.variance < 0.2
