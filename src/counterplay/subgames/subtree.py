"""Where we re-solve: a subtree of an enumerated game, of a spot or of a whole hold'em game, by one protocol."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.subgames.entry import even
from counterplay.subgames.plan_store import PlanStore

Floats = NDArray[np.float64]


class Subtree(Protocol):
    """A part of a game that is solved again. Roots are the opponent's augmented infosets where it begins: hands, in poker.

    Attributes:
        resolver: the player who solves it again, 0 or 1.
    """

    resolver: int

    @property
    def size(self) -> int:
        """How many roots there are."""

    def range(self, player: int, plans: PlanStore) -> Floats:
        """(n,) a player's reach of each of its augmented infosets at the beginning; of the opponent's, n is `size`."""

    def weight(self, plans: PlanStore) -> Floats:
        """(size,) chance's and the resolver's reach of each root."""

    def alternative_values(self, plans: PlanStore, profile: bool = False) -> Floats:
        """(size,) CFVs of the opponent inside, chips of the opponent times `weight`.

        Args:
            plans: the resolver's strategy, and the opponent's where `profile` asks for it.
            profile: the opponent plays its strategy, not a best response.
        """

    def gifts(self, plans: PlanStore) -> Floats:
        """(size,) what the opponent gave away on the way, in the unit of `alternative_values` (Brown and Sandholm 2017)."""

    def names(self) -> list[str]:
        """(size,) the texts of the roots, by which a prior may name them."""


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
        return self.subtree.weight(self.plans) / self.unit

    @cached_property
    def range(self) -> Floats:
        """(size,) the opponent's reach, not normalised.

        Raises:
            InputError: its strategy is not known.
        """
        return self.subtree.range(1 - self.subtree.resolver, self.plans)

    @cached_property
    def values(self) -> Floats:
        """(size,) alternative values: CFVs, chips of the opponent."""
        known = self.subtree.alternative_values(self.plans, self.profile) if self.known is None else self.known
        return known / self.unit

    @cached_property
    def gifts(self) -> Floats:
        """(size,) what the opponent gave away on the way here."""
        return self.subtree.gifts(self.plans) / self.unit

    @property
    def scale(self) -> Floats | None:
        """(size,) by what payoffs are multiplied so that all roots count alike; None if they need not."""
        return even(self.weight) if self.normalised else None
