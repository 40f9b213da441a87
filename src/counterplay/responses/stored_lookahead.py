"""Look-aheads street by street in a large spot: a street is decided on all its boards by the compact engine, or after a
gadget board by board, as in any spot. The game below the limit is solved with the look-ahead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.arrays import I64
from counterplay.budget import time_left
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import Posed, Search, Solve
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import BestAverages, CompactRun, has_compact_form
from counterplay.poker.compact.compact_solve import NO_PLANS, solve_run
from counterplay.poker.compact.compact_sweeps import Ways
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, without_regrets
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.continuations import FixedSolve, StoredContinuations, is_fixed
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.spots.spot_game import StoredSpotGame
from counterplay.poker.subtrees.street_limit import StreetEnd, check_method, truncate
from counterplay.problem.solvable_game import by_kind
from counterplay.responses.street_lookahead import StreetResponder
from counterplay.solvers.cfr import Solution, Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import BranchRestriction, LaneTrust
from counterplay.value_functions.leaf_value import Value
from counterplay.value_functions.solved_value import SolvedValue

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
