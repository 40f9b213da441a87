"""The largest gain from an opponent's leaks within each exploitability: the corners of that curve, and what lies between.

The corners are restricted Nash responses to the leak (see `responses.matchup.envelope`). A mixture of two neighbours,
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
from counterplay.responses.matchup.any_matchup import Outcome
from counterplay.responses.matchup.envelope import Corner, envelope
from counterplay.solvers.cfr import Progress

_LEAST, _MOST = 2, 50
CORNERS = 9
"""The most corners by default."""


@dataclass(frozen=True, eq=False)
class LeakCorner:
    """A response at a corner. Chips a hand.

    Attributes:
        p: probability of the leak at which it is a restricted Nash response.
        gain: at least so much more than the value of the spot is won from the leak.
        exploitability: at most so much is won back by a perfect opponent.
        plans: of which the responder's seat counts.
    """

    p: float
    gain: float
    exploitability: float
    plans: SpotPlans


@dataclass(frozen=True, eq=False)
class LeakFrontier:
    """The curve.

    Attributes:
        lock: the opponent.
        solved: the equilibrium with which the leaks are compared.
        value: upper bound on the value of the spot for the responder, from which gains count.
        value_gap: the most by which the value is below that.
        corners: from the least exploitable one on.
        worst_opponent: see `LeakResponder.worst_opponent`.
        interrupted: whether Ctrl-C ended the search, with the corners so far.
    """

    lock: NodeLock
    solved: SolvedSpot
    value: float
    value_gap: float
    corners: tuple[LeakCorner, ...]
    worst_opponent: SpotPlans | None
    interrupted: bool


@dataclass(frozen=True)
class MixedCorners:
    """What is played at an exploitability: a corner, or a mixture of two neighbours.

    Attributes:
        lower: number of the less exploitable corner.
        weight: of the next corner, from 0 to 1.
        gain: at least so much is won from the leak; exploitability: at most so much is lost. Chips a hand.
    """

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
    """The corners of gain against exploitability for an opponent with leaks.

    Args:
        lock: from `node_lock.lock_nodes`.
        corners: the most of them.
        elsewhere, accuracy, progress, phase: as in `exploit_leak.exploit_leak`.
        found: called with every corner as soon as it is solved.

    Raises:
        InputError: a spot with a rake, or a number of corners out of range.
    """
    check_zero_sum(lock.solved.spot.rake, RISK)
    if not _LEAST <= corners <= _MOST:
        raise InputError(f"a frontier of leaks has from {_LEAST} to {_MOST} corners, not {corners}")
    accuracy = ACCURACY[lock.solved.spot.street] if accuracy is None else accuracy
    problem = _LeakProblem(
        LeakResponder(lock, elsewhere == "free", 0.01 * accuracy * lock.solved.spot.pot, progress, phase)
    )
    kept: dict[tuple[float, float], LeakCorner] = {}

    def keep(corner: Corner, plans: Any) -> None:
        solved_corner = LeakCorner(corner.p, corner.gain, corner.exploitability, plans)
        kept[corner.gain, corner.exploitability] = solved_corner
        if found:
            found(solved_corner)

    curve = envelope(problem, corners, keep)
    chosen = tuple(kept[one.gain, one.exploitability] for one in curve.corners)
    responder = problem.responder
    return LeakFrontier(
        lock,
        responder.solved,
        problem.game_value,
        responder.value_gap or 0.0,
        chosen,
        responder.worst_opponent(),
        curve.interrupted,
    )


def mix_corners(corners: Sequence[LeakCorner], most: float) -> MixedCorners:
    """What wins most of the corners' mixtures with an exploitability of at most `most` chips; below the first corner's, that
    corner: no play found is safer.

    Args:
        corners: from the least exploitable one on; at least one.
        most: chips.

    Raises:
        InputError: `most` is NaN.
    """
    if isnan(most):
        raise InputError("the largest exploitability is not a number")
    last = len(corners) - 1
    for number in range(last):
        one, other = corners[number], corners[number + 1]
        if most < other.exploitability:
            weight = max(0.0, (most - one.exploitability) / (other.exploitability - one.exploitability))
            gain, risk = (
                (1.0 - weight) * x + weight * y
                for x, y in ((one.gain, other.gain), (one.exploitability, other.exploitability))
            )
            return MixedCorners(number, weight, gain, risk)
    return MixedCorners(last, 0.0, corners[last].gain, corners[last].exploitability)


class _LeakProblem:
    """A responder to leaks, as the search for corners asks for it."""

    solver = "cfr"

    def __init__(self, responder: LeakResponder) -> None:
        self.responder = responder
        betting = responder.solved.tree.betting
        self.span = float(betting.win.max() - betting.lose.min())
        self.game_value = responder.value

    def value_against_model(self, plan: SpotPlans) -> float:
        return self.responder.against_leak(plan)

    def exploitability(self, plan: SpotPlans) -> float:
        return self.responder.exploitability(plan)

    def restricted_nash(self, p: float) -> Outcome:
        plans, _ = self.responder.response(p)
        return Outcome(plans, 2.0 * self.responder.fine, self.responder.interrupted, self.solver)

    def best_equilibrium(self) -> Outcome:
        return self.restricted_nash(0.0)
