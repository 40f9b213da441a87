"""Look-aheads of one street each, on ranges: CDBR, CDRNR, continual re-solving, SES and ABD in a spot.

A look-ahead sees to the end of the current street and decides all of it; the next one begins at the next deal. With the
exact value function and the full gadget it is the whole tree under a restriction (`Restriction.until`), as in other
games; all-in equity ends the tree at the deal (`poker.subtrees.street_limit`); a portfolio puts one more decision of each
hand there (`poker.plan_stores.continuations`). The other gadgets re-solve each board after its own entry
(`poker.subtrees.public_subtree`).

In a large spot the compact engine decides a street on all its boards, and solves the game below the limit with the
look-ahead."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.blueprints.resolve import parts_of
from counterplay.budget import time_left
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import Depth
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import Knowledge, ResolvedSubtree, pose_subtree
from counterplay.lookahead.search import FollowedModel, Posed, Search, Solve, played_behaviour, whole_problem
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import BestAverages, CompactRun, has_compact_form
from counterplay.poker.compact.compact_solve import NO_PLANS, solve_run
from counterplay.poker.compact.compact_sweeps import Ways
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, without_regrets
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.continuations import FixedSolve, StoredContinuations, add_continuations, is_fixed
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans
from counterplay.poker.public_tree.hand_treeplex import DEAL, PublicNode, layer_of
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.poker.subtrees.street_limit import StreetEnd, check_method, truncate
from counterplay.problem.solvable_game import by_kind
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Solution, Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.plan_store import ArrayPlans, GamePlans, SpliceQueue
from counterplay.treeplex.restriction import BranchRestriction, LaneTrust, Numbers, Restriction
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach
from counterplay.value_functions.leaf_value import Equity, ExactLeaf, Value, ValueFunction
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.solved_value import SolvedValue

_SWEEPS = 20
"""Overhead of a solve of a whole tree in sweeps (measured with 14 million sequences)."""


class StreetResponder:
    """The chain of look-aheads of one player in a spot.

    Attributes:
        search: that of every street.
        plans: own decisions and plans, and the opponent's observed behaviour in the look-aheads.
        gap: largest distance of a look-ahead from the optimum of its objective, in chips.
        interrupted: whether Ctrl-C stopped it.
    """

    def __init__(self, game: SpotGame, seat: int, search: Search, model: Strategy | None) -> None:
        check_search(game, search)
        self._game, self._me, self.search, self._model = game, seat, search, model
        self.plans: SpotPlans = self._begin()
        self.gap, self.interrupted = 0.0, False
        self._ways: tuple[list[Strategy], list[Strategy]] = ([], [])
        if isinstance(search.value, Portfolio):
            self._ways = search.value.strategies(game, 0), search.value.strategies(game, 1)

    def _begin(self) -> SpotPlans:
        """Uniform play, before anything is decided."""
        game = self._game
        both = [Strategy(tree, game.dealt_behaviour(i, tree.uniform())) for i, tree in enumerate(game.trees)]
        return ArraySpotPlans(game.subgame, (both[0], both[1]), game.tree)

    @cached_property
    def _levels(self) -> list[I64]:
        return [layers(self._game, player) for player in (0, 1)]

    @property
    def model_plans(self) -> GamePlans | None:
        return None if self._model is None else ArrayPlans.of(self._game.subgame, self._model)

    @property
    def strategy(self) -> Strategy:
        return self.plans.strategy(self._me)

    def restore(self, mine: Any, theirs: Any) -> None:
        """Go on from both players' strategies in a file."""
        first, second = (mine, theirs) if self._me == 0 else (theirs, mine)
        self.plans = ArraySpotPlans(self._game.subgame, (first, second), self._game.tree)

    def overhead(self) -> float:
        """Seconds that a solve of the whole tree takes besides its iterations."""
        begin = run_time()
        for tree in self._game.trees:
            reach(tree, tree.uniform())
        return _SWEEPS * (run_time() - begin)

    @property
    def behaviour(self) -> Numbers:
        return self.plans.behaviour(self._me)

    @property
    def plan(self) -> Any:
        """Decisions and plans as the plan of an `Outcome`."""
        return self.plans.reach(self._me)

    @property
    def streets(self) -> int:
        return len(self._game.tree.boards.layers)

    @property
    def by_part(self) -> bool:
        """Return whether later streets are solved board by board, each after an entry."""
        return not self.search.gadget.keeps_path and self.search.p < 1.0

    def solve(self, street: int) -> None:
        """Decide a street after all earlier ones; streets are counted from that of the spot."""
        if street > 0 and self.by_part:
            queue = SpliceQueue()
            for part in parts_of(self._game, street):
                posed = self._posed(part)
                if posed is None:
                    continue
                solution = posed.solve.advance()
                resolved: ResolvedSubtree = posed.read(solution)
                self.gap, self.interrupted = max(self.gap, resolved.gap), self.interrupted or solution.interrupted
                queue.add(self._me, *resolved.changes(self.plans, self._me))
                if queue.is_full or solution.interrupted or self.search.gadget.takes_gifts:
                    self.plans = queue.put_into(self.plans)
                if solution.interrupted:
                    raise KeyboardInterrupt
            self.plans = queue.put_into(self.plans)
        else:
            self.take(self.pose(street))

    def pose(self, street: int, spare: float = 0.0) -> Posed:
        """The look-ahead that decides a street, as in `solve`, on all its boards at once. spare: seconds of its limit
        that are reserved for work other than iterations."""
        search = self.search
        if spare > 0.0:
            search = search.with_seconds(search.stop.seconds, spare)
        if street == self.streets - 1 or search.exact:
            return self._whole(street, search)
        if isinstance(search.value, Portfolio):
            return self._continued(street, search)
        # the tree up to the end of the street, valued there by equity or another value function
        me, part, value = self._me, truncate(self._game.tree, street), search.value
        problem = part.subgame()
        if isinstance(value, ValueFunction):
            end = self._end(part)
            problem = replace(end.problem(), beyond=end.beyond(value.at(end)))
        given = []
        for player in (0, 1):
            inner, outer = part.pairs(player)
            behaviour = np.zeros(problem.trees[player].size)
            behaviour[inner] = self._known(player)[outer]
            behaviour[0] = 1.0
            given.append(behaviour)
        problem = self._bound(problem, street, given, part)

        def read(solution: Solution) -> None:
            self.gap, chosen = max(self.gap, solution.nash_conv), played_behaviour(problem, me, solution)
            inner, outer = part.pairs(me)
            late = part.layers(me) >= street
            self.plans = self.plans.put(me, outer[late], chosen[inner[late]])

        return Posed(Solve(problem, me, search), read)

    def take(self, posed: Posed) -> Solution:
        """Solve or continue a look-ahead, and take its decisions."""
        solution = posed.solve.advance()
        self.interrupted |= solution.interrupted
        posed.read(solution)
        return solution

    def _take_all(self, street: int, both: list[F64]) -> None:
        """Take the decisions of a look-ahead that saw the whole tree, and the opponent's behaviour (size,) in it."""
        me, them = self._me, 1 - self._me
        late = np.flatnonzero(np.append(self._levels[me] >= street, False)[self._game.trees[me].owner])
        self.plans = self.plans.put(me, late, both[me][late])
        self.plans = self.plans.put(them, np.arange(len(both[them])), both[them])

    def _whole(self, street: int, search: Search) -> Posed:
        """The whole tree as the problem, with restrictions only."""
        me, model = self._me, None
        if self._model is not None:
            model = FollowedModel(self._model.behaviour, search.p, self._levels[1 - me] <= street)
        level = self._levels[me]
        standing: Flags = np.asarray((level >= 0) & (level < street))
        problem = whole_problem(self._game.subgame, me, self.plans.behaviour(me)[:], standing, model)

        def read(solution: Solution) -> None:
            self.gap = max(self.gap, solution.nash_conv)
            self._take_all(street, [played_behaviour(problem, i, solution) for i in (0, 1)])

        return Posed(Solve(problem, me, search), read)

    def _end(self, part: StreetEnd) -> StreetEnd:
        """The border where a part ends."""
        return part

    def _continued(self, street: int, search: Search) -> Posed:
        """The tree up to the end of the street, with portfolios there."""
        me, game = self._me, self._game
        model = self._model if search.p > 0.0 else None
        look = add_continuations(truncate(game.tree, street), self._ways, model)
        theirs = look.behaviour(1 - me, self._known(1 - me), model=model is not None)
        given = [look.behaviour(me, self._known(me)), theirs]
        problem = self._bound(look.subgame, street, given if me == 0 else given[::-1], look.part)

        def read(solution: Solution) -> None:
            self.gap = max(self.gap, solution.nash_conv)
            whole = [look.spreads[i].up(solution.plans[i]) for i in (0, 1)]
            both = [Strategy.from_plan(tree, plan) for tree, plan in zip(game.trees, whole, strict=True)]
            self._take_all(street, [one.behaviour for one in both])

        return Posed(Solve(problem, me, search), read)

    def _known(self, player: int) -> Numbers:
        """Known decisions of a player: their own, or the model's."""
        if player == self._me or self._model is None:
            return self.plans.behaviour(player)
        return self._model.behaviour

    def _bound(self, problem: Subgame, street: int, given: list[F64], part: StreetEnd) -> Subgame:
        """A smaller problem, on a part of the tree, with own earlier decisions fixed, and with the model in it."""
        me, p = self._me, self.search.p
        own, other = problem.trees[me], problem.trees[1 - me]
        standing, layer = np.zeros(own.lanes), part.layers(me)
        standing[own.owner[part.pairs(me)[0][(layer >= 0) & (layer < street)]]] = 1.0
        if standing.any():
            problem = problem.bound(me, Restriction.local(own, given[me], standing))
        if self._model is not None and p > 0.0:
            everywhere = np.ones(other.lanes, np.bool_)
            rest = problem.restrictions[1 - me]
            problem = problem.restricted(1 - me, Restriction.until(other, given[1 - me], p, everywhere, rest))
        return problem

    def _posed(self, part: PublicNode) -> Posed | None:
        known = Knowledge(self.plans, self.model_plans)
        return pose_subtree(subtree_at(self._game.tree, part, self._me), self.search, known)

    def pose_part(self, part: PublicNode) -> Posed | None:
        """The look-ahead that decides one street on one board, beginning at `part`, after its gadget; earlier streets
        are decided. None without reach."""
        posed = self._posed(part)
        if posed is None:
            return None

        def read(solution: Solution) -> None:
            resolved: ResolvedSubtree = posed.read(solution)
            self.plans, self.gap = resolved.put_into(self.plans, self._me), max(self.gap, resolved.gap)

        return Posed(posed.solve, read)


