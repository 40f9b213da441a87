"""Matrix-valued states at the limit of a cut: payoffs of each pair of continuations, by history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray
from counterplay.leaves.matrix import MatrixValued
from counterplay.subgames.cut_shape import CutShape
from counterplay.treeplex.build import append_group, build
from counterplay.treeplex.restriction import Restriction, fix_decisions
from counterplay.treeplex.treeplex import Labels, Treeplex


@dataclass(frozen=True, eq=False)
class ContinuationCut:
    """The positions of the continuations of a cut: their values, the resolver's choices, and the opponent's and the
    model's."""

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
        """The continuations by indices in the plans of the resolver and of the opponent: (raw sequences,) the index of
        each."""
        return replace(self, mine=self.mine.placed(place), theirs=self.theirs.placed(other_place))

    def entries(self, weight: F64) -> list[tuple[I32, I32, F64]]:
        """The payoff of player 0 in parts: (own sequences, opposing sequences, chips times chance), given chance's
        probability (n,) of each history of the limit."""
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
        return parts

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


class SubgameSequences:
    """A player's decisions in the subgame, after those of the entry, as raw sequences. choice: the raw sequence that
    leads to the subgame of each augmented infoset at the top; None if the player keeps the whole game."""

    def __init__(self, piece: CutShape, player: int, entry: I32, choice: Any, before: I32 | None = None) -> None:
        self.piece, self.player, self.large = piece, player, piece.game.trees[player]
        here, lane = self._decisions()
        self.choice = np.asarray(choice if choice is not None else [], np.int32)
        inside = np.zeros(self.large.lanes, np.bool_)
        attached = np.zeros(self.large.lanes, np.int32)
        if choice is None:
            inside[np.flatnonzero(self.large.lane_sequences[2])] = True
        else:
            inside[lane] = True
            attached[lane] = self.choice[piece.known(player, here)]
        order = self.large.visit_order[inside[self.large.visit_order]]
        self.first, self.stride, counts = self.large.lane_sequences
        self.actions = np.concatenate([entry, counts[order]]).astype(np.int32)
        self.raw_first = np.concatenate([[1], 1 + np.cumsum(self.actions)]).astype(np.int32)
        self.number = np.full(self.large.lanes, -1, np.int64)
        self.number[order] = len(entry) + np.arange(len(order))
        self.order, self.entry = order, len(entry)
        front = np.zeros(len(entry), np.int32) if before is None else before
        self.parent = np.concatenate([front, self.raw(self.large.arrays.parent[order], attached[order])])
        self.parent = self.parent.astype(np.int32)
        self.block = np.concatenate([np.zeros(len(entry), np.int32), 1 + self._states()[order]])

    def _states(self) -> I32:
        """(lanes,) of the whole game, the public state of each infoset."""
        game = self.piece.game
        out = np.zeros(self.large.lanes, np.int32)
        lanes = game.lanes[self.player]
        out[lanes[lanes >= 0]] = game.public[self.player][lanes >= 0]
        return out

    def append(self, parent: I32, count: int) -> I32:
        """(n, count) the raw sequences of more decisions, of `count` actions each, after these (n,) raw sequences."""
        first = int(self.raw_first[-1])
        self.actions = np.concatenate([self.actions, np.full(len(parent), count, np.int32)])
        self.parent = np.concatenate([self.parent, parent]).astype(np.int32)
        self.block = np.concatenate([self.block, np.zeros(len(parent), np.int32)])
        self.raw_first = np.concatenate([[1], 1 + np.cumsum(self.actions)]).astype(np.int32)
        return np.arange(first, first + len(parent) * count, dtype=np.int32).reshape(len(parent), count)

    def append_continuations(self, count: int, *, modelled: bool = False) -> ContinuationChoices:
        """The choice among `count` continuations at each augmented infoset of the limit, and those of a model."""
        came = self.border()
        own = self.append(came, count)
        apart = self.append(np.zeros_like(came), 2) if modelled else np.zeros((len(came), 0), np.int32)
        return ContinuationChoices(own, apart)

    def _decisions(self) -> tuple[I64, I32]:
        """The histories of the subgame, short of its limit, at which the player has a choice, and the lane of each."""
        game = self.piece.game
        inside = self.piece.root >= 0
        inside[self.piece.limit.histories] = False
        here = np.flatnonzero(inside & (game.histories.player == self.player))
        lane = game.lanes[self.player][game.histories.info[self.player][here]]
        return here[lane >= 0], lane[lane >= 0]

    def raw(self, place: Any, outside: Any) -> I32:
        """(n,) the raw sequence of each sequence `place` (n,) of the whole game; `outside`, a number or (n,), if its infoset
        is not in the subgame."""
        owner = self.large.owner[place]
        inside = owner >= 0
        inside[inside] = self.number[owner[inside]] >= 0
        lane, out = owner[inside], np.where(inside, 0, outside).astype(np.int32)
        action = (place[inside] - self.first[lane]) // self.stride[lane]
        out[inside] = self.raw_first[self.number[lane]] + action
        return out

    def at(self, histories: I64) -> I32:
        """(n,) the raw sequence that leads to each of the histories (n,) of the subgame."""
        outside: Any = 0
        if len(self.choice):
            outside = self.choice[self.piece.known(self.player, histories)]
        return self.raw(self.piece.game.sequences[self.player][histories], outside)

    def border(self) -> I32:
        """(augmented infosets,) the raw sequence that leads to each of the limit."""
        limit = self.piece.limit
        out = np.zeros(limit.sizes[self.player], np.int32)
        out[limit.known[self.player]] = self.at(limit.histories)
        return out

    def tree(self) -> tuple[Treeplex, I32, I32]:
        """The treeplex, the plan index (raw sequences,) of each raw sequence, and the lane (lanes,) in the whole game of
        each lane, -1 without one."""
        tree, place = build(self.player, self.parent, self.actions, self.block, lambda _: Labels([], [], []))
        numbers = np.full(len(self.actions), -1, np.int32)
        numbers[self.entry : self.entry + len(self.order)] = self.order
        home = np.full(tree.lanes, -1, np.int32)
        home[tree.visit_order] = numbers[self.actions > 1]
        return tree, place, home


@dataclass(frozen=True, eq=False)
class ContinuationChoices:
    """The sequences of the choices. own: (n, K) each continuation at each augmented infoset of the limit. apart: (n, 2)
    where the model continues, and where it does not; no columns without a model."""

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
        """Write the model's continuation into its behaviour (size,), given its range (n,) at the limit: none of the
        free player's."""
        if self.apart.size:
            behaviour[self.own] = 0.0
            behaviour[self.apart[:, 0]] = came
            behaviour[self.apart[:, 1]] = 0.0
