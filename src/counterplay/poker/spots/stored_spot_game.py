"""A large spot as a game: its equilibrium and all strategies stand in the store of the compact engine."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.memory_limit import default_memory
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.compact_solve import solve_run
from counterplay.poker.compact.strategy_memory import WeightedMemory, new_memory
from counterplay.poker.plan_stores.compact_plans import CompactPlans, layout_of
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy, large_strategy
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.public_tree.size_estimate import HALF, SINGLE, Leaky, Needs, SpotSize, response_memory, size_of
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.solution_cache import keep_solution
from counterplay.poker.spots.solve_spot import METHOD, record_of_run
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import RAKED, SpotGame
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.strategy import Strategy

_GIB = 2**30


class _Equilibrium(NamedTuple):
    """Both strategies, and how they were found. Nothing of it refers to its tree, with which it is dropped."""

    averages: Averages
    value: float
    nash_conv: float
    iterations: int
    seconds: float


_SOLVED: WeakKeyDictionary[PublicTree, tuple[float, _Equilibrium]] = WeakKeyDictionary()
"""Equilibria, each with the accuracy that was asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class StoredSpotGame(SpotGame):
    """A spot whose strategies are never arrays, unless something asks for the arrays and they fit. `memory` limits the
    bytes of all that is computed; half of the machine's memory by default."""

    memory: float | None = None

    def limited(self, memory: float | None) -> Self:
        return replace(self, memory=memory)

    @property
    def subgame(self) -> Subgame:
        """The problem as arrays; an `InputError` if they do not fit."""
        self._check_arrays()
        return self.tree.subgame

    @property
    def payoff(self) -> ShowdownPayoff:
        """The payoff in chips of oop, of arrays; errors as of `subgame`."""
        self._check_arrays()
        return self.tree.leaves

    @property
    def in_arrays(self) -> SpotGame:
        """The same spot with plans as arrays, for what the store does not have; errors as of `subgame`."""
        self._check_arrays()
        return SpotGame(self.name, self.tree, self.pot, self.fine, self.spot)

    def check_response(self, opponent: int, needs: Needs, method: str, *, alike: bool) -> None:
        """Reject, before anything is solved, a method of such needs against a model of `opponent`; the error has the
        method and the estimate. `alike`: the model stands where isomorphic suits are dealt once."""
        assert self.spot is not None
        need = response_memory(self.spot.betting, self.spot.cards, self.precision, opponent, needs, alike=alike)
        advice = "ask for fewer bet sizes, a cap on raises or narrower ranges, or another method"
        check_memory(f"{method} in {self.name} takes {need / _GIB:.3g} GiB", need, self.memory, advice)

    def check_savable(self, path: Path) -> None:
        """Reject a file for strategies by infosets, before they are computed."""
        raise large_strategy(path)

    def _check_arrays(self) -> None:
        assert self.spot is not None
        try:
            size_of(self.spot.betting, self.spot.cards).check(self.memory)
        except InputError as error:
            raise InputError(f"this takes arrays of the whole tree, which do not fit: {error}") from None

    @property
    def solver(self) -> str:
        """The minimiser; a linear program of a large spot would not end."""
        return METHOD

    @property
    def entries(self) -> int:
        """More than any linear program has."""
        return sys.maxsize

    @cached_property
    def precision(self) -> str:
        """Of what is stored: float32, or 16 bits where a response in float32 does not fit."""
        assert self.spot is not None
        return stored_precision(self.spot, self.memory)

    def equilibrium(self, progress: Progress | None = None) -> Solution:
        """An equilibrium, computed once, to `fine`; its plans are read from the store. Errors as of `SpotGame`."""
        known, plans = self._equilibrium(progress), self._plans
        both: Any = (plans.reach(0), plans.reach(1))
        return Solution(both, known.value, known.nash_conv, METHOD, known.iterations, known.seconds)

    def equilibrium_plans(self, progress: Progress | None = None) -> CompactPlans:
        """Both strategies of the equilibrium; errors as of `equilibrium`."""
        self._equilibrium(progress)
        return self._plans

    @cached_property
    def _plans(self) -> CompactPlans:
        return CompactPlans(self.tree, self._equilibrium(None).averages)

    def _equilibrium(self, progress: Progress | None) -> _Equilibrium:
        if self.tree not in _SOLVED or _SOLVED[self.tree][0] > self.fine:
            kept = self._stored_equilibrium(self.known)
            kept = kept or self._stored_equilibrium(self.kept_solution((self.precision,)))
            _SOLVED[self.tree] = self.fine, kept or self._solve(progress)
        return _SOLVED[self.tree][1]

    def _stored_equilibrium(self, known: SolvedSpot | None) -> _Equilibrium | None:
        """The equilibrium of a solution, if it is accurate enough."""
        if known is None or not known.is_equilibrium:
            return None
        plans, facts = self.stored(known), known.facts
        nash_conv, value = plans.gap()
        if nash_conv > 2.0 * self.fine:
            return None
        return _Equilibrium(plans.averages, value, nash_conv, facts.get("iterations", 0), facts.get("seconds", 0.0))

    def _solve(self, progress: Progress | None) -> _Equilibrium:
        stop = Stop(self.fine, RAKED) if self.rake else Stop(self.fine)
        run = CompactRun(layout_of(self.tree, alike=True), minimiser(METHOD), self.precision)
        solution = solve_run(run, stop, progress)
        if solution.interrupted:
            raise KeyboardInterrupt
        assert self.spot is not None
        if self.is_kept:
            keep_solution(record_of_run(self.spot, run.precision, lambda: (solution, self.tree)))
        return _Equilibrium(Averages.of_run(run), solution.value, solution.nash_conv, run.done, solution.seconds)

    def value_of(self, player: int, solution: Solution) -> float:
        return self.equilibrium_plans().value(player) if self.rake else solution.bound(player)

    @property
    def uniform_plans(self) -> CompactPlans:
        """Both players play uniformly, on the boards of the equilibrium."""
        return self._blank(alike=True)

    def _blank(self, *, alike: bool = False) -> CompactPlans:
        """Uniform play, whose memory is not used before it is written."""
        tree, layout = self.tree, layout_of(self.tree, alike=alike)
        first, second = (
            (WeightedMemory(1.0, new_memory(layout, player, self.precision, regrets=False)),) for player in (0, 1)
        )
        return CompactPlans(tree, Averages(layout, self.precision, (first, second)))

    def stored(self, solved: SolvedSpot) -> CompactPlans:
        """The strategies of a solution of this spot in a store, in the precision in which responses fit."""
        if isinstance(solved.plans, CompactPlans) and solved.plans.averages.precision == self.precision:
            return solved.plans
        plans = self._blank()
        for player in (0, 1):
            plans = plans.facing(player, solved.plans)
        return plans

    def dealt(self, strategy: Any) -> Any:
        """A strategy in a store, where hands are dealt by the range."""
        return self.kept(strategy)

    def kept(self, strategy: Strategy | StoredStrategy) -> StoredStrategy:
        """A strategy of this spot in a store."""
        if isinstance(strategy, StoredStrategy):
            return strategy
        plans = self._blank().with_behaviour(strategy.player, strategy.behaviour)
        return StoredStrategy(plans, strategy.player, strategy.facts, strategy.counts)

    def changed(self, strategy: Any, sequences: I64, probabilities: F64, facts: dict[str, Any], counts: F64) -> Any:
        plans = self.kept(strategy).plans.put(strategy.player, sequences, probabilities)
        return StoredStrategy(plans, strategy.player, facts, counts)

    def _joint_plans(self, one: Any, other: Any) -> CompactPlans | None:
        first, second = self.kept(one), self.kept(other)
        if one.player == other.player or first.plans.tree is not self.tree or second.plans.tree is not self.tree:
            return None
        plans: CompactPlans = first.plans.facing(other.player, second.plans)
        return plans


def stored_precision(spot: Spot, memory: float | None) -> str:
    """Float32 if a response to a model fits in so many bytes, by default half of the machine's memory; else 16 bits."""
    limit = default_memory() if memory is None else memory
    for player in (0, 1):
        leaky = Leaky(player, twice=True, bounded=True)
        if size_of(spot.betting, spot.cards, alike=True, precision=SINGLE, leaky=leaky).memory > limit:
            return HALF
    return SINGLE


def stored_size(spot: Spot, memory: float | None) -> SpotSize:
    """The size of a spot and the memory of its equilibrium in a store; the limit as of `stored_precision`."""
    return size_of(spot.betting, spot.cards, alike=True, precision=stored_precision(spot, memory))
