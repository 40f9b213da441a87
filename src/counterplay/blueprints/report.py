"""Report of a re-solved blueprint: the strategy, its settings, exploitability and gain before and after; and further
measures: the optimal continuation, the interval of equilibria, the bounds of SES.

The bounds are those of theorems 1 and 2 of Liu et al. 2022, with their constants. Values are normalised: chips of the
opponent at an infoset, given that they are there; ranges are their probabilities. σ* is the least exploitable strategy
among those that play the blueprint outside the subgames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from counterplay.about import version
from counterplay.arrays import F64
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolved_blueprint import (
    NOTE,
    Baseline,
    BlueprintInputs,
    ResolvedBlueprint,
    ResolveSettings,
)
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.lookahead.resolver import Knowledge, enter
from counterplay.lookahead.tremble import NONE, UNBOUNDED, corrupt_estimate, shares
from counterplay.poker.spots.spot_game import StoredSpotGame
from counterplay.problem.solvable_game import SolvableGame, by_kind
from counterplay.result import ResultRecord
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.solvers.lp import FixedInfosets, GadgetOpponent, SequenceFormLP, payoff_entries, solve_lp
from counterplay.solvers.minimiser import Solver
from counterplay.solvers.refined_equilibrium import Refinement, least_worth
from counterplay.subgames.entry import GadgetGame
from counterplay.subgames.plan_store import GamePlans, MeasuredPlans, Subtree, lanes_inside


@dataclass(frozen=True)
class SesBounds:
    """Measured bounds of SES.

    Attributes:
        tau: largest relative error of the estimate against the range of σ*'s opponent; inf if that has no reach.
        delta: largest distance between an opponent's value under the blueprint profile and its best against σ*, chips.
        epsilon: largest L1 distance between the estimate and the model's range.
        eta: least over the subgames of the most that an infoset of the opponent gains over σ*, chips.
        exploitability: theorem 1: the refined strategy has at most this; inf if the theorem does not apply.
        reward: theorem 2: lower bound, in a subgame that is reached, on the value of the refined strategy less that of σ*
            against an opponent with the model's range; chips. Our reading: the paper's last term, ε·η, is taken with the
            largest change of any value instead of the largest increase, as its proof needs.
        measured: the measured value of that difference.
    """

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


_FINE = 1e-6
"""Share of the largest payoff to which an optimal continuation too large for the linear program is solved."""


def optimal_continuation(game: SolvableGame, plans: GamePlans, player: int, pieces: Sequence[Subtree]) -> GamePlans:
    """The least exploitable strategy among those that play the blueprint at every infoset before a subgame (Kubíček et
    al. 2026, definition 3). By linear program, or in large games to a millionth of the largest payoff."""
    return plans.solved(player, pieces, *joint_solvers(game).continuing, beside=True)[0]


class JointSolvers(NamedTuple):
    """The solvers of a game from its root around decisions that stand: for the optimal continuation, and for the least
    exploitable strategy among those that play the blueprint outside the subgames."""

    continuing: tuple[Solver, Stop]
    least: tuple[Solver, Stop]


def joint_solvers(game: SolvableGame) -> JointSolvers:
    """Those of a game in memory: the linear program, for the optimal continuation of a large game a minimiser."""
    return by_kind(JOINT_SOLVERS, game, _usual_solvers)(game)


def _usual_solvers(game: SolvableGame) -> JointSolvers:
    leaves = game.subgame.leaves
    continuing = "lp" if leaves.entries <= LP_UP_TO else "auto", Stop(exploitability=_FINE * leaves.largest)
    return JointSolvers(continuing, ("lp", Stop(exploitability=0.0)))


def _stored_solvers(game: StoredSpotGame) -> JointSolvers:
    solver = game.solver, Stop(exploitability=game.fine)
    return JointSolvers(solver, solver)


JOINT_SOLVERS: dict[type, Callable[[Any], JointSolvers]] = {StoredSpotGame: _stored_solvers}
"""By kind of game."""


@dataclass(frozen=True)
class Equilibria:
    """The exploitability of gadget-game equilibria once they are spliced into the blueprint, in chips: of the least
    exploitable choice of equilibria, of the most exploitable choice found, and an upper bound over all choices, equal
    to `worst` if that is exact."""

    best: float
    worst: float
    bound: float


def equilibria(
    game: SolvableGame,
    blueprint: BlueprintInputs[GamePlans],
    pieces: Sequence[Subtree],
    way: ResolveSettings,
    *,
    base: Baseline | None = None,
    seconds: float = 60.0,
    seed: int = 0,
) -> Equilibria:
    """The interval of exploitabilities over all equilibria of the gadget games at once.

    With a prior these are the refined ones: best against an opponent who follows it, among all that attain the value;
    or, with an epsilon above 0, the equilibria of the games with that tremble. Without a prior, in the resolving
    gadget, the blueprint itself is an equilibrium and none is worse, so that the worst needs no search; otherwise it is
    found by a mixed-integer program or, if that fails, by local search.

    Args:
        game: compiled, or a spot; small enough for the linear program.
        blueprint: both parts as far as needed, and the model.
        pieces: the subgames, from `cut`, none inside another.
        way: the gadget, how alternative values are taken, the prior.
        base: the value that exploitability is counted from; by default that of the game.
        seconds: time limit of the mixed-integer program.
        seed: of the estimate's errors, as for `resolve_subtrees`."""
    me, base = blueprint.resolver, base or Baseline.of(game)
    own = base.of_player(me)
    known = blueprint.knowledge(way, np.random.default_rng(seed))
    games = [(piece, enter(piece, way.search, known)) for piece in pieces]
    entered = [(piece, problem) for piece, problem in games if problem is not None]
    kept = [one for piece, problem in entered for one in _kept(problem, piece, way, known)]
    also, floors = [one.faced for one in kept], [one.floor for one in kept]
    standing = ~lanes_inside(game.trees[me], [piece for piece, _ in entered])
    fixed = FixedInfosets(standing, blueprint.plans.strategy(me).behaviour)
    program = SequenceFormLP(game.subgame, me, None, fixed, also)
    best = program.maximise(None, [1.0] + [0.0] * len(also), [-np.inf, *floors])
    least = own - best.guarantees[0]
    safe = way.gadget.never_worse and not way.profile and not way.alpha
    refined = way.look.prior != NONE
    ceiling = base.exploitability(blueprint.plans, me) if safe and not (refined and way.trembles) else np.inf
    if way.gadget.admits_blueprint and safe and not refined:
        return Equilibria(least, ceiling, ceiling)
    found = least_worth(game.subgame, me, fixed, also, floors, seconds)
    worth = min(_downhill(game, program, plan, floors, me) for plan in (best.plan, found.plan))
    return Equilibria(least, own - worth, max(own - worth, min(own - found.bound, ceiling)))


