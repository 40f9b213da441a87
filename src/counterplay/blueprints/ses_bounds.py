"""Bounds of SES: theorems 1 and 2 of Liu et al. 2022, with their constants.

Values are normalised: chips of the opponent at an infoset, given that they are there; ranges are their probabilities.
σ* is the least exploitable strategy among those that play the blueprint outside the subgames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.resolved_blueprint import BlueprintInputs
from counterplay.blueprints.settings import ResolveSettings
from counterplay.lookahead.tremble import corrupt_estimate, shares
from counterplay.subgames.plan_store import MeasuredPlans
from counterplay.subgames.subtree import Subtree


@dataclass(frozen=True)
class SesBounds:
    """Attributes: tau: largest relative error of the estimate against the range of σ*'s opponent; inf if that has no
    reach. delta: largest distance between an opponent's value under the blueprint profile and its best against σ*,
    chips. epsilon: largest L1 distance between the estimate and the model's range. eta: least over the subgames of the
    most that an infoset of the opponent gains over σ*, chips. exploitability: theorem 1: the refined strategy has at
    most this; inf if the theorem does not apply. reward: theorem 2: lower bound, in a subgame that is reached, on the
    value of the refined strategy less that of σ* against an opponent with the model's range; chips. Our reading: the
    paper's last term,
        ε·η, is taken with the largest change of any value instead of the largest increase, as its proof needs.
    measured: the measured value of that difference."""

    tau: float
    delta: float
    epsilon: float
    eta: float
    exploitability: float
    reward: float
    measured: float


def ses_bounds(
    base: Baseline,
    blueprint: BlueprintInputs[MeasuredPlans],
    refined: MeasuredPlans,
    best: MeasuredPlans,
    pieces: Sequence[Subtree],
    way: ResolveSettings,
    seed: int = 0,
) -> SesBounds:
    """The bounds for a blueprint refined by SES, with measured values."""
    assert blueprint.model is not None, "bounds need a model"
    me, plans, alpha = blueprint.resolver, blueprint.plans, way.alpha
    them = 1 - me
    draw = np.random.default_rng(seed)
    tau = delta = epsilon = 0.0
    eta = reward = measured = np.inf
    for piece in pieces:
        before, model, optimal, after = (piece.branch(one) for one in (plans, blueprint.model, best, refined))
        mine = before.reach(me)
        weight, size = piece.weight(mine), piece.size
        counted = weight > 0.0
        if not counted.any():
            continue
        claims = [
            piece.alternative_values(one, profile)
            for one, profile in ((before, True), (optimal, False), (after, False))
        ]
        values = [np.divide(claim, weight, out=np.zeros(size), where=counted) for claim in claims]
        worse = (values[2] - values[1])[counted]
        change = float(np.abs(values[1] - values[0])[counted].max())
        delta = max(delta, change)
        real = piece.presence(mine, model.reach(them))
        if not real.any():
            continue
        real = shares(real)
        estimate = corrupt_estimate(real, way.error, draw, counted)
        optimal_range = shares(piece.presence(mine, optimal.reach(them)))
        off = np.abs(estimate - optimal_range)  # relative: infinite where the estimate is positive and the range is 0
        ratio = np.divide(off, optimal_range, out=np.full(len(off), np.inf), where=optimal_range > 0.0)
        tau = max(tau, float(np.where(off <= 1e-12, 0.0, ratio).max(initial=0.0)))
        distance = float(np.abs(estimate - real).sum())
        epsilon, eta = max(epsilon, distance), min(eta, max(0.0, float(worse.max())))
        measured = min(measured, -float(real[counted] @ worse))
        if alpha == 0.0:
            reward = -np.inf
        else:
            most = max(0.0, float(worse.max()))
            promise = (1.0 - alpha) / alpha * (most - 2.0 * change) - distance * float(np.abs(worse).max())
            reward = min(reward, promise)
    room = 1.0 - (2.0 * tau + 1.0) * alpha
    allowed = base.exploitability(best, me) + 2.0 * delta / room if room > 0.0 else np.inf
    return SesBounds(tau, delta, epsilon, eta, allowed, reward, measured)
