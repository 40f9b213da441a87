"""Re-solving a blueprint: its subgames at a place are solved again behind a gadget, and the pieces put into one strategy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.resolving.alternatives import gifts
from counterplay.resolving.priors import BLUEPRINT, NONE, Prior, check_used, corrupted, shares
from counterplay.resolving.tremble import Tremble
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Solution, Stop, solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.solvers.refined import Refinement
from counterplay.subgames import gadgets
from counterplay.subgames.compile import GameTree
from counterplay.subgames.cut import Cut, cut
from counterplay.subgames.enter import Problem, cfvs_at_top, enter
from counterplay.subgames.places import Place, tops
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best

Floats = NDArray[np.float64]
ITERATIONS = 5000
"""What the GGSE paper uses by CFR (its table 1)."""

Watch = Callable[[int, int], None]
"""Called with how many subgames are solved, and how many there are."""


@dataclass(frozen=True, eq=False)
class Way:
    """How every subgame is solved again.

    Attributes:
        gadget: one of `gadgets.GADGETS`.
        prior, epsilon, alpha, normalised: see `Tremble`.
        error: L1 distance by which the estimate is made wrong, to see what that costs.
        profile: whether alternative values are those of both players' blueprint (the SES paper), not of a best response.
        solver: `lp`, or a regret minimiser.
        stop: when a minimiser stops; by default after `ITERATIONS`.
    """

    gadget: str = gadgets.RESOLVING
    prior: Prior = NONE
    epsilon: float | None = None
    alpha: float = 0.0
    error: float = 0.0
    normalised: bool = False
    profile: bool = False
    solver: str = "cfr+"
    stop: Stop = field(default_factory=lambda: Stop(iterations=ITERATIONS))

    def __post_init__(self) -> None:
        if self.gadget not in gadgets.GADGETS:
            raise InputError(f"there is no gadget '{self.gadget}'; the gadgets are {', '.join(gadgets.GADGETS)}")
        self.tremble.check(self.gadget)
        if self.solver != "lp":
            minimiser(self.solver)

    @property
    def tremble(self) -> Tremble:
        """What the opponent is taken to do at the gadget's decisions."""
        return Tremble(self.alpha, self.prior, self.epsilon, self.normalised)


@dataclass(frozen=True, eq=False)
class Resolved:
    """A blueprint with subgames solved again.

    Attributes:
        strategy: the whole strategy.
        other: what the opponent's part of it has become, where it is known.
        states: how many subgames were solved.
        skipped: how many the resolver's blueprint never comes to, or the opponent's where a range is needed.
        gap: the largest NashConv of a solution in its gadget game, in chips of the gadget game.
        seconds: wall clock.
        interrupted: whether Ctrl-C ended it early; the subgames not reached are as in the blueprint.
    """

    strategy: Strategy
    other: Strategy | None
    states: int
    skipped: int
    gap: float
    seconds: float
    interrupted: bool = False


def resolve_at(
    game: GameTree,
    blueprint: Strategy,
    other: Strategy | None,
    places: Sequence[Place],
    way: Way,
    *,
    model: Strategy | None = None,
    only: str | None = None,
    seed: int = 0,
    watch: Watch | None = None,
) -> Resolved:
    """Solve the subgames at each place again, those of a later place within what an earlier one left.

    Args:
        game: compiled.
        blueprint: the resolver's.
        other: the opponent's part of the blueprint; needed for the unsafe gadget, the prior `blueprint` and `way.profile`.
        places: from the earliest to the last.
        way: how.
        model: the opponent whose range at the entry is the estimate, where `way.alpha` is above 0.
        only: an infoset of the resolver; only the subgame that it belongs to is solved.
        seed: of the errors of the estimate.
        watch: hears how far it is.

    Raises:
        InputError: something is missing that the way needs, or there is nothing to solve.
    """
    begin = time.perf_counter()
    _check_given(way, other, model)
    pieces, since = _pieces(game, places, blueprint.player)
    if only is not None:
        held = [number for number, piece in enumerate(pieces) if _holds(piece, only)]
        pieces, since = [pieces[number] for number in held], [since[number] for number in held]
        if not pieces:
            raise InputError(f"no subgame at {', '.join(map(str, places))} holds the infoset '{only}'")
    check_used(way.prior, pieces)
    draw = np.random.default_rng(seed)
    found = Resolved(blueprint, other, 0, 0, 0.0, 0.0)
    for number, piece in enumerate(pieces):
        try:
            found = _with(found, piece, way, model, draw, since[number])
        except KeyboardInterrupt:
            found = replace(found, interrupted=True)
            break
        if watch:
            watch(number + 1, len(pieces))
    if not found.states and not found.interrupted:
        where = f"the subgame of '{only}'" if only is not None else f"a subgame at {', '.join(map(str, places))}"
        raise InputError(f"the blueprint never comes to {where}")
    return replace(found, seconds=time.perf_counter() - begin)


def _pieces(game: GameTree, places: Sequence[Place], player: int) -> tuple[list[Cut], list[dict[int, int]]]:
    """The subgames of all places, and for each public state at the top of each the history with which the re-solving before
    began: the root of the game, or of the subgame of an earlier place."""
    pieces: list[Cut] = []
    since: list[dict[int, int]] = []
    began = np.zeros(len(game.histories), np.int32)
    for place in places:
        here = [cut(game, states, player) for states in tops(game, place)]
        pieces += here
        since += [dict(zip(x.top.public.tolist(), began[x.top.histories].tolist(), strict=True)) for x in here]
        for piece in here:
            began = np.where(piece.root >= 0, piece.root, began)
    return pieces, since


