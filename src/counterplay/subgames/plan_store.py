"""Both players' strategies in a whole tree, read one branch at a time.

A branch is named by its sequences in the whole tree. A small tree keeps whole arrays (`ArrayPlans`). A large one
computes a branch from stored regrets and averages.

Subtrees to re-solve, of an enumerated game, a spot or a whole hold'em game, read these strategies."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from counterplay.arrays import F64, I64, AnyArray, Flags
from counterplay.errors import InputError
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.best_response import gap as nash_gap
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import solve_by
from counterplay.solvers.lp import avoidable, solve_lp
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.entry import Entry, GadgetGame, even, open_entry
from counterplay.treeplex.restriction import BranchRestriction, Numbers, Restriction
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import behaviour_of, best, values
from counterplay.treeplex.treeplex import Treeplex


class Branch(ABC):
    """The decisions of a `Subtree`."""

    @abstractmethod
    def tops(self, player: int) -> AnyArray:
        """(n,) the sequence by which a player reaches each of its augmented infosets at the roots."""

    @abstractmethod
    def lanes(self, player: int) -> Flags:
        """(lanes,) of the whole game, whether each is a player's decision inside."""


def lanes_inside(tree: Treeplex, branches: Iterable[Branch]) -> Flags:
    """(lanes,) the player's infosets in the subtrees."""
    out = np.zeros(tree.lanes, np.bool_)
    for branch in branches:
        out |= branch.lanes(tree.player)
    return out


def lanes_before(tree: Treeplex, branches: Iterable[Branch]) -> Flags:
    """(lanes,) the player's infosets on the path to a subtree."""
    out = np.zeros(tree.lanes, np.bool_)
    for branch in branches:
        lanes = np.unique(tree.owner[branch.tops(tree.player)])
        while len(lanes := lanes[lanes >= 0]):
            out[lanes] = True
            lanes = np.unique(tree.owner[tree.arrays.parent[lanes]])
    return out


class PlanStore(Protocol):
    """Both players' strategies in a tree, by sequence of its treeplexes: what a subtree and its gadget ask for."""

    def knows(self, player: int) -> bool:
        """Return whether a player's strategy is known."""

    def reach(self, player: int) -> Numbers:
        """A player's realization plan, for ranges; an InputError if the strategy is not known."""

    def behaviour(self, player: int) -> Numbers:
        """A player's probabilities of actions; errors as of `reach`."""

    def cfvs(self, player: int) -> Numbers:
        """CFVs of a player's best response to the other's plan, in the player's chips; errors as of `reach`."""


class MeasuredPlans(Protocol):
    """Both players' strategies in a whole game, measured, and solved again from the root. Nothing is changed in place;
    errors of all that needs strategies are as of `PlanStore.reach`."""

    def knows(self, player: int) -> bool:
        """Return whether a player's strategy is known."""

    def value(self, player: int) -> float:
        """Chips of a player where both play their strategies."""

    def best_value(self, player: int) -> float:
        """Chips of a player's best response to the other's strategy."""

    def facing(self, player: int, others: Any) -> Self:
        """The same with a player's strategy from another store of this game."""

    def best_response(self, player: int) -> Self:
        """The same where a player plays a best response to the other's strategy."""

    def mixed(self, player: int, others: Any, weight: float) -> Self:
        """The same where a player decides before the game: with this weight for the strategy from another store, else
        for its own."""

    def solved(
        self, player: int, branches: Sequence[Branch], solver: Solver, stop: Stop, *, beside: bool = False
    ) -> tuple[Self, SolvedGap]:
        """The game solved again from the root, and how exact the strategies are: a player is free inside the subtrees
        `branches`, with `beside` also wherever no path leads to one of them, and their other decisions stand."""

    def digest(self) -> str:
        """A text that changes with the known strategies."""

    def strategy(self, player: int) -> Any:
        """The whole of a player's strategy, a record with `facts`, for files."""


