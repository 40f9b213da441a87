"""The protocol of subtrees that are solved again: of an enumerated game, a spot or a whole hold'em game."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.subgames.entry import Entry, even
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.plan_store import Numbers, PlanStore

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Subtree(Protocol):
    """A part of a game that is solved again. Roots are the opponent's augmented infosets where it begins: hands, in poker.
    Plans and behaviours are those of the whole game, by sequence."""

    @property
    def resolver(self) -> int:
        """The player who solves it again, 0 or 1."""

    @property
    def size(self) -> int:
        """How many roots there are."""

    @property
    def opponent(self) -> int:
        """The other player."""

    @property
    def counts_hands(self) -> bool:
        """Whether gaps are chips of one root, a hand, and not of all roots together, as in enumerated games."""

    def range(self, player: int, plan: Numbers) -> Floats:
        """(n,) what a player's plan gives to each of its augmented infosets at the beginning; of the opponent's, n is
        `size`."""

    def weight(self, plan: Numbers) -> Floats:
        """(size,) chance's and the resolver's reach of each root, given the resolver's plan."""

    def presence(self, plan: Numbers, other_plan: Numbers) -> Floats:
        """(size,) how likely the opponent is to be at each root: its range times `weight`."""

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> Floats:
        """(size,) CFVs of the opponent inside, chips of the opponent times `weight`.

        Args:
            plans: the resolver's strategy, and the opponent's where `profile` asks for it.
            profile: the opponent plays its strategy, not a best response.
            unit: what they are divided by.
        """

    def gifts(self, plans: PlanStore) -> Floats:
        """(size,) what the opponent gave away on the way, in the unit of `alternative_values` (Brown and Sandholm 2017)."""

    def tops(self, player: int) -> Ints:
        """(n,) the sequence by which a player comes to each of its augmented infosets at the beginning."""

    def lanes(self, player: int) -> NDArray[np.bool_]:
        """(lanes,) of the whole game: a player's decisions inside."""

    @property
    def alike(self) -> Ints | None:
        """(size,) which roots are one infoset, by number: only the names of suits tell them apart. None if none are."""

    def names(self) -> list[str]:
        """(size,) the texts of the roots, by which a prior may name them."""

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> GadgetGame:
        """The subtree behind an entry.

        Args:
            entry: from a gadget; its constants count `unit` each.
            plan: the resolver's, which gives its range.
            unit: what payoffs are divided by.

        Raises:
            InputError: an entry that this subtree cannot have.
        """


@dataclass(frozen=True, eq=False)
class Root:
    """What a gadget is told of the place where a subtree begins. Arrays run over the roots, the opponent's augmented
    infosets there; values, weights and gifts are divided by `unit`.

    Attributes:
        subtree: where.
        plans: what is known of both players' strategies.
        unit: chips of the whole game per chip of the gadget game.
        normalised: whether all roots count alike, however likely chance and the resolver make them.
        profile: alternative values are of the opponent's own strategy, not of a best response.
        known: alternative values, if somebody knows them already.
    """

    subtree: Subtree
    plans: PlanStore
    unit: float = 1.0
    normalised: bool = False
    profile: bool = False
    known: Floats | None = None

    def counted(self, unit: float) -> Root:
        """The same in another unit."""
        return replace(self, unit=unit)

    @property
    def size(self) -> int:
        """How many roots there are."""
        return self.subtree.size

    @cached_property
    def weight(self) -> Floats:
        """(size,) chance's and the resolver's reach."""
        return self.subtree.weight(self.plans.reach(self.subtree.resolver)) / self.unit

    @cached_property
    def range(self) -> Floats:
        """(size,) the opponent's reach, not normalised.

        Raises:
            InputError: its strategy is not known.
        """
        opponent = self.subtree.opponent
        return self.subtree.range(opponent, self.plans.reach(opponent))

    @cached_property
    def values(self) -> Floats:
        """(size,) alternative values: CFVs, chips of the opponent."""
        if self.known is not None:
            return self.known / self.unit
        return self.subtree.alternative_values(self.plans, self.profile, self.unit)

    @cached_property
    def gifts(self) -> Floats:
        """(size,) what the opponent gave away on the way here."""
        return self.subtree.gifts(self.plans) / self.unit

    @property
    def scale(self) -> Floats | None:
        """(size,) by what payoffs are multiplied so that all roots count alike; None if they need not."""
        return even(self.weight) if self.normalised else None