class _Kept(NamedTuple):
    """An opponent of a gadget game, and the least value of an equilibrium against them; chips of the resolver there."""

    faced: GadgetOpponent
    floor: float


def _kept(problem: GadgetGame, piece: Subtree, way: ResolveSettings, known: Knowledge) -> list[_Kept]:
    """Conditions for an equilibrium of a gadget game: the value and, with a prior, the best value against it."""
    other = piece.opponent
    plan = known.plans.reach(other) if known.plans.knows(other) else None
    problem, toward = way.search.tremble.refined(problem, piece, plan, way.solver)
    me, solution = problem.resolver, solve_lp(problem.subgame, problem.resolver)
    floor = (solution.value if me == 0 else -solution.value) - 1e-9 * problem.subgame.leaves.largest
    floors = [_Kept(_faced(problem, piece), floor)]
    if toward is not None:
        refinement = Refinement(problem.subgame, toward, piece.resolver)
        faced = replace(floors[0].faced, restriction=toward)
        floors.append(_Kept(faced, refinement.against_prior() - refinement.rounding))
    return floors


def _downhill(game: SolvableGame, program: SequenceFormLP, plan: F64, floors: list[float], me: int) -> float:
    """The value of a plan against its best response at a local minimum: no change of one of the two lowers it."""
    lowest = np.inf
    while True:
        answer = best_response(game.subgame, 1 - me, plan)
        if -answer.value >= lowest - 1e-9 * game.span:
            return float(min(lowest, -answer.value))
        lowest = -answer.value
        against = game.subgame.leaves.product(me, played_plan(game.subgame, 1 - me, answer.behaviour))
        plan = program.maximise(-against, [0.0] * (1 + len(floors)), [-np.inf, *floors]).plan