class GamePlans(PlanStore, MeasuredPlans, Protocol):
    """The same of a whole game, whose strategies are also read and changed branch by branch, by the sequences of its
    trees."""

    def profile_cfvs(self, player: int) -> Numbers:
        """CFVs of a player's own strategy against the other's, chips of the player."""

    def gap(self) -> tuple[float, float]:
        """NashConv of both strategies, and the value of player 0 in the middle of its bounds."""

    def put(self, player: int, sequences: AnyArray, behaviour: F64) -> Self:
        """The same with other (n,) probabilities at these (n,) sequences of a player."""

    def bound(self, player: int, restriction: BranchRestriction) -> Self:
        """The same strategies in the game in which a player is bound as well: there responses, values and gaps are
        measured."""

    def strategy(self, player: int) -> Strategy:
        """The whole of a player's strategy, for files of small games."""


class SolvedGap(NamedTuple):
    """NashConv of a solve in the problem with the decisions that stand, in chips; and whether Ctrl-C ended it."""

    gap: float
    interrupted: bool


@dataclass(frozen=True, eq=False)
class PlayerPlan:
    """A realization plan (size,), and the behaviour that it comes from."""

    tree: Treeplex
    plan: F64

    @cached_property
    def behaviour(self) -> F64:
        """(size,) probabilities, also where the plan does not come."""
        return behaviour_of(self.tree, self.plan)


class KnownPlan(Protocol):
    """A player's strategy: a `Strategy`, a `PlayerPlan`, or one that is read off a larger game."""

    @property
    def tree(self) -> Treeplex: ...
    @property
    def plan(self) -> F64: ...
    @property
    def behaviour(self) -> F64: ...


Part = KnownPlan | None


@dataclass(frozen=True, eq=False)
class ArrayPlans:
    """Plans as arrays of the whole tree `subgame`; the strategies of players 0 and 1 are None if unknown."""

    subgame: Subgame
    strategies: tuple[Part, Part]
    _cfvs: dict[int, F64] = field(default_factory=dict, repr=False, kw_only=True)

    @staticmethod
    def of(subgame: Subgame, mine: Strategy, theirs: Strategy | None = None) -> ArrayPlans:
        """The store of a player's strategy, and the other's if known."""
        return ArrayPlans(subgame, (mine, theirs) if mine.player == 0 else (theirs, mine))

    def knows(self, player: int) -> bool:
        return self.strategies[player] is not None

    def _part(self, player: int) -> KnownPlan:
        part = self.strategies[player]
        if part is None:
            raise InputError(f"this needs the strategy of player {player}, which is not known")
        return part

    def strategy(self, player: int) -> Strategy:
        part = self._part(player)
        return part if isinstance(part, Strategy) else Strategy(part.tree, part.behaviour)

    def behaviour(self, player: int) -> F64:
        return self._part(player).behaviour

    def reach(self, player: int) -> F64:
        return self._part(player).plan

    def cfvs(self, player: int) -> F64:
        if player not in self._cfvs:
            cfv = np.array(self.subgame.leaves.product(player, self.reach(1 - player)), np.float64)
            tree = self.subgame.trees[player]
            best(tree.arrays, np.zeros(0), np.zeros(0), cfv, np.zeros(tree.size))
            self._cfvs[player] = cfv
        return self._cfvs[player]

    def profile_cfvs(self, player: int) -> F64:
        cfv = self.subgame.leaves.product(player, self.reach(1 - player))
        return values(self.subgame.trees[player], self.behaviour(player), cfv)

    def value(self, player: int) -> float:
        return float(self.reach(player) @ self.subgame.leaves.product(player, self.reach(1 - player)))

    def best_value(self, player: int) -> float:
        return best_response(self.subgame, player, self.reach(1 - player)).value

    def gap(self) -> tuple[float, float]:
        return nash_gap(self.subgame, (self.reach(0), self.reach(1)))

    def _with(self, player: int, part: Part) -> Self:
        first, second = self.strategies
        return replace(self, strategies=(part, second) if player == 0 else (first, part), _cfvs={})

    def _with_plan(self, player: int, plan: F64) -> Self:
        return self._with(player, PlayerPlan(self.subgame.trees[player], plan))

    def put(self, player: int, sequences: AnyArray, behaviour: F64) -> Self:
        before = self.strategy(player)
        after = before.behaviour.copy()
        after[sequences] = behaviour
        return self._with(player, Strategy(before.tree, after, before.facts))

    def facing(self, player: int, others: GamePlans) -> Self:
        if isinstance(others, ArrayPlans):
            return self._with(player, others._part(player))
        return self._with(player, Strategy(self.subgame.trees[player], np.asarray(others.behaviour(player)[:])))

    def best_response(self, player: int) -> Self:
        response = best_response(self.subgame, player, self.reach(1 - player))
        return self._with_plan(player, played_plan(self.subgame, player, response.behaviour))

    def mixed(self, player: int, others: GamePlans, weight: float) -> Self:
        return self._with_plan(player, (1.0 - weight) * self.reach(player) + weight * others.reach(player)[:])

    def bound(self, player: int, restriction: BranchRestriction) -> Self:
        whole = restriction.whole(self.subgame.trees[player])
        return replace(self, subgame=self.subgame.bound(player, whole), _cfvs={})

    def solved(
        self, player: int, branches: Sequence[Branch], solver: Solver, stop: Stop, *, beside: bool = False
    ) -> tuple[Self, SolvedGap]:
        tree, before = self.subgame.trees[player], self.strategy(player)
        standing = lanes_before(tree, branches) if beside else ~lanes_inside(tree, branches)
        problem = self.subgame.bound(player, Restriction.local(tree, before.behaviour, standing.astype(np.float64)))
        if solver == "lp":
            with avoidable():
                solution = solve_lp(problem, player)
        else:
            solution = solve_by(problem, solver, stop)
            solution = replace(solution, nash_conv=nash_gap(problem, solution.plans)[0])
        gap = SolvedGap(solution.nash_conv, solution.interrupted)
        chosen = problem.restrictions[player].chosen(tree, solution.plans[player])
        kept = np.append(standing, True)[tree.owner]
        mine = Strategy(tree, np.where(kept, before.behaviour, chosen), before.facts)
        theirs = Strategy.from_plan(self.subgame.trees[1 - player], solution.plans[1 - player])
        return self._with(player, mine)._with(1 - player, theirs), gap

    def digest(self) -> str:
        digest = hashlib.sha256()
        for player in filter(self.knows, (0, 1)):
            digest.update(np.ascontiguousarray(self.reach(player)).tobytes())
        return digest.hexdigest()[:16]


