"""The least variance with one side unknown: an estimate reaches it and stays unbiased whatever is played; none is better."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.measure.make_aivat import HistoryAivat, values_of_histories
from counterplay.opponents.counting.terminal_infosets import TerminalInfosets
from counterplay_papers.least_variance import least_variance
from tests.support.hands import every_hand, mean_and_variance


def odds_of(game: cp.GameTree, one: cp.Strategy, two: cp.Strategy) -> np.ndarray:
    """(ends,) the probability of each end."""
    ends = TerminalInfosets(game, 0).ends
    odds = game.histories.reach[ends]
    for strategy in (one, two):
        odds = odds * strategy.plan[game.sequences[strategy.player][ends]]
    return odds


@pytest.mark.parametrize("known", [0, 1])
@given(ours=st.integers(0, 500), theirs=st.integers(0, 500), others=st.integers(0, 500))
def test_the_estimate_is_unbiased_against_anyone_and_reaches_the_bound(
    kuhn: cp.GameTree, known: int, ours: int, theirs: int, others: int
) -> None:
    one, true, any_other = (
        cp.opponent(kuhn, f"random:{seed}", side) for seed, side in ((ours, known), (theirs, 1 - known), (others, 1 - known))
    )  # fmt: skip
    found, last = least_variance(kuhn, one, true), kuhn.sequences[1 - known][TerminalInfosets(kuhn, 0).ends]
    value = float(kuhn.payoff.product(1 - known, one.plan) @ true.plan)
    estimate = value + found.steps[last]
    for other in (true, any_other):
        exact = float(kuhn.payoff.product(1 - known, one.plan) @ other.plan)
        assert float(odds_of(kuhn, one, other) @ estimate) == pytest.approx(exact, abs=1e-9)
    odds = odds_of(kuhn, one, true)
    assert float(odds @ (estimate - value) ** 2) == pytest.approx(found.least, abs=1e-9)
    assert found.least <= found.plain + 1e-9


@pytest.mark.parametrize("known", [0, 1])
def test_no_unbiased_estimate_has_a_smaller_variance(kuhn: cp.GameTree, known: int) -> None:
    """The second way: of all functions of a hand whose mean is exact against 60 random opponents, hence, since both sides
    are linear in their plan, against all, the one of least variance by weighted least squares."""
    one, true = cp.opponent(kuhn, "random:1", known), cp.opponent(kuhn, "random:2", 1 - known)
    ends = TerminalInfosets(kuhn, 0).ends
    paid = kuhn.histories.utility[ends] * (1.0 if known == 1 else -1.0)
    rows = np.array([odds_of(kuhn, one, cp.opponent(kuhn, f"random:{seed}", 1 - known)) for seed in range(60)])
    root = np.sqrt(odds_of(kuhn, one, true))
    smallest, *_ = np.linalg.lstsq(rows / root, rows @ paid, rcond=1e-10)  # of least norm among all that meet the means
    value = float(root**2 @ paid)
    found = least_variance(kuhn, one, true)
    assert float(smallest @ smallest) - value**2 == pytest.approx(found.least, abs=1e-8)
    assert float(root**2 @ paid**2) - value**2 == pytest.approx(found.plain, abs=1e-9)


@pytest.mark.parametrize("spec", ["kuhn", "leduc:2"])
def test_aivat_leaves_at_least_the_bound(spec: str) -> None:
    """Also by the values of the true strategies."""
    game = cp.load(spec)
    pair = cp.opponent(game, "nash", 0), cp.opponent(game, "random:8,0.3", 1)
    bound, policies = least_variance(game, *pair), (pair[0].probabilities, pair[1].probabilities)
    hands = list(every_hand(game.rules, policies))
    aivat = HistoryAivat(game.rules, policies, values_of_histories(game.rules, policies))
    _, plain = mean_and_variance([(hand.won(0), odds) for hand, odds in hands])
    _, left = mean_and_variance([(aivat.chips(hand, 0), odds) for hand, odds in hands])
    assert plain == pytest.approx(bound.plain, abs=1e-9)
    assert bound.least <= left + 1e-9
    assert left <= 1.5 * bound.least