def check_search(game: SpotGame, search: Search) -> None:
    """Reject a search that a spot does not support."""
    if search.depth != Depth():
        raise InputError(f"in {game.name} a look-ahead sees to the end of a street: the depth is 'round'")
    nested = isinstance(search.value, ValueFunction)
    if not nested and type(search.value) not in (ExactLeaf, Equity, Portfolio):
        raise InputError(
            f"the value functions of {game.name} are exact, equity, portfolio:A;B, lp, cfr:N and those of ranges, not "
            f"{search.value.name}"
        )
    if search.gadget.contracts_path:
        raise InputError(
            f"boards solved alone behind the {search.gadget} gadget would each count on what the opponent loses on the "
            "others: in a spot it is for resolve, which solves one after the other"
        )
    entered = not search.gadget.keeps_path and search.p < 1.0
    if entered and (nested or isinstance(search.value, Equity)):
        raise InputError(f"{search.value.name} plans nothing that a gadget could keep: it goes with the full gadget")


def layers(game: SpotGame, player: int) -> I64:
    """(lanes,) the number of cards dealt at each decision of a player; -1 at the deal of the hand, and in padding."""
    runs, boards, betting = game.tree.runs[player], game.tree.boards, game.tree.betting
    out = np.full(runs.tree.lanes, -1)
    for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist():
        layer = layer_of(betting, node)
        first = int(runs.lane[node])
        out[first : first + boards.layers[layer].places] = layer
    return out


