"""The largest gain from an opponent's leaks within each exploitability: the corners of that curve, and what lies between.

The corners are restricted Nash responses to the leak (see `responses.envelope`). A mixture of two neighbours,
decided before the hand, wins at least the mixture of their gains and loses at most the mixture of their
exploitabilities, since the first is concave and the second convex in the realization plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from counterplay.errors import InputError
from counterplay.poker.betting.stakes import RISK, check_zero_sum
from counterplay.poker.locking.exploit_leak import ACCURACY
from counterplay.poker.locking.leak_response import LeakResponder, Phase
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.responses.envelope import Corner, envelope
from counterplay.responses.method import Outcome
from counterplay.solvers.cfr import Progress

_LEAST, _MOST = 2, 50
CORNERS = 9
"""The most corners by default."""


@dataclass(frozen=True, eq=False)
class LeakCorner:
    """A response at a corner, in chips a hand: at least `gain` more than the value of the spot is won from the leak,
    and at most `exploitability` won back by a perfect opponent. p: probability of the leak. plans: of which the
    responder's seat counts."""

    p: float
    gain: float
    exploitability: float
    plans: SpotPlans


@dataclass(frozen=True, eq=False)
class LeakFrontier:
    """The curve, its corners from the least exploitable one on. value: upper bound on the value of the spot for the
    responder, from which gains count, and `value_gap` the most by which the value is below that."""

    lock: NodeLock
    solved: SolvedSpot
    value: float
    value_gap: float
    corners: tuple[LeakCorner, ...]
    worst_opponent: SpotPlans | None
    interrupted: bool


@dataclass(frozen=True)
class MixedCorners:
    """A corner, or a mixture of two neighbours, with the bounds of `LeakCorner`. lower: number of the less exploitable
    corner. weight: of the next corner, from 0 to 1."""

    lower: int
    weight: float
    gain: float
    exploitability: float


def leak_frontier(
    lock: NodeLock,
    *,
    corners: int = CORNERS,
    elsewhere: str = "free",
    accuracy: float | None = None,
    progress: Progress | None = None,
    phase: Phase | None = None,
    found: Callable[[LeakCorner], None] | None = None,
) -> LeakFrontier:
    """The corners of gain against exploitability for an opponent with leaks. elsewhere, accuracy, progress, phase: as
    in `exploit_leak.exploit_leak`. found: called with every corner as soon as it is solved."""
    spot = lock.solved.spot
    check_zero_sum(spot.rake, RISK)
    if not _LEAST <= corners <= _MOST:
        raise InputError(f"a frontier of leaks has from {_LEAST} to {_MOST} corners, not {corners}")
    accuracy = ACCURACY[spot.street] if accuracy is None else accuracy
    responder = LeakResponder(lock, elsewhere == "free", 0.01 * accuracy * spot.pot, progress, phase)
    kept: dict[tuple[float, float], LeakCorner] = {}

    def keep(corner: Corner, plans: Any) -> None:
        solved_corner = LeakCorner(corner.p, corner.gain, corner.exploitability, plans)
        kept[corner.gain, corner.exploitability] = solved_corner
        if found:
            found(solved_corner)

    curve = envelope(_LeakProblem(responder), corners, keep)
    return LeakFrontier(
        lock, responder.solved, responder.value, responder.value_gap or 0.0,
        tuple(kept[one.gain, one.exploitability] for one in curve.corners), responder.worst_opponent(),
        curve.interrupted,
    )  # fmt: skip


def mix_corners(corners: Sequence[LeakCorner], most: float) -> MixedCorners:
    """The mixture of corners, from the least exploitable one on, that wins most with an exploitability of at most
    `most` chips; below the first corner's, that corner: no play found is safer."""
    if isnan(most):
        raise InputError("the largest exploitability is not a number")
    last = len(corners) - 1
    for number in range(last):
        one, other = corners[number], corners[number + 1]
        if most < other.exploitability:
            weight = max(0.0, (most - one.exploitability) / (other.exploitability - one.exploitability))
            gain = (1.0 - weight) * one.gain + weight * other.gain
            risk = (1.0 - weight) * one.exploitability + weight * other.exploitability
            return MixedCorners(number, weight, gain, risk)
    return MixedCorners(last, 0.0, corners[last].gain, corners[last].exploitability)


class _LeakProblem:
    """A responder to leaks as a `CornerProblem`."""

    solver = "cfr"

    def __init__(self, responder: LeakResponder) -> None:
        betting = responder.solved.tree.betting
        self.responder, self.game_value = responder, responder.value
        self.span = float(betting.win.max() - betting.lose.min())
        self.value_against_model, self.exploitability = responder.against_leak, responder.exploitability

    def restricted_nash(self, p: float) -> Outcome:
        plans, _ = self.responder.response(p)
        return Outcome(plans, 2.0 * self.responder.fine, self.responder.interrupted, self.solver)

    def best_equilibrium(self) -> Outcome:
        return self.restricted_nash(0.0)
