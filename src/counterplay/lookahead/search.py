"""Records of look-aheads (extent and gadget) and of a player's search (look-ahead, trust and solver), and the solve of one
look-ahead, which can be interrupted and continued."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isnan
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, Protocol, Self

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.display import by_fields
from counterplay.errors import InputError, quoted
from counterplay.gadgets import FullGadget, Gadget, gadget_of
from counterplay.gametree.compile.levels import Depth
from counterplay.jit.clock import run_time
from counterplay.lookahead.tremble import NONE, Prior, Tremble, check_refinement, check_weights, prior_of
from counterplay.problem.solvable_game import SolvableGame
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Run, Solution, Stop, solve_cfr
from counterplay.solvers.equilibrium import has_no_choice, respond_to_fixed
from counterplay.solvers.iterates import STEEPEST_SINGLE
from counterplay.solvers.lp import avoidable, solve_lp
from counterplay.solvers.minimiser import Solver, minimiser
from counterplay.texts.arguments import Checked
from counterplay.texts.readers import OneOf, Parsed, Reader, Share, YesNo
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.value_functions.leaf_value import EXACT, EstimatedValue, ExactLeaf, Value, value_function
from counterplay.value_functions.portfolio import Portfolio

JOINT, PER_STATE = WAYS = ("joint", "per-state")
LEAST = 0.25
"""Share of a time limit that is left for iterations, however long the work around them takes."""
BY_LEVEL, BY_DECISION = "by level", "by own decision"
"""Scopes of a look-ahead: all public states of a level at once, which no player could do in play, or each own decision
alone.
"""


@dataclass(frozen=True, repr=False)
class LookAhead(metaclass=Checked):
    """A look-ahead: its extent, its value function and the opponent's entry.

    Attributes:
        depth: levels, `round`, `game` or a `Depth`; None for the default: one level, in hold'em a street.
        leaf: the value function at the limit, as `value_function` takes it; by default `ExactLeaf`: the game below is
            solved together with the look-ahead.
        gadget: the entry of an opponent who is not the model, also by name; None for the method's default.
        prior: selects the equilibrium of the gadget game (GGSE): `none` for any, `uniform`, `blueprint`, a .json file,
            or weights by infoset.
        epsilon: the probability of a tremble toward the prior; None for the limit 0 by the linear program, and
            `tremble.EPSILON` by a minimiser.
        normalised: whether augmented infosets have equal weight, whatever their reach by chance and the resolver; None:
            if alpha is above 0, as in SES.
        solve: `joint` solves all public states of a level together, which no player could do in play, `per-state` each
            alone, as in play; None for the default: together in `respond`, each alone in an agent.

    Raises: InputError: an invalid field; the message names it.
    """

    depth: Annotated[Depth | int | str | None, Reader()] = None
    leaf: Annotated[Any, Parsed(parse=value_function, text=attrgetter("name"))] = EXACT
    gadget: Annotated[Gadget | str | None, Parsed(parse=gadget_of)] = None
    prior: Annotated[Prior, Reader()] = NONE
    epsilon: Annotated[float | None, Share()] = None
    normalised: Annotated[bool | None, YesNo()] = None
    solve: Annotated[str | None, OneOf(words=WAYS)] = None

    def __post_init__(self) -> None:
        gadget = None if self.gadget is None else gadget_of(self.gadget)
        depth = None if self.depth is None else Depth.of(self.depth)
        prior = prior_of(self.prior) if isinstance(self.prior, str) else check_weights(self.prior)
        leaf = value_function(self.leaf)
        for name, made in {"depth": depth, "leaf": leaf, "gadget": gadget, "prior": prior}.items():
            object.__setattr__(self, name, made)
        check_refinement(self.prior, self.epsilon)
        if self.solve not in (None, *WAYS):
            raise InputError(f"a look-ahead is solved {' or '.join(WAYS)}, not {quoted(self.solve)}")

    def __repr__(self) -> str:
        return by_fields(self)

    @property
    def joint(self) -> bool:
        return self.solve == JOINT

    @property
    def extent(self) -> Depth:
        return Depth(levels=1) if self.depth is None else Depth.of(self.depth)

    def in_game(self, game: SolvableGame) -> Self:
        """The same with the default depth of a game, if it has none.

        Raises:
            InputError: a trimmed path in a game of poker, whose look-aheads see whole streets.
        """
        if self.gadget is not None and gadget_of(self.gadget).trims_path and game.enters_boards_alone:
            raise InputError(
                f"the {self.gadget} gadget needs a game in memory, history by history; {game.name} takes full"
            )
        return replace(self, depth=game.usual_depth) if self.depth is None else self

    @property
    def prior_name(self) -> str:
        return self.prior if isinstance(self.prior, str) else "given"

    @property
    def steps(self) -> str:
        """The scope of one solve in `respond`, in words."""
        return BY_DECISION if self.solve == PER_STATE else BY_LEVEL


@dataclass(frozen=True, eq=False)
class Search:
    """The search of a player's decisions: the look-ahead, the probability p that the opponent is the model, the probability
    alpha of SES that they enter with the model's range, the solver, and its stopping rule."""

    look: LookAhead = field(default_factory=LookAhead)
    p: float = 0.0
    alpha: float = 0.0
    solver: Solver = "lp"
    stop: Stop = field(default_factory=Stop)

    def __post_init__(self) -> None:
        check_p(self.p)
        self.tremble.check(self.gadget)
        if self.solver != "lp":
            minimiser(self.solver)

    def in_game(self, game: SolvableGame) -> Search:
        return replace(self, look=self.look.in_game(game))

    def looking(self, **changes: Any) -> Search:
        return replace(self, look=replace(self.look, **changes))

    def with_seconds(self, seconds: float, spent: float) -> Search:
        """The search with a time limit of which some is spent on other work than iterations."""
        return replace(self, stop=replace(self.stop, seconds=max(LEAST * seconds, seconds - spent)))

    def tilted(self, alpha: float) -> Search:
        """The search with another alpha; normalisation is kept."""
        return replace(self.looking(normalised=self.tremble.normalised or alpha > 0.0), alpha=alpha)

    @property
    def depth(self) -> Depth:
        return self.look.extent

    @property
    def gadget(self) -> Gadget:
        return FullGadget() if self.look.gadget is None else gadget_of(self.look.gadget)

    @property
    def value(self) -> Value:
        return self.look.leaf  # type: ignore[no-any-return]

    @property
    def exact(self) -> bool:
        """Return whether the game below the limit is solved together with the look-ahead."""
        return isinstance(self.value, ExactLeaf)

    @property
    def joint(self) -> bool:
        return self.look.joint

    @property
    def tremble(self) -> Tremble:
        look = self.look
        normalised = self.alpha > 0.0 if look.normalised is None else look.normalised
        return Tremble(self.alpha, look.prior, look.epsilon, normalised)

    @property
    def frees_the_opponent(self) -> bool:
        """Return whether the opponent is free from the root on: by the full gadget, unless they are surely the model."""
        return self.gadget.keeps_path and self.p < 1.0

    @property
    def method(self) -> Solver:
        """The solver in use: a value function that is not linear needs a minimiser."""
        linear = isinstance(self.value, ExactLeaf | EstimatedValue | Portfolio)
        return self.solver if linear or self.solver != "lp" else "cfr+"


