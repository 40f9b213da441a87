"""A player's choice among continuations at a limit (Milec et al. 2025), in every world: one more decision at each augmented
infoset there, a hand in poker.

The model's continuation follows separate decisions, at the empty sequence, which only the model takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.treeplex.build import append_group
from counterplay.treeplex.restriction import Restriction, fix_decisions
from counterplay.treeplex.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class ContinuationChoices:
    """The sequences of the choices.

    Attributes:
        own: (n, K) each continuation at each augmented infoset of the limit.
        apart: (n, 2) where the model continues, and where it does not; no columns without a model.
    """

    own: AnyArray
    apart: AnyArray

    @staticmethod
    def after(tree: Treeplex, came: AnyArray, count: int, *, modelled: bool) -> tuple[Treeplex, ContinuationChoices]:
        """A treeplex with `count` continuations after each of the (n,) sequences `came`, and those of a model."""
        tree, own = append_group(tree, came, count)
        apart = np.zeros((len(came), 0), np.int64)
        if modelled:
            tree, apart = append_group(tree, np.zeros(len(came), np.int64), 2)
        return tree, ContinuationChoices(own, apart)

    def placed(self, place: AnyArray) -> ContinuationChoices:
        """The same by indices in a plan; place: (raw sequences,) the index of each."""
        return ContinuationChoices(place[self.own], place[self.apart])

    def closed(self, tree: Treeplex, given: Restriction) -> Restriction:
        """The restriction of a player who is not the model, on top of a local one."""
        elsewhere = self.apart[:, 1:].ravel()
        if not len(elsewhere) and not given.is_local:
            return given
        return fix_decisions(tree, elsewhere, np.ones(len(elsewhere)), given)

    def follow_model(self, behaviour: F64, came: F64) -> None:
        """Write the model's continuation into its behaviour (size,): none of the free player's.

        Args:
            behaviour: (size,) changed in place.
            came: (n,) the model's range at the limit.
        """
        if self.apart.size:
            behaviour[self.own] = 0.0
            behaviour[self.apart[:, 0]] = came
            behaviour[self.apart[:, 1]] = 0.0
