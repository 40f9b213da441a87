"""The protocol of gadgets: how the opponent enters a subtree that is solved again."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from counterplay.subgames.entry import Entry
from counterplay.subgames.subtree import Root


class Gadget(Protocol):
    """How the opponent enters a subtree that is solved again. One of your own derives from this class, which says no to
    every question, and has an `entry`.

    Attributes:
        name: its text.
        fixes_range: the opponent comes with a given range and decides nothing.
        keeps_path: the opponent keeps its whole path from the root of the game.
        chooses_one: the opponent chooses one root, so that odds over the roots sum to 1; elsewhere each comes or not.
        takes_gifts: it asks what the opponent gave away on the way.
        admits_blueprint: the blueprint itself is an equilibrium of its gadget game.
        never_worse: no equilibrium of its gadget games is more exploitable than the blueprint.
    """

    name: ClassVar[str] = ""
    fixes_range: ClassVar[bool] = False
    keeps_path: ClassVar[bool] = False
    chooses_one: ClassVar[bool] = False
    takes_gifts: ClassVar[bool] = False
    admits_blueprint: ClassVar[bool] = False
    never_worse: ClassVar[bool] = False

    def entry(self, root: Root) -> Entry:
        """How the opponent comes in.

        Args:
            root: the subtree's beginning; its unit is that of `unit`.
        """
        ...

    def unit(self, root: Root) -> float:
        """What payoffs are divided by, so that a subtree that is hardly ever reached is solved as exactly as another: here
        what all roots weigh that may be entered.

        Args:
            root: the subtree's beginning, in chips of the whole game.
        """
        return float(np.sum(root.weight))

    def __str__(self) -> str:
        return self.name or type(self).__name__
