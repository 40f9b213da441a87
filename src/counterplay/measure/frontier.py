"""The trade-off of gain and exploitability: every method over its dial, as work; and the corners of the curve for an
opponent with leaks.

Those are restricted Nash responses to the leak (see `responses.envelope`). A mixture of two neighbours, decided before the
hand, wins at least the mixture of their gains and loses at most the mixture of their exploitabilities, since the first is
concave and the second convex in the realization plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan, nan
from typing import Any, Unpack

import numpy as np

from counterplay.errors import InputError
from counterplay.lookahead.keywords import LookOptions
from counterplay.measure.frontier_point import Point, Points
from counterplay.poker.betting.stakes import RISK as NO_BOUND
from counterplay.poker.betting.stakes import check_zero_sum
from counterplay.poker.locking.exploit_leak import ACCURACY
from counterplay.poker.locking.leak_response import LeakResponder, Phase
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.problem.solvable_game import as_game
from counterplay.responses import METHODS
from counterplay.responses.envelope import Corner, Envelope, envelope
from counterplay.responses.method import RISK, AnyMatchup, Method, Outcome
from counterplay.responses.methods import METHODS_GIVEN, RNR, Safe, open_method
from counterplay.responses.respond import Answer, respond_in, strategy_for, world_of
from counterplay.solvers.cfr import STOP, Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.texts.arguments import FUNCTION, WHOLE, or_none, takes
from counterplay.work.run_work import run_work

_MOST = 10_000
"""Points of a dial."""
_OF_GADGETS = ("gadget", "prior", "epsilon", "normalised")


@takes(LookOptions, methods=METHODS_GIVEN, points=WHOLE, stop=STOP, progress=or_none(FUNCTION), done=or_none(FUNCTION))
def frontier(
    game: Any,
    model: Any,
    methods: Sequence[Method | str] | Method | str = ("rnr", "safe", "mix", "bne", "br"),
    *,
    points: int = 11,
    solver: Solver = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    done: Callable[[Point], None] | None = None,
    **look: Unpack[LookOptions],
) -> Points[Point]:
    """Responses of several methods over their dials.

    rnr is computed at its corners: all of them, or `points` of them with the least remaining uncertainty. The
    exploitability allowed to `safe` is such that the gain grows by equal steps, from that of the best equilibrium to
    that of the best response. Other p (alpha for ses) run over `points` equal steps from 0 to 1. A method whose dial is
    set, such as `RNR(0.5)`, is one point. `done` is called with every point as soon as it is computed; Ctrl-C ends
    early with the points so far, which are `interrupted`.

    Args:
        game, model, solver, stop, progress: as in `respond`.
        methods: names, or records such as `CDRNR(look=LookAhead(depth=1))` and `Safe()`, or their texts; one or several.
        points: number of points of each method's dial; for rnr the most corners.
        look: of the names that look ahead, as in `respond`; its `leaf` may be a mapping from names to value functions,
            exact for the others.
        done: called with every point.

    Raises:
        InputError: an unknown method, or fewer than two points or far too many.
    """
    far = {word: given for word, given in look.items() if given is not None}
    game = as_game(game)
    model = strategy_for(game, model, None, 1)
    methods = [methods] if isinstance(methods, str | Method) else methods
    world = world_of(game)
    match = world.matchup(world.convert(game), model, solver, stop or Stop(), progress)
    work, curve = FrontierWork(match, methods_of(methods, far), points), Points[Point]()

    def keep(_: str, made: list[dict[str, Any]]) -> None:
        for point in made:
            curve.append(Point.read(point))
            if done:
                done(curve[-1])

    curve.interrupted = run_work(work, done=keep).interrupted
    if curve.interrupted:
        keep("", [point.facts for point in work.partial])
    if match.value_gap is not None:
        curve.game_value, curve.game_value_gap = match.game_value, match.value_gap
    return curve


def check_points(points: int) -> None:
    """Reject fewer than two points, or far too many."""
    if not 2 <= points <= _MOST:
        few = points < 2
        raise InputError(f"a frontier {'needs at least 2' if few else f'has at most {_MOST:,}'} points, not {points}")


def methods_of(methods: Sequence[Method | str], look: Mapping[str, Any]) -> dict[str, Method]:
    """The methods of a frontier by name; of several with one name each has its text. `look` has options of the names
    that look ahead (see `frontier`)."""
    if not methods:
        raise InputError(f"a frontier needs at least one method of {', '.join(METHODS)}")
    names = [one for one in methods if isinstance(one, str) and one in METHODS]
    if look and not any(METHODS[name].looks_ahead() for name in names):
        raise InputError("none of these methods looks ahead")
    named = dict[str, Method]()
    for name in names:  # with those of the options that are for it
        kind = METHODS[name]
        words = dict(look) if kind.looks_ahead() else {}
        if isinstance(words.get("leaf"), Mapping):
            words["leaf"] = words["leaf"].get(name)
        if kind.GADGET is None:
            words = {word: option for word, option in words.items() if word not in _OF_GADGETS}
        named[name] = open_method(name, **words)
    opened = (named[one] if isinstance(one, str) and one in named else open_method(one) for one in methods)
    different = list[Method]()
    for method in opened:
        if method not in different:
            different.append(method)
    heads = Counter(one.HEAD for one in different)
    known = {one.HEAD if heads[one.HEAD] == 1 else str(one): one for one in different}
    if len(known) < len(different):
        raise InputError("two methods of a frontier have the same text, so their points would be indistinguishable")
    return known


def steps_of(methods: Mapping[str, Method]) -> dict[str, str]:
    """The scope of the methods that look ahead: `by level` or `by own decision`, by name."""
    return {name: method.look.steps for name, method in methods.items() if method.look is not None}


@dataclass(eq=False)
class FrontierWork:
    """Responses of several methods, from `methods_of`, over their dials as work: a piece for each number of a dial; one
    for all of them where the solves go on from each other, and for rnr, whose corners are interdependent. `partial` has
    the points of a piece that Ctrl-C cut short."""

    match: AnyMatchup
    methods: Mapping[str, Method]
    points: int
    partial: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_points(self.points)
        for method in self.methods.values():
            world_of(self.match.game).check(self.match.game, method if method.is_set else method.at(0.0))

    def identity(self) -> dict[str, Any]:
        return {**self.match.identity(), "methods": {name: str(one) for name, one in self.methods.items()}}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def piece_size(self, key: str) -> float:
        """The points of a piece: those of chains and corners are computed together."""
        method = self.methods[self._pieces[key][0]]
        return float(self.points if self._by_corners(method) or self._chained(method) else 1)

    def compute(self, key: str) -> list[dict[str, Any]]:
        """The points of a piece, as plain data."""
        name, index = self._pieces[key]
        method, points = self.methods[name], list[Point]()
        try:
            if self._by_corners(method):
                for one in self._envelope.corners:
                    points.append(Point(name, one.p, one.gain, one.exploitability, one.seconds, one.low, one.high))
                if self._envelope.interrupted:
                    raise KeyboardInterrupt
                return [point.facts for point in points]
            self.match.forget_solves()
            for number in range(self.points) if self._chained(method) else (index,):
                answer, dial = self.answer(name, number)
                if answer.interrupted:
                    raise KeyboardInterrupt
                numbers = answer.gain, answer.exploitability if answer.edge is None else nan
                points.append(Point(name, dial, *numbers, answer.seconds, edge=answer.edge, risk=answer.risk))
        except KeyboardInterrupt:
            self.partial = points
            raise
        return [point.facts for point in points]

    def answer(self, name: str, index: int) -> tuple[Answer, float | None]:
        """The response at a point of a method's dial, and the number there."""
        method, share = self.methods[name], float(np.linspace(0.0, 1.0, self.points)[index])
        if isinstance(method, Safe) and not method.is_set and index > 0:
            if not self.match.has_corners:
                share *= self._most_exploitable
            elif self._envelope.interrupted:
                raise KeyboardInterrupt
            else:
                share = self._envelope.allowed(share)
        method = method if method.is_set else method.at(share)
        answer = respond_in(self.match, method)
        dial = answer.alpha if answer.p is None else answer.p
        return answer, method.in_game(self.match.game).risk if method.DIAL == RISK else dial

    @cached_property
    def _pieces(self) -> dict[str, tuple[str, int]]:
        """By key: the name of a method, and which point of its dial."""
        found = {}
        for name, method in self.methods.items():
            alone = self._by_corners(method) or self._chained(method) or method.is_set
            for index in range(1 if alone else self.points):
                found[name if alone else f"{name} {index + 1}/{self.points}"] = (name, index)
        return found

    def _by_corners(self, method: Method) -> bool:
        return isinstance(method, RNR) and not method.is_set and self.match.has_corners

    def _chained(self, method: Method) -> bool:
        """Return whether the points of a dial go on from each other, from left to right."""
        return not method.is_set and not self.match.has_corners

    @cached_property
    def _envelope(self) -> Envelope:
        return envelope(self.match, self.points)

    @cached_property
    def _most_exploitable(self) -> float:
        """The exploitability of the response that trusts the model most."""
        return max(0.0, float(self.match.exploitability(self.match.best_response().plan)))


_FEWEST_CORNERS, _MOST_CORNERS = 2, 50
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
    check_zero_sum(spot.rake, NO_BOUND)
    if not _FEWEST_CORNERS <= corners <= _MOST_CORNERS:
        raise InputError(f"a frontier of leaks has from 2 to {_MOST_CORNERS} corners, not {corners}")
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