class Solve:
    """The solve of one problem: call `advance` until it is finished.

    A solve is finished at its target gap, or after its iterations if there is no target gap. Together with a gap,
    iterations are a limit of each call, like seconds. exact: direct solve, if a particular solution is needed. blind: no
    exploitability is computed on the way; the solve cannot be continued.
    """

    def __init__(
        self,
        problem: Subgame,
        me: int,
        search: Search,
        exact: Callable[[], Solution] | None = None,
        *,
        blind: bool = False,
    ) -> None:
        self._problem, self._me, self._search, self._exact, self._blind = problem, me, search, exact, blind
        self._run: Run | None = None
        self.finished, self.calls = False, 0

    @property
    def iterations(self) -> int:
        return 0 if self._run is None else self._run.done

    @property
    def bytes(self) -> int:
        """Approximate memory of an unfinished solve."""
        return 8 * _ARRAYS * sum(tree.size for tree in self._problem.trees)

    def advance(self) -> Solution:
        """The saddle point, or the best so far; one sweep if the opponent has no choice."""
        problem, me, search = self._problem, self._me, self._search
        self.calls += 1
        found = None
        if self._exact is not None:
            with avoidable():
                found = self._exact()
        elif has_no_choice(problem, 1 - me):
            found = respond_to_fixed(problem, me)
        elif search.method == "lp":
            with avoidable():
                found = solve_lp(problem, me)
        elif self._blind:
            found = solve_cfr(problem, minimiser(search.method), search.stop, look=False)
            nash_conv, value = gap(problem, found.plans)
            found = replace(found, nash_conv=nash_conv, value=value)
        if found is not None:
            self.finished = True
            return found
        stop, begin = search.stop, run_time()
        if self._run is None:
            method = minimiser(search.method)
            large = problem.beyond is None and sum(tree.size for tree in problem.trees) >= SINGLE
            takes = method.gamma <= STEEPEST_SINGLE and getattr(problem.leaves, "single", None) is not None
            self._run = Run(problem, method, stop, single=large and takes)
        run, limit = self._run, stop.exploitability > 0.0 and problem.beyond is None
        most = run.done + stop.iterations if limit else stop.iterations
        interrupted = run.advance(replace(stop, iterations=most), begin=begin)
        reached = run.nash_conv <= 2.0 * stop.exploitability or isnan(run.nash_conv)
        self.finished = reached or (not interrupted and not limit and run.done >= stop.iterations)
        seconds = run_time() - begin
        return Solution(run.best, run.value, run.nash_conv, run.method.name, run.done, seconds, interrupted)