def _faced(problem: GadgetGame, piece: Subtree) -> GadgetOpponent:
    """The opponent of a gadget game, for measuring a plan of the whole game."""
    me, them = piece.resolver, piece.opponent
    first, second, chips = payoff_entries(problem.subgame, me)
    place = np.zeros(problem.subgame.trees[me].size, np.int64)
    inner, outer = problem.pairs(me)
    place[inner] = outer
    place[problem.choices[me]] = piece.tops(me)
    chips = np.where(first == 0, chips, chips * problem.share)  # the constants stand at the empty sequence
    return GadgetOpponent(
        problem.subgame.trees[them], problem.subgame.restrictions[them], (place[first], second, chips)
    )


def further_measures(
    base: Baseline,
    blueprint: BlueprintInputs[MeasuredPlans],
    found: MeasuredPlans,
    subtrees: Sequence[Any],
    way: ResolveSettings,
    asked: ResolveRequest,
    solvers: JointSolvers,
    interval: Callable[[], Equilibria] | None = None,
) -> dict[str, Any]:
    """The requested measures on the subtrees of the first place. found: the strategies after re-solving. interval:
    computes the interval of equilibria."""
    me, plans = blueprint.resolver, blueprint.plans
    extra: dict[str, Any] = {}
    if asked.continuation:
        best, _ = plans.solved(me, subtrees, *solvers.continuing, beside=True)
        extra["continuation"] = base.shown(base.exploitability(best, me))
    if asked.interval and interval is not None:
        extra["equilibria"] = interval()
    if asked.bounds:
        least, _ = plans.solved(me, subtrees, *solvers.least)
        extra["safety"] = ses_bounds(base, blueprint, found, least, subtrees, way, asked.seed)
    return extra


def measure_in_memory(
    game: SolvableGame,
    base: Baseline,
    blueprint: BlueprintInputs[GamePlans],
    found: GamePlans,
    subtrees: Sequence[Any],
    way: ResolveSettings,
    asked: ResolveRequest,
    *,
    joint: bool = False,
) -> dict[str, Any]:
    """`further_measures` in a game in memory. joint: the subtrees were solved at once, behind the full gadget."""

    def interval() -> Equilibria:
        if joint:  # that game is the whole game, whose equilibria are all equally exploitable
            least = base.exploitability(
                blueprint.plans.solved(blueprint.resolver, subtrees, "lp", Stop())[0], blueprint.resolver
            )
            return Equilibria(least, least, least)
        return equilibria(game, blueprint, subtrees, way, base=base, seed=asked.seed)

    return further_measures(base, blueprint, found, subtrees, way, asked, joint_solvers(game), interval)


def check_further(name: str, asked: ResolveRequest, *, both: bool, entries: int = 0) -> None:
    """Reject further measures of a game that cannot be taken. both: whether the opponent's part of the blueprint is
    known. entries: payoff entries of a game whose linear program may be too large."""
    if asked.bounds and (asked.model is None or not both):
        raise InputError("the bounds of SES need the opponent's part of the blueprint, and a model")
    if asked.interval and entries > LP_UP_TO:
        raise InputError(f"{name} is too large for the interval, which takes linear programs")


