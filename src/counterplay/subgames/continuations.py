"""Matrix-valued states at the limit of a cut: payoffs of each pair of continuations, by history."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from counterplay.arrays import F64, I32
from counterplay.leaves.matrix_valued import MatrixValued
from counterplay.subgames.continuation_choices import ContinuationChoices
from counterplay.subgames.cut_shape import CutShape
from counterplay.subgames.sequences import SubgameSequences


@dataclass(frozen=True, eq=False)
class ContinuationCut:
    """The positions of the continuations.

    Attributes:
        piece: the cut.
        states: their values.
        mine: the resolver's choices.
        theirs: the opponent's, and the model's.
    """

    piece: CutShape
    states: MatrixValued
    mine: ContinuationChoices
    theirs: ContinuationChoices

    @staticmethod
    def behind(
        piece: CutShape, states: MatrixValued, mine: SubgameSequences, theirs: SubgameSequences
    ) -> ContinuationCut:
        """Append these decisions to both players' trees; sequences are raw until `placed`."""
        me = piece.resolver
        if states.model is not None and states.count(1 - me) == 1:
            # The model takes none of them, and an only one would be no decision that it could leave out.
            states = replace(states, chips=np.repeat(states.chips, 2, axis=2 - me))
        own = mine.append_continuations(states.count(me))
        other = theirs.append_continuations(states.count(1 - me), modelled=states.model is not None)
        return ContinuationCut(piece, states, own, other)

    def placed(self, place: I32, other_place: I32) -> ContinuationCut:
        """The continuations by indices in the plans.

        Args:
            place, other_place: (raw sequences,) the index of each in the plan of the resolver and of the opponent.
        """
        return replace(self, mine=self.mine.placed(place), theirs=self.theirs.placed(other_place))

    def entries(self, weight: F64) -> tuple[I32, I32, F64]:
        """The payoff of player 0 as (own sequence, opposing sequence, chips times chance).

        Args:
            weight: (n,) chance's probability of each history of the limit.
        """
        me = self.piece.resolver
        known, theirs = self.piece.limit.known[me], self.piece.limit.known[1 - me]
        chips = self.states.chips if me == 0 else self.states.chips.transpose(0, 2, 1)
        n, k, m = chips.shape
        rows = np.broadcast_to(self.mine.own[known][:, :, None], (n, k, m))
        columns = np.broadcast_to(self.theirs.own[theirs][:, None, :], (n, k, m))
        parts = [(rows.ravel(), columns.ravel(), (weight[:, None, None] * chips).ravel())]
        if self.states.model is not None:
            alone = np.broadcast_to(self.theirs.apart[theirs][:, :1], (n, k))
            parts.append((self.mine.own[known].ravel(), alone.ravel(), (weight[:, None] * self.states.model).ravel()))
        row, column, value = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return row, column, value

    def claims(self, plan: F64) -> F64:
        """(opponent's infosets,) CFVs of the opponent's best continuation at their augmented infosets of the limit, against
        a plan (size,) of the resolver: chips of the opponent times chance's and the resolver's reach."""
        me = self.piece.resolver
        limit = self.piece.limit
        chips = self.states.chips if me == 0 else self.states.chips.transpose(0, 2, 1)
        sign = 1.0 if me == 1 else -1.0
        worth = sign * limit.chance[:, None] * np.einsum("nkl,nk->nl", chips, plan[self.mine.own[limit.known[me]]])
        out = np.zeros((limit.sizes[1 - me], worth.shape[1]))
        np.add.at(out, limit.known[1 - me], worth)
        return np.asarray(out.max(axis=1), np.float64)