_LOOKS = 4
"""Overhead of a solve in sweeps: both players' best responses, before and after."""


class StoredSolve:
    """The solve of a street on all its boards: a `lookahead.search.Solve` on the compact engine."""

    def __init__(self, run: CompactRun, stop: Stop) -> None:
        self.run, self._stop, self.finished, self.calls = run, stop, False, 0
        self._best = BestAverages(run)

    @property
    def iterations(self) -> int:
        return self.run.done

    @property
    def bytes(self) -> int:
        ways = [way.memory for side in self.run.sides for way in side]
        own: int = sum(one.regret.nbytes + one.total.nbytes + one.rows.nbytes for one in ways)
        return own + self._best.bytes

    def advance(self) -> Solution:
        """The best averages so far; in the solution there are no plans, which stay in the run."""
        stop, limit, self.calls = self._stop, self._stop.exploitability > 0.0, self.calls + 1
        most = self.run.done + stop.iterations if limit else stop.iterations
        solution = solve_run(self.run, replace(stop, iterations=most), kept=self._best)
        reached = solution.nash_conv <= 2.0 * stop.exploitability
        late = solution.seconds >= stop.seconds or not time_left()
        cut = solution.interrupted or late or (limit and self.run.done >= most)
        self.finished = reached or not cut
        if self.finished:
            self.run.forget_regrets()
        return solution