def _check_given(way: Way, other: Strategy | None, model: Strategy | None) -> None:
    for needed, what in (
        (way.gadget == gadgets.UNSAFE, "the unsafe gadget"),
        (way.prior == BLUEPRINT, "the prior 'blueprint'"),
        (way.profile, "values of the blueprint profile"),
    ):
        if needed and other is None:
            raise InputError(f"{what} needs the opponent's part of the blueprint")
    if way.alpha > 0.0 and model is None:
        raise InputError("alpha needs a model of the opponent")


def _holds(piece: Cut, infoset: str) -> bool:
    """Whether an infoset of the resolver is in a subgame."""
    game, me = piece.game, piece.resolver
    labels = game.trees[me].labels
    if infoset not in labels.index:
        raise InputError(f"{game.name} has no infoset '{infoset}' of player {me}")
    return bool(piece.root[game.first[me][labels.index[infoset]]] >= 0)


def _with(
    found: Resolved, piece: Cut, way: Way, model: Strategy | None, draw: np.random.Generator, since: dict[int, int]
) -> Resolved:
    """What was found, with one more subgame solved."""
    mine, theirs = found.strategy, found.other
    absent = way.gadget == gadgets.UNSAFE and theirs is not None and not _range(piece, theirs).any()
    if not in_reach(piece, mine) or absent:
        return replace(found, skipped=found.skipped + 1)
    problem = entered(piece, way, mine, theirs, model, draw, since)
    solution = solved(problem, way, theirs)
    me = piece.resolver
    strategy = _spliced(problem, me, solution, mine)
    other = _spliced(problem, 1 - me, solution, theirs) if theirs is not None else None
    return replace(
        found, strategy=strategy, other=other, states=found.states + 1, gap=max(found.gap, solution.nash_conv)
    )


def in_reach(piece: Cut, blueprint: Strategy) -> bool:
    """Whether a blueprint ever comes to a subgame."""
    return bool(_weight(piece, blueprint).any())


def _weight(piece: Cut, strategy: Strategy) -> Floats:
    """(size,) chance's and the resolver's reach of each of the opponent's augmented infosets at the top."""
    reached = piece.top.chance * strategy.plan[piece.game.sequences[piece.resolver][piece.top.histories]]
    return np.bincount(piece.top.known[piece.opponent], reached, piece.size).astype(np.float64)


def _range(piece: Cut, strategy: Strategy) -> Floats:
    return piece.top.range(strategy.player, strategy.plan)


def entered(
    piece: Cut,
    way: Way,
    blueprint: Strategy,
    other: Strategy | None = None,
    model: Strategy | None = None,
    draw: np.random.Generator | None = None,
    since: dict[int, int] | None = None,
) -> Problem:
    """The gadget game of a subgame, with the estimate's tremble if the way has one; the prior is left to the solver.

    Args:
        piece: the subgame.
        way: the gadget and its numbers.
        blueprint, other, model: as for `resolve_at`.
        draw: source of the estimate's errors.
        since: for reach max-margin, the history with which the re-solving before began, by public state of the top; by
            default the root.
    """
    plan, size = blueprint.plan, piece.size
    if way.gadget == gadgets.FULL:
        return enter(piece, gadgets.full(size), plan)
    if way.gadget == gadgets.UNSAFE:
        return enter(piece, gadgets.unsafe(size), plan, other.plan if other else None)
    plain = enter(piece, gadgets.max_margin(np.zeros(size)), plan)
    values = cfvs_at_top(plain, blueprint, other if way.profile else None)
    if way.gadget == gadgets.REACH_MAX_MARGIN:
        values = values + _gifts(piece, blueprint, since)
    scale = gadgets.even(_weight(piece, blueprint)) if way.normalised else None
    make = gadgets.resolving if way.gadget == gadgets.RESOLVING else gadgets.max_margin
    problem = enter(piece, make(values, scale), plan)
    if model is None or not way.alpha > 0.0 or not _range(piece, model).any():
        return problem
    estimate = corrupted(shares(_range(piece, model)), way.error, draw or np.random.default_rng(0))
    return way.tremble.tilted(problem, estimate)


def _gifts(piece: Cut, blueprint: Strategy, since: dict[int, int] | None) -> Floats:
    """(size,) what the opponent gave away on the way, against the blueprint."""
    game, them = piece.game, piece.opponent
    claims = game.subgame.leaves.product(them, blueprint.plan).copy()
    tree = game.trees[them]
    best(tree.arrays, np.zeros(0), np.zeros(0), claims, np.zeros(tree.size))
    begun = since or dict.fromkeys(piece.top.public.tolist(), 0)
    return gifts(piece.top, them, claims, blueprint.plan, begun)


def solved(problem: Problem, way: Way, other: Strategy | None = None) -> Solution:
    """The solution of a gadget game, refined by the way's prior.

    Args:
        problem: from `entered`.
        way: how to solve it.
        other: the opponent's part of the blueprint, for the prior of that name.
    """
    me = problem.piece.resolver
    problem, toward = way.tremble.refined(problem, other.plan if other else None, way.solver)
    subgame = problem.subgame
    if toward is not None:
        return Refinement(subgame, toward, me).solution()
    if way.solver == "lp":
        return solve_lp(subgame, me)
    solution = solve_cfr(subgame, minimiser(way.solver), way.stop, look=way.stop.exploitability > 0.0)
    nash_conv, value = gap(subgame, solution.plans)
    return replace(solution, nash_conv=nash_conv, value=value)


def _spliced(problem: Problem, player: int, solution: Solution, strategy: Strategy) -> Strategy:
    """A strategy of the whole game with a player's part of a solution put in."""
    subgame = problem.subgame
    chosen = subgame.restrictions[player].chosen(subgame.trees[player], solution.plans[player])
    return Strategy(strategy.tree, problem.splice(player, chosen, strategy.behaviour))