Plans = TypeVar("Plans", bound=GamePlans)
_MOST_WAITING = 1 << 21


class SpliceQueue:
    """Changes of a strategy that are put in together: each time a store is copied, in part or as a whole."""

    def __init__(self) -> None:
        self._changes: dict[int, list[tuple[I64, F64]]] = {}
        self._size = 0

    @property
    def is_full(self) -> bool:
        return self._size >= _MOST_WAITING

    def add(self, player: int, sequences: I64, behaviour: F64) -> None:
        """(n,) probabilities at these (n,) sequences of a player; of one that comes twice the last counts."""
        self._changes.setdefault(player, []).append((sequences, behaviour))
        self._size += len(sequences)

    def put_into(self, plans: Plans) -> Plans:
        """Plans with the changes, which are forgotten."""
        for player, changes in self._changes.items():
            sequences, behaviour = (np.concatenate(each) for each in zip(*changes, strict=True))
            plans = plans.put(player, sequences, behaviour)
        self._changes, self._size = {}, 0
        return plans


class Subtree(Branch):
    """A part of a game to re-solve. Roots are the opponent's augmented infosets where it begins: hands, in poker. Plans
    and behaviours are those of the whole game, by sequence.

    Attributes:
        counts_hands: whether gaps are chips of one root, a hand, and not of all roots together, as in enumerated games.
    """

    counts_hands: ClassVar[bool] = True
    resolver: int

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of roots."""

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver

    @property
    def alike(self) -> I64 | None:
        """(size,) the class of each root under suit isomorphism; None if all differ."""
        return None

    def branch(self, plans: Any) -> PlanStore:
        """The plans of a store of the whole game, as read here by sequence."""
        return plans  # type: ignore[no-any-return]

    @abstractmethod
    def range(self, player: int, plan: Numbers) -> F64:
        """(n,) the reach that a player's plan gives each of its augmented infosets at the roots; for the opponent, n is
        `size`."""

    @abstractmethod
    def weight(self, plan: Numbers) -> F64:
        """(size,) chance's and the resolver's reach of each root, given the resolver's plan."""

    def presence(self, plan: Numbers, other_plan: Numbers) -> F64:
        """(size,) the probability of the opponent at each root: their range times `weight`."""
        return np.asarray(self.range(self.opponent, other_plan) * self.weight(plan), np.float64)

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:
        """(size,) CFVs of the opponent inside, chips of the opponent times `weight`, divided by `unit`: of their best
        response, or with `profile` of their own strategy. Only this branch of the plans is read."""
        me, opponent = self.resolver, self.opponent
        problem = self.gadget_game(open_entry(self.size), plans.reach(me), unit)
        tree, theirs = problem.subgame.trees[me], problem.subgame.trees[opponent]
        plan = problem.subgame.restrictions[me].played(tree, problem.taken(me, plans.behaviour(me)))
        cfv = problem.subgame.leaves.product(opponent, plan)
        bound = problem.subgame.restrictions[opponent]
        if profile:
            follows = problem.taken(opponent, plans.behaviour(opponent))
            bound = Restriction.local(theirs, follows, np.ones(theirs.lanes)).within(theirs, bound)
        best(theirs.arrays, bound.keep, bound.mix, cfv, np.zeros(theirs.size))
        return np.asarray(cfv[problem.choices[opponent]], np.float64)

    @abstractmethod
    def gifts(self, plans: PlanStore) -> F64:
        """(size,) gifts of the opponent on the path, in the unit of `alternative_values` (Brown and Sandholm 2017)."""

    @abstractmethod
    def path(self, plans: PlanStore, values: F64) -> Entry:
        """The entry that stands for the opponent's path from the root of the game (see `entry.contract_path`), given
        (size,) `alternative_values` in chips of the whole game."""

    @abstractmethod
    def names(self) -> list[str]:
        """(size,) the texts of the roots, by which a prior may name them."""

    @abstractmethod
    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> GadgetGame:
        """The gadget game of the subtree after an entry whose constants count `unit` each, the divisor of the payoffs.
        The resolver's plan gives the range. An InputError if the subtree does not support this entry."""


