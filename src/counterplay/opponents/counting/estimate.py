"""Estimates of a strategy from observations: expectation maximisation, and the convex program with its certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64
from counterplay.opponents.counting.extrapolation import extrapolate
from counterplay.opponents.counting.observations import Observations
from counterplay.read_only import lock_fields
from counterplay.treeplex.sweeps import best_cfvs, reach
from counterplay.treeplex.treeplex import Treeplex
from counterplay.treeplex.visits import visits

ROUNDS = 50
_SOFT = 1e-3
"""The share of uniform play in the start, so that no observation is impossible."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A fitted strategy.

    Attributes:
        behaviour: (size,) its probabilities.
        visits: (lanes,) expected hands through each infoset.
        rounds: of the iteration.
        gap: nats a hand that no other strategy can add to the likelihood; None where a prior takes part.
    """

    behaviour: F64
    visits: F64
    rounds: int
    gap: float | None = None

    def __post_init__(self) -> None:
        lock_fields(self, "behaviour", "visits")


def expectation_maximisation(
    data: Observations, prior: F64, weight: float, rounds: int = ROUNDS, tolerance: float = 1e-5
) -> Estimate:
    """The strategy of largest posterior density under Dirichlet priors, by EM (Dempster, Laird and Rubin 1977).

    Each round shares every observation out among the hands that the opponent may have held, in proportion to their
    probabilities under the last strategy, and counts actions. Each infoset has `weight` further observations of the prior p:
    the density is that of Dirichlet(1 + weight p), whose mode with n shown decisions, (n + weight p) / (N + weight), is the
    mean of Dirichlet(n + weight p), from which `posterior.draw_behaviours` draws.

    Args:
        data: the observations.
        prior: (size,) behaviour.
        weight: observations of an infoset that the prior is worth; 0 leaves it where nothing was seen.
        rounds: the most.
        tolerance: stop when no probability changes by more.
    """
    tree, done, change = data.tree, 0, np.inf
    behaviour = (1.0 - _SOFT) * prior + _SOFT * tree.uniform()
    while done < rounds and change > tolerance:
        before = behaviour
        behaviour = normalised(tree, *data.visits(reach(tree, before)), prior, weight)
        done, change = done + 1, float(np.abs(behaviour - before).max())
    return Estimate(behaviour, data.visits(reach(tree, behaviour))[1], done)


def convex_program(data: Observations, prior: F64, tolerance: float = 1e-4, rounds: int = 20_000) -> Estimate:
    """The strategy of largest likelihood: the concave program over realization plans (Ganzfried 2025), without a prior.

    The iteration is EM, which ascends monotonously, in extrapolated steps (Varadhan and Roland 2008); it stops at a
    certificate: the likelihood is concave in the plan, so what the best plan gains along the gradient bounds what any plan
    can add. Among equally likely strategies it stays near the prior.

    Args:
        data: the observations.
        prior: (size,) behaviour where nothing was seen, and the start.
        tolerance: largest gap, in nats a hand.
        rounds: the most.
    """
    tree, hands = data.tree, max(float(data.hands.sum()), 1.0)
    behaviour = (1.0 - _SOFT) * prior + _SOFT * tree.uniform()
    done, gap = 0, np.inf

    def step(now: F64) -> F64:
        return normalised(tree, *data.visits(reach(tree, now)), now, 0.0)

    while done < rounds:
        one = step(behaviour)
        two = step(one)
        behaviour = _extrapolated(data, behaviour, one, two)
        done += 3
        if done % 30 == 0:
            gap = _gap(data, reach(tree, behaviour)) / hands
            if gap <= tolerance:
                break
    counts = data.visits(reach(tree, behaviour))[1]
    inner = np.flatnonzero(tree.owner >= 0)
    unseen = inner[counts[tree.owner[inner]] == 0.0]
    behaviour[unseen] = prior[unseen]
    return Estimate(behaviour, counts, done, gap)


def normalised(tree: Treeplex, seen: F64, counts: F64, prior: F64, weight: float) -> F64:
    """(size,) relative frequencies of actions, with `weight` more observations of the prior at every infoset.

    Args:
        tree: the player's treeplex.
        seen: (size,) hands through each sequence.
        counts: (lanes,) hands through each infoset.
        prior: (size,) behaviour.
        weight: observations that the prior is worth.
    """
    behaviour = prior.copy()
    inner = np.flatnonzero(tree.owner >= 0)
    total = counts[tree.owner[inner]] + weight
    known, total = inner[total > 0.0], total[total > 0.0]
    behaviour[known] = (seen[known] + weight * prior[known]) / total
    return behaviour


def _extrapolated(data: Observations, start: F64, one: F64, two: F64) -> F64:
    """A longer step along the path of EM in logarithms, if it is better than two steps of EM; then one step of EM."""
    tree, far = data.tree, np.empty_like(start)
    extrapolate(start, one, two, far)
    far[~tree.real] = 0.0
    sums = np.bincount(tree.owner[tree.owner >= 0], far[tree.owner >= 0], tree.lanes).astype(np.float64)
    tried = normalised(tree, far, sums, two, 0.0)
    best = tried if data.log_likelihood(reach(tree, tried)) >= data.log_likelihood(reach(tree, two)) else two
    return normalised(tree, *data.visits(reach(tree, best)), best, 0.0)


def _gap(data: Observations, plan: F64) -> float:
    """What the best plan gains along the gradient of the log-likelihood at a plan (size,)."""
    rates = data.hands / np.maximum(data.likelihoods(plan), 1e-300)
    gradient = np.bincount(data.sequence, data.weight * rates[data.row], data.tree.size).astype(np.float64)
    values = gradient.copy()
    best_cfvs(data.tree.arrays.groups, data.tree.arrays.parent, values)
    return float(values[0] - (gradient * plan).sum())


def frequencies(data: Observations, prior: F64, weight: float) -> Estimate:
    """Relative frequencies in the hands that were shown; they are biased where what is shown depends on the hand.

    Args:
        data: the observations.
        prior: (size,) behaviour.
        weight: observations that the prior is worth.
    """
    seen, counts = visits(data.tree, data.only_shown.expected_ends(reach(data.tree, data.tree.uniform())))
    return Estimate(normalised(data.tree, seen, counts, prior, weight), counts, 1)