class SweptResponse:
    """The best response to an opponent who has no choice, in one sweep."""

    finished, calls, iterations, bytes = True, 1, 0, 0

    def advance(self) -> Solution:
        return Solution(NO_PLANS, 0.0, 0.0, "sweep", 0, 0.0)


class StoredStreetResponder(StreetResponder):
    """`StreetResponder` of a large spot: plans stand in a store."""

    _game: StoredSpotGame
    _model: Any
    plans: Any

    def __init__(self, game: StoredSpotGame, seat: int, search: Search, model: Any) -> None:
        check_stored_value(search.value)
        super().__init__(game, seat, search, model)

    def _begin(self) -> CompactPlans:
        return self._game.uniform_plans

    @property
    def plan(self) -> Any:
        return self.plans

    @property
    def model_plans(self) -> Any:
        return None if self._model is None else self._model.plans

    def restore(self, mine: Any, theirs: Any) -> None:
        self.plans = mine.plans.facing(theirs.player, theirs.plans)

    def overhead(self) -> float:
        begin = run_time()
        self.plans.value(self._me)
        return _LOOKS * (run_time() - begin)

    def _whole(self, street: int, search: Search) -> Posed:
        me, them, model = self._me, 1 - self._me, self._model if search.p > 0.0 else None
        here: CompactPlans = self.plans if model is None and street == 0 else self.plans.on_all_boards
        theirs = here.free(them)
        if model is not None:
            behaviour, lanes = here.facing(them, model.plans).behaviour(them), self._lanes(them, street + 1)
            if street == self.streets - 1:
                followed = BranchRestriction(behaviour, p=search.p)
            else:  # up to the end of the street
                followed = BranchRestriction(behaviour, LaneTrust(lanes, np.ones(len(lanes))))
            theirs = here.opponents(them, followed, search.p)
        if all(way.memory.fixed for way in theirs):
            return Posed(SweptResponse(), lambda _: self._respond(street, here, theirs))
        own = here.standing(me, self._lanes(me, street), here.behaviour(me)) if street else here.free(me)
        sides = (own, theirs) if me == 0 else (theirs, own)
        method = None if search.method == "lp" else minimiser(search.method).changed(single=False)
        if method is None or not has_compact_form(method):
            raise InputError(
                f"{self._game.name} is large: a street on all boards is solved by cfr, cfr+ or dcfr, not by {search.method}"
            )
        run = CompactRun(here.averages.layout, method, here.averages.precision, sides)

        def read(solution: Solution) -> None:
            self.gap = max(self.gap, solution.nash_conv)
            averages = Averages.of_run(run)
            for player, side in enumerate(run.sides):  # the opponent beside the model is the observed one
                averages = averages.playing(player, (WeightedMemory(1.0, without_regrets(side[0].memory)),))
            self.plans = replace(here, averages=averages)

        return Posed(StoredSolve(run, search.stop), read)

    def _respond(self, street: int, here: CompactPlans, theirs: Ways) -> None:
        """The best response to a known strategy, with the decisions of earlier streets."""
        me, averages = self._me, here.averages.playing(1 - self._me, theirs)
        if street:
            standing = here.standing(me, self._lanes(me, street), here.behaviour(me))[0].memory
            averages = averages.choosing_under(me, RowLocks.of_memory(averages.layout, me, standing))
        found = averages.best_response(me)
        self.plans = replace(here, averages=replace(found, bound=(None, None)))

    def _end(self, part: StreetEnd) -> StreetEnd:
        """The border where a part ends; beyond it the compact engine solves."""
        return replace(part, precision=self._game.precision)

    def _continued(self, street: int, search: Search) -> Posed:
        me, them, model = self._me, 1 - self._me, self._model if search.p > 0.0 else None
        part = truncate(self._game.tree, street)
        ways: Any = self._ways
        look = StoredContinuations.of(self.plans, part, ways, model)
        given = [look.behaviour(player, self._known(player)) for player in (0, 1)]
        if model is not None:
            given[them] = look.behaviour(them, model.behaviour, model.plan)
        problem = self._bound(look.subgame, street, given, part)
        solve = FixedSolve(look, problem, me) if is_fixed(problem, them) else Solve(problem, me, search)

        def read(solution: Solution) -> None:
            self.gap = max(self.gap, solution.nash_conv)
            before, betting = self.plans.on_all_boards, self._game.tree.betting
            own, way = look.played(me, solution.plans[me]), before.averages.sides[me][0]

            def mine(node: int, lanes: I64) -> Any:
                stands = layer_of(betting, node) < street
                return before.averages.played(me, way, node, lanes) if stands else own(node, lanes)

            after = before.with_choices(me, mine, keep=False)
            self.plans = after.with_choices(them, look.played(them, solution.plans[them]), keep=False)

        return Posed(solve, read)

    def _lanes(self, player: int, streets: int) -> I64:
        """(n,) a player's decisions in the first streets, in ascending order."""
        tree, runs = self._game.tree, self._game.tree.runs[player]
        nodes = [
            node for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist() if layer_of(tree.betting, node) < streets
        ]
        each = [
            int(runs.lane[node]) + np.arange(tree.boards.layers[layer_of(tree.betting, node)].places) for node in nodes
        ]
        return np.sort(np.concatenate(each)) if each else np.zeros(0, np.int64)


def street_responder(game: Any, seat: int, search: Search, model: Any) -> StreetResponder:
    """The player who looks ahead street by street in a spot."""
    return by_kind(RESPONDERS, game, StreetResponder)(game, seat, search, model)


def check_stored_value(value: Value) -> None:
    """Reject a value function that takes arrays of its problem: the linear program, or a method with predictions."""
    if isinstance(value, SolvedValue):
        check_method(value.method, value.iterations)


RESPONDERS: dict[type, type[StreetResponder]] = {StoredSpotGame: StoredStreetResponder}
"""Players who look ahead street by street, by kind of game."""