SINGLE = 4_000_000
"""Sequences of both players from which on a public tree of cards is iterated in float32, which takes half of the time."""
_ARRAYS = 12
"""Numbers per sequence that an unfinished solve keeps: regrets, sums, plans, CFVs, the best average, the leaves."""


class LookAheadSolve(Protocol):
    """A `Solve`, or one on another engine; members as there."""

    @property
    def finished(self) -> bool: ...
    @property
    def calls(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def advance(self) -> Solution: ...


@dataclass(frozen=True, eq=False)
class Posed:
    """The problem of a look-ahead.

    Attributes:
        solve: its solve, begun or not.
        read: writes a solution into a player's state.
    """

    solve: LookAheadSolve
    read: Callable[..., Any]


class FollowedModel(NamedTuple):
    """A model in a problem: its behaviour (size,), its weight p, and where it is followed, (lanes,)."""

    behaviour: F64
    p: float
    followed: Flags


def whole_problem(problem: Subgame, me: int, behaviour: F64, standing: Flags, model: FollowedModel | None) -> Subgame:
    """A whole game as the problem of a look-ahead of player `me`, by restrictions only: the exact value function and the
    full gadget. Their `behaviour` (size,) stands at some lanes, `standing` (lanes,); the model may be the opponent."""
    if standing.any():
        own = Restriction.local(problem.trees[me], behaviour, standing.astype(np.float64))
        problem = problem.bound(me, own)
    if model is not None and model.p > 0.0:
        problem = problem.bound(1 - me, Restriction.until(problem.trees[1 - me], *model))
    return problem


def solve_lookahead(problem: Subgame, me: int, search: Search) -> Solution:
    """The saddle point by the search's method, within its limits."""
    return Solve(problem, me, search).advance()


def played_behaviour(problem: Subgame, player: int, solution: Solution) -> F64:
    """(size,) the behaviour of a player in a solution."""
    tree, bound = problem.trees[player], problem.restrictions[player]
    return bound.behaviour(tree, bound.chosen(tree, solution.plans[player]))
