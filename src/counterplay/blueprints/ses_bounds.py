"""Bounds of SES: theorems 1 and 2 of Liu et al. 2022, with the numbers in them.

Values are normalised: chips of the opponent at an infoset, given that it is there; ranges say how likely it is there. σ* is
the least exploitable strategy among those that play the blueprint outside the subgames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.blueprints.continuation import bound_to_blueprint, exploitability
from counterplay.lookahead.priors import corrupt_estimate, shares
from counterplay.problem.solvable_game import SolvableGame
from counterplay.solvers.equilibrium import solve_lp
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.subgames.subtree import Subtree
from counterplay.treeplex.strategy import Strategy

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SesBounds:
    """Attributes:
    tau: largest relative error of the estimate against the range of σ*'s opponent; inf where that never comes.
    delta: largest distance between an opponent's value under the blueprint profile and its best against σ*, chips.
    epsilon: largest L1 distance between the estimate and the model's range.
    eta: least over the subgames of the most that an infoset of the opponent gains over σ*, chips.
    exploitability: theorem 1: the refined strategy has at most this; inf where the theorem says nothing.
    reward: theorem 2: by how much, in a subgame and given that it is reached, the refined strategy may at worst win less
        than σ* from an opponent whose range is the model's; chips, below 0 if less. Our reading: the paper's last term,
        ε·η, is taken with the largest change of any value instead of the largest increase, as its proof needs.
    measured: the same, as it is.
    """

    tau: float
    delta: float
    epsilon: float
    eta: float
    exploitability: float
    reward: float
    measured: float


def ses_bounds(
    game: SolvableGame,
    blueprint: tuple[Strategy, Strategy],
    refined: Strategy,
    model: Strategy,
    pieces: Sequence[Subtree],
    alpha: float,
    error: float = 0.0,
    seed: int = 0,
) -> SesBounds:
    """The bounds for a blueprint refined by SES, beside what is.

    Args:
        game: compiled, or a spot; small enough for the linear program.
        blueprint: the resolver's part and the opponent's.
        refined: the resolver's strategy after the search.
        model: the opponent.
        pieces: the subgames that were searched.
        alpha: the exploitation level.
        error, seed: of the estimate, as they were for `resolve_subtrees`.
    """
    mine, theirs = blueprint
    best, answer = _constrained(game, mine, pieces)
    draw = np.random.default_rng(seed)
    tau = delta = epsilon = 0.0
    eta = reward = measured = np.inf
    for piece in pieces:
        weight, size = piece.weight(mine.plan), piece.size
        counted = weight > 0.0
        if not counted.any():
            continue
        claims = [
            piece.alternative_values(ArrayPlans.of(game.subgame, *pair), len(pair) > 1)
            for pair in ((mine, theirs), (best,), (refined,))
        ]
        values = [np.divide(claim, weight, out=np.zeros(size), where=counted) for claim in claims]
        worse = (values[2] - values[1])[counted]
        delta = max(delta, float(np.abs(values[1] - values[0])[counted].max()))
        real = piece.presence(mine.plan, model.plan)
        if not real.any():
            continue
        real = shares(real)
        estimate = corrupt_estimate(real, error, draw, counted)
        tau = max(tau, _relative(estimate, shares(piece.presence(mine.plan, answer.plan))))
        distance = float(np.abs(estimate - real).sum())
        epsilon, eta = max(epsilon, distance), min(eta, max(0.0, float(worse.max())))
        measured = min(measured, -float(real[counted] @ worse))
        reward = min(reward, _promise(alpha, worse, values, counted, distance))
    room = 1.0 - (2.0 * tau + 1.0) * alpha
    allowed = exploitability(game, best) + 2.0 * delta / room if room > 0.0 else np.inf
    return SesBounds(tau, delta, epsilon, eta, allowed, reward, measured)


def _promise(
    alpha: float, worse: Floats, values: Sequence[Floats], counted: NDArray[np.bool_], distance: float
) -> float:
    """Theorem 2 for one subgame."""
    if alpha == 0.0:
        return -np.inf
    delta = float(np.abs(values[1] - values[0])[counted].max())
    most = max(0.0, float(worse.max()))
    return (1.0 - alpha) / alpha * (most - 2.0 * delta) - distance * float(np.abs(worse).max())


def _relative(estimate: Floats, real: Floats) -> float:
    """The largest relative error; where nobody should be, any estimate is wrong without bound."""
    off = np.abs(estimate - real)
    ratio = np.divide(off, real, out=np.full(len(off), np.inf), where=real > 0.0)
    return float(np.where(off <= 1e-12, 0.0, ratio).max(initial=0.0))


def _constrained(game: SolvableGame, blueprint: Strategy, pieces: Sequence[Subtree]) -> tuple[Strategy, Strategy]:
    """σ*, and the opponent's part of that equilibrium."""
    me = blueprint.player
    solution = solve_lp(game.subgame.bound(me, bound_to_blueprint(game, blueprint, pieces)), me)
    chosen = Strategy.from_plan(game.trees[me], solution.plans[me])
    return chosen, Strategy.from_plan(game.trees[1 - me], solution.plans[1 - me])