def check_interval(asked: ResolveRequest, way: ResolveSettings, subgames: int) -> None:
    """Reject the interval of several subgames behind a gadget that counts on slack: solutions that each count on all of
    it could together be more exploitable than any that is found."""
    if asked.interval and way.gadget.counts_on_slack and subgames > 1:
        raise InputError(
            f"behind the {way.gadget} gadget the equilibria of a subgame depend on the solutions before it: the interval "
            "is then of one subgame, by 'only'"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Resolution(ResultRecord):
    """A blueprint with re-solved subgames, and the effect. Chips of the resolver.

    Attributes:
        plans: the resolver's strategy, and the opponent's where it is known.
        game, seat, at: the game, the resolver's seat, the places.
        gadget, prior, epsilon, alpha, error, normalised, values, solver: settings (see `resolve`).
        variant: which of two algorithms of that name SES is; None without alpha.
        ties: which of the optimal plans of its gadget games SES takes; None without alpha.
        states: number of re-solved subgames.
        skipped: number of subgames that the blueprint never reaches.
        game_value: the resolver's equilibrium value, an upper bound where it is iterated; where that is not known, what
            `note` says.
        game_value_gap: the most by which the value is below that; None where it is not known.
        before, after: exploitability of the blueprint and of the strategy.
        gain_before, gain_after: gain of each against the model; None without one. Where the value of the game is not known,
            facts have `value_before` and `value_after` against the model instead.
        gain_mixing, mixing: gain and exploitability of the baseline of SES, which plays a best response to the model
            with probability alpha, drawn before every hand, else the blueprint; None without alpha.
        continuation: the least exploitability with the decisions before the first place fixed; None if not requested.
        equilibria: the interval over all equilibria of the gadget games of the first place; None if not requested.
        safety: the bounds of SES; None if not requested.
        gap: largest NashConv of a solution in its gadget game.
        seconds: wall-clock time of the re-solving alone.
        interrupted: whether Ctrl-C ended it early; subgames not reached are as in the blueprint.
        seed, version: of the library, for reproduction.
        note: caveat about the numbers, if there is one.
    """

    KIND = "resolve"
    LACKS = {  # noqa: RUF012
        "value": "`gain_before` and `gain_after` count from `game_value`",
        "strategies": "it has the resolver's, as `strategy`",
    }

    plans: MeasuredPlans
    game: str
    seat: int
    at: str
    gadget: str
    prior: str
    epsilon: float | None
    alpha: float
    error: float
    normalised: bool
    variant: str | None
    values: str
    solver: str
    ties: str | None
    states: int
    skipped: int
    game_value: float
    before: float
    after: float
    gain_before: float | None
    gain_after: float | None
    gain_mixing: float | None
    mixing: float | None
    continuation: float | None
    equilibria: Equilibria | None
    safety: SesBounds | None
    gap: float
    seconds: float
    interrupted: bool
    seed: int
    version: str
    note: str | None = None
    game_value_gap: float | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.game, f"seat {self.seat}", f"at {self.at}", self.gadget, f"{self.states} subgames",
            f"exploitability {self.before:.4g} before, {self.after:.4g} after",
        )  # fmt: skip

    @property
    def exploitability(self) -> float:
        """That of the strategy: `after`."""
        return self.after

    @property
    def bound(self) -> str | None:
        """Of the exploitability of SES; None without alpha."""
        if not self.alpha:
            return None
        if self.safety is None:
            return f"{UNBOUNDED}; --bounds asks for one"
        most = self.safety.exploitability
        return f"at most {most:.6g} chips, by theorem 1 of Liu et al. 2022" if isfinite(most) else UNBOUNDED

    @cached_property
    def strategy(self) -> Any:
        known = {"game": self.game, "method": f"resolve {self.gadget}", "exploitability": self.after}
        return replace(self.plans.strategy(self.seat), facts=known)

    @property
    def facts(self) -> dict[str, Any]:
        left = ("plans", "strategy", "equilibria", "safety")
        found = {name: value for name, value in vars(self).items() if name not in left}
        for part in ("equilibria", "safety"):
            held = getattr(self, part)
            found[part] = None if held is None else dict(vars(held))
        if self.note == NOTE:  # without the value of the game nothing has a gain
            for part in ("before", "after", "mixing"):
                gain = found.pop(f"gain_{part}")
                found[f"value_{part}"] = None if gain is None else gain + self.game_value
        return found | {"bound": self.bound}


def measure_resolution(
    base: Baseline,
    blueprint: BlueprintInputs[MeasuredPlans],
    found: ResolvedBlueprint[MeasuredPlans],
    way: ResolveSettings,
    facts: dict[str, Any],
) -> Resolution:
    """The record of a result, with exploitability and gain before and after; `facts` are its other fields."""
    me, model = blueprint.resolver, blueprint.model
    own = base.of_player(me)

    def risk(plans: MeasuredPlans) -> float:
        return base.shown(base.exploitability(plans, me))

    def gain(plans: MeasuredPlans) -> float | None:
        return None if model is None else plans.facing(1 - me, model).value(me) - own

    # Liu et al. 2022, section 4.3, the mixing strategy: the blueprint, or a best response to the model.
    mixing = None
    if model is not None and way.alpha > 0.0:
        faced = blueprint.plans.facing(1 - me, model)
        mixing = faced.mixed(me, faced.best_response(me), way.alpha)
    return Resolution(
        plans=found.plans,
        game=base.name,
        seat=me,
        states=found.states,
        skipped=found.skipped,
        game_value=own,
        before=risk(blueprint.plans),
        after=risk(found.plans),
        gain_before=gain(blueprint.plans),
        gain_after=gain(found.plans),
        gain_mixing=gain(mixing) if mixing else None,
        mixing=risk(mixing) if mixing else None,
        gap=found.gap,
        seconds=found.seconds,
        interrupted=found.interrupted,
        version=version(),
        note=base.note,
        game_value_gap=2.0 * base.error if base.known else None,
        **{**way.facts, "continuation": None, "equilibria": None, "safety": None, **facts},
    )
