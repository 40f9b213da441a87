"""From a requested exploitability to a plan: bisection over p, and mixtures of two plans."""

from __future__ import annotations

from collections.abc import Callable

from counterplay.responses.matchup import Matchup, Outcome

_HALVINGS_OF_MIXTURE = 50
_HALVINGS_OF_P = 14


def mixture(safe: Outcome, greedy: Outcome, weight: float) -> Outcome:
    """Before the game a coin decides: `greedy` with probability `weight`, else `safe`. Gain is linear in the weight,
    exploitability convex."""
    solver = safe.solver if greedy.solver == "sweep" else greedy.solver
    plan = (1.0 - weight) * safe.plan + weight * greedy.plan
    return Outcome(plan, max(safe.gap, greedy.gap), safe.interrupted or greedy.interrupted, solver)


def mixture_within(match: Matchup, safe: Outcome, greedy: Outcome, epsilon: float) -> tuple[Outcome, float]:
    """The mixture with the largest weight on `greedy` whose exploitability is at most epsilon, and that weight."""
    if match.within(greedy.plan, epsilon):
        return greedy, 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS_OF_MIXTURE):
        middle = 0.5 * (low + high)
        if match.exploitability(mixture(safe, greedy, middle).plan) <= epsilon:
            low = middle
        else:
            high = middle
    return mixture(safe, greedy, low), low


def corners(
    match: Matchup, response: Callable[[float], Outcome], epsilon: float
) -> tuple[tuple[Outcome, float], tuple[Outcome, float] | None]:
    """The responses at the two neighbouring p between which exploitability passes epsilon, each with its p.

    The second is None if even p = 1 stays within epsilon. Exploitability does not decrease in p (exactly so for RNR).
    """
    top = response(1.0)
    if match.within(top.plan, epsilon):
        return (top, 1.0), None
    low, high = (response(0.0), 0.0), (top, 1.0)
    for _ in range(_HALVINGS_OF_P):
        if low[0].interrupted or high[0].interrupted:
            break
        p = 0.5 * (low[1] + high[1])
        outcome = response(p)
        if match.within(outcome.plan, epsilon):
            low = (outcome, p)
        else:
            high = (outcome, p)
    return low, high


def safe_best_response(match: Matchup, epsilon: float) -> Outcome:
    """The largest gain with exploitability at most epsilon.

    By linear program: the guarantee may fall epsilon below the game's value. Iteratively: RNR is the Lagrangian of that
    program, so its two corners around epsilon are found by bisection over p, and mixed to meet epsilon exactly.
    """
    if match.solver == "lp":
        return match.guaranteeing(match.game_value - epsilon)
    low, high = corners(match, match.restricted_nash, epsilon)
    return low[0] if high is None else mixture_within(match, low[0], high[0], epsilon)[0]