@dataclass(frozen=True, eq=False)
class Root:
    """The roots of a subtree, as a gadget sees them. Arrays run over the roots, the opponent's augmented infosets
    there; values, weights and gifts are divided by `unit`.

    Attributes:
        plans: both players' strategies, as far as known.
        unit: chips of the whole game per chip of the gadget game.
        normalised: whether all roots have equal weight, whatever their reach by chance and the resolver.
        profile: alternative values are of the opponent's own strategy, not of a best response.
        known: alternative values, if already computed.
    """

    subtree: Subtree
    plans: PlanStore
    unit: float = 1.0
    normalised: bool = False
    profile: bool = False
    known: F64 | None = None

    def counted(self, unit: float) -> Root:
        return replace(self, unit=unit)

    @property
    def size(self) -> int:
        return self.subtree.size

    @cached_property
    def weight(self) -> F64:
        """(size,) chance's and the resolver's reach."""
        return self.subtree.weight(self.plans.reach(self.subtree.resolver)) / self.unit

    @cached_property
    def range(self) -> F64:
        """(size,) the opponent's reach, not normalised; an InputError if their strategy is not known."""
        opponent = self.subtree.opponent
        return self.subtree.range(opponent, self.plans.reach(opponent))

    @cached_property
    def values(self) -> F64:
        """(size,) alternative values: CFVs, chips of the opponent."""
        if self.known is not None:
            return self.known / self.unit
        return self.subtree.alternative_values(self.plans, self.profile, self.unit)

    @cached_property
    def gifts(self) -> F64:
        return self.subtree.gifts(self.plans) / self.unit

    @property
    def scale(self) -> F64 | None:
        """(size,) the factor of payoffs that gives all roots equal weight; None without normalisation."""
        return even(self.weight) if self.normalised else None
