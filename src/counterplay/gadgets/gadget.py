"""The protocol of gadgets: the opponent's entry into a re-solved subtree."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from counterplay.subgames.entry import Entry
from counterplay.subgames.subtree import Root


class Gadget(Protocol):
    """The opponent's entry into a re-solved subtree. A user's gadget derives from this class, whose flags are all
    False, and defines `entry`.

    Attributes:
        name: its text.
        fixes_range: the opponent enters with a given range and has no decision.
        keeps_path: the opponent keeps the whole path from the root of the game.
        trims_path: of that path it keeps the public states alone, and the value function stands where play leaves them.
        contracts_path: its decisions stand for the opponent's whole path, of which it reads the CFVs.
        chooses_one: the opponent chooses one root, so that odds over the roots sum to 1; otherwise each enters or not.
        takes_gifts: it uses the opponent's gifts on the path.
        admits_blueprint: the blueprint itself is an equilibrium of its gadget game.
        never_worse: no equilibrium of its gadget games is more exploitable than the blueprint.
    """

    name: ClassVar[str] = ""
    fixes_range: ClassVar[bool] = False
    keeps_path: ClassVar[bool] = False
    trims_path: ClassVar[bool] = False
    contracts_path: ClassVar[bool] = False
    chooses_one: ClassVar[bool] = False
    takes_gifts: ClassVar[bool] = False
    admits_blueprint: ClassVar[bool] = False
    never_worse: ClassVar[bool] = False

    def entry(self, root: Root) -> Entry:
        """The opponent's entry.

        Args:
            root: the roots of the subtree; its unit is that of `unit`.
        """
        ...

    @property
    def counts_on_slack(self) -> bool:
        """Whether a solution may use up what the opponent loses on the path or elsewhere. Solutions of several subgames
        would each use up the same, so that one is solved after the other."""
        return self.keeps_path or self.contracts_path

    def unit(self, root: Root) -> float:
        """The divisor of payoffs, so that a rarely reached subtree is solved as accurately as any other: by default the
        weight of all roots that may be entered.

        Args:
            root: the roots of the subtree, in chips of the whole game.
        """
        return float(np.sum(root.weight))

    def __str__(self) -> str:
        return self.name or type(self).__name__
