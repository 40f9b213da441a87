"""Matrix-valued states at the limit of a cut: one more decision of each player at each augmented infoset there.

The model's continuation follows separate decisions, at the opponent's empty sequence, which only the model takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterplay.leaves.matrix_valued import MatrixValued
from counterplay.subgames.cut_shape import CutShape
from counterplay.subgames.sequences import SubgameSequences
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import Treeplex

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContinuationCut:
    """The positions of the continuations.

    Attributes:
        piece: the cut.
        states: their values.
        own: (resolver's augmented infosets of the limit, K) the sequence of each own continuation.
        other: (the opponent's, L) likewise.
        apart: (the opponent's, 2) the sequences at which the model continues, and does not; no columns without a model.
    """

    piece: CutShape
    states: MatrixValued
    own: Ints
    other: Ints
    apart: Ints

    @staticmethod
    def behind(
        piece: CutShape, states: MatrixValued, mine: SubgameSequences, theirs: SubgameSequences
    ) -> ContinuationCut:
        """Append these decisions to both players' trees; sequences are raw until `placed`."""
        me = piece.resolver
        if states.model is not None and states.count(1 - me) == 1:
            # The model takes none of them, and an only one would be no decision that it could leave out.
            states = replace(states, chips=np.repeat(states.chips, 2, axis=2 - me))
        own = mine.append(mine.border(), states.count(me))
        other = theirs.append(theirs.border(), states.count(1 - me))
        size = piece.limit.sizes[1 - me]
        apart = np.zeros((size, 0), np.int32)
        if states.model is not None:
            apart = theirs.append(np.zeros(size, np.int32), 2)
        return ContinuationCut(piece, states, own, other, apart)

    def placed(self, place: Ints, other_place: Ints) -> ContinuationCut:
        """The continuations by indices in the plans.

        Args:
            place, other_place: (raw sequences,) the index of each in the plan of the resolver and of the opponent.
        """
        return replace(self, own=place[self.own], other=other_place[self.other], apart=other_place[self.apart])

    def entries(self, weight: Floats) -> tuple[Ints, Ints, Floats]:
        """The payoff of player 0 as (own sequence, opposing sequence, chips times chance).

        Args:
            weight: (n,) chance's probability of each history of the limit.
        """
        me = self.piece.resolver
        known, theirs = self.piece.limit.known[me], self.piece.limit.known[1 - me]
        chips = self.states.chips if me == 0 else self.states.chips.transpose(0, 2, 1)
        n, k, m = chips.shape
        rows = np.broadcast_to(self.own[known][:, :, None], (n, k, m))
        columns = np.broadcast_to(self.other[theirs][:, None, :], (n, k, m))
        parts = [(rows.ravel(), columns.ravel(), (weight[:, None, None] * chips).ravel())]
        if self.states.model is not None:
            alone = np.broadcast_to(self.apart[theirs][:, :1], (n, k))
            parts.append((self.own[known].ravel(), alone.ravel(), (weight[:, None] * self.states.model).ravel()))
        row, column, value = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return row, column, value

    def without_model(self, tree: Treeplex, rest: Restriction) -> Restriction:
        """The further restriction of an opponent who is not the model: the model's continuations are closed to them."""
        if not self.apart.size:
            return rest
        keep = rest.keep.copy() if rest.is_local else np.ones(tree.lanes)
        mix = rest.mix.copy() if rest.is_local else np.zeros(tree.size)
        keep[tree.owner[self.apart[:, 0]]] = 0.0
        mix[self.apart[:, 1]] = 1.0
        return Restriction(keep=keep, mix=mix)

    def model_behaviour(self, behaviour: Floats, came: Floats) -> None:
        """Write the model's continuation into its behaviour in the subgame: none of the free player's continuations.

        Args:
            behaviour: (opponent's size,) changed in place.
            came: (opponent's augmented infosets of the limit,) the model's range there.
        """
        behaviour[self.other] = 0.0
        behaviour[self.apart[:, 0]] = came
        behaviour[self.apart[:, 1]] = 0.0

    def claims(self, plan: Floats) -> Floats:
        """(opponent's infosets,) CFVs of the opponent's best continuation at their augmented infosets of the limit, against
        a plan (size,) of the resolver: chips of the opponent times chance's and the resolver's reach."""
        me = self.piece.resolver
        limit = self.piece.limit
        chips = self.states.chips if me == 0 else self.states.chips.transpose(0, 2, 1)
        sign = 1.0 if me == 1 else -1.0
        worth = sign * limit.chance[:, None] * np.einsum("nkl,nk->nl", chips, plan[self.own[limit.known[me]]])
        out = np.zeros((limit.sizes[1 - me], worth.shape[1]))
        np.add.at(out, limit.known[1 - me], worth)
        return np.asarray(out.max(axis=1), np.float64)
