"""Subtrees to re-solve, of an enumerated game, a spot or a whole hold'em game, and their roots."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.subgames.entry import Entry, even, open_entry
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.plan_store import Branch, PlanStore
from counterplay.treeplex.restriction import Numbers, Restriction
from counterplay.treeplex.sweeps import best


class Subtree(Branch):
    """A part of a game to re-solve. Roots are the opponent's augmented infosets where it begins: hands, in poker. Plans
    and behaviours are those of the whole game, by sequence.

    Attributes:
        counts_hands: whether gaps are chips of one root, a hand, and not of all roots together, as in enumerated games.
        resolver: the player who re-solves it, 0 or 1.
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
