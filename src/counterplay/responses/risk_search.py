"""From a requested exploitability to a plan: searches over p, and mixtures of two plans."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import NamedTuple

from counterplay.responses.method import AnyMatchup, Outcome
from counterplay.solvers.bisection import OddsBisection, most_above

_TRUSTING = 0.999
"""The cap on the p that a bound gives."""
_ENOUGH = 3.0
"""Distance of a safe answer from the optimum at which the search ends, in units of the accuracy of a solve."""
_FINEST = 0.01
"""The most by which solves at small p are made more accurate, since gains have weight p in them."""


def p_from_bound(epsilon: float, gain: float) -> float:
    """The largest p for which exploitability ≤ gain · p / (1 - p) keeps within epsilon, if the gain is at most `gain`
    (theorem 5.3 of Milec et al. 2024; chips). The theorem does not cover p = 1, so p stays below it, even if no gain is
    possible. If exploitability can be measured, bisection finds a larger p."""
    return min(epsilon / (epsilon + gain), _TRUSTING) if epsilon > 0.0 else 0.0


class _Measured(NamedTuple):
    """A response, its chips against the model, and its exploitability."""

    outcome: Outcome
    value: float
    lost: float


def safe_best_response(match: AnyMatchup, epsilon: float) -> Outcome:
    """The largest gain with exploitability at most epsilon.

    By linear program: the guarantee may fall epsilon below the game's value. Iteratively: RNR is the Lagrangian of that
    program, so its two corners around epsilon are found, and mixed to meet epsilon exactly. The next p is the one at which
    the two corners known so far are worth the same: its response beats their mixtures, or shows that nothing does. Every RNR
    also bounds the value of any safe plan, and hence the distance of the answer from the optimum; one whose own gap is not
    known bounds nothing, and the distance is not known then.
    """

    def measured(outcome: Outcome) -> _Measured:
        return _Measured(outcome, match.value_against_model(outcome.plan), match.exploitability(outcome.plan))

    exact = match.exactly_safe(epsilon)
    if exact is not None:
        return exact
    low, high = measured(match.equilibrium()), measured(match.best_response())
    if match.within(high.outcome.plan, epsilon):
        return high.outcome
    bound, proved, odds = high.value, high.value, OddsBisection()
    for _ in range(match.halvings_of_p):
        if bound - _between(low, high, epsilon) <= _ENOUGH * match.stop.exploitability:
            break
        odds = odds.toward_chord(high.value - low.value, high.lost - low.lost)
        p = odds.p
        outcome = match.restricted_nash(p, accuracy=max(p, _FINEST))
        if not isnan(outcome.gap):
            bound = min(bound, _most(match, outcome, p, match.game_value - epsilon))
            proved = min(proved, _most(match, outcome, p, match.least_value - epsilon))
        within = match.within(outcome.plan, epsilon)
        odds = odds.after(within)
        if not within:
            high = measured(outcome)
        elif match.gains(outcome, low.outcome):
            low = measured(outcome)
        if outcome.interrupted:
            break
    best = low.outcome
    if match.gains(high.outcome, low.outcome):
        best = match.mixture_within(low.outcome, high.outcome, epsilon)[0]
    gap = nan if isnan(best.gap) else max(0.0, proved - match.value_against_model(best.plan))
    return replace(best, gap=gap)


def _between(low: _Measured, high: _Measured, epsilon: float) -> float:
    """Lower bound on the value of the best mixture of two responses on either side of epsilon: exploitability is convex in
    its weight. Where the second loses no more than the first, neither is within epsilon, and there is no such mixture."""
    if high.lost <= low.lost:
        return low.value
    return low.value + (high.value - low.value) * max(0.0, epsilon - low.lost) / (high.lost - low.lost)


def _most(match: AnyMatchup, outcome: Outcome, p: float, floor: float) -> float:
    """Upper bound on the value against the model with a worst case of at least `floor`, by the RNR for p and its gap."""
    reached = p * match.value_against_model(outcome.plan) + (1.0 - p) * match.guarantee(outcome.plan)
    return most_above(floor, reached + outcome.gap, p)
