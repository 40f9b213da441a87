"""A cut behind an entry: treeplexes of its own, a payoff, and how both players are bound; and the way back into the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterplay.problem.subgame import Subgame
from counterplay.subgames.continuations import ContinuationCut
from counterplay.subgames.cut import Cut
from counterplay.subgames.entry import Entry
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import reach

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CutGame:
    """A cut behind an entry, ready to be solved.

    Attributes:
        piece: the cut.
        subgame: the problem; treeplexes of its own. The resolver's range is a decision that is made already.
        lanes: per player, the lane in the whole game of each lane of the subgame; -1 in padding and in the entry.
        choices: per player, the plan index of the sequence by which the player enters with each augmented infoset of the
            top; for the opponent behind a full entry all 0.
        border: per player, the plan index of the sequence that leads to each augmented infoset of the limit.
        entry: how the opponent comes in.
        ends: the plan indices of the entry's sequences that pay a constant.
        continuing: matrix-valued states at the limit; None if there are none.
    """

    piece: Cut
    subgame: Subgame
    lanes: tuple[Ints, Ints]
    choices: tuple[Ints, Ints]
    border: tuple[Ints, Ints]
    entry: Entry
    ends: Ints
    continuing: ContinuationCut | None = None

    @cached_property
    def matched(self) -> tuple[tuple[Longs, Longs], tuple[Longs, Longs]]:
        """Per player, where the sequences of the subgame stand, there and in the whole game."""
        first, second = (self._match(player) for player in (0, 1))
        return first, second

    def _match(self, player: int) -> tuple[Longs, Longs]:
        homes = self.lanes[player]
        inner = np.flatnonzero(homes >= 0)
        outer = homes[inner]
        small, large = (tree.lane_sequences for tree in (self.subgame.trees[player], self.piece.game.trees[player]))
        counts = small[2][inner]
        action = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places = [
            np.repeat(first[lanes], counts) + action * np.repeat(stride[lanes], counts)
            for (first, stride, _), lanes in ((small, inner), (large, outer))
        ]
        return places[0], places[1]

    def taken(self, player: int, behaviour: Floats) -> Floats:
        """(size,) the behaviour in the subgame that a behaviour of the whole game contains; uniform in the entry."""
        out = self.subgame.trees[player].uniform()
        inner, outer = self.matched[player]
        out[inner] = behaviour[outer]
        return out

    def splice(self, player: int, behaviour: Floats, into: Floats) -> Floats:
        """(size,) the behaviour `into` of the whole game, with what is played in the subgame put in."""
        out = into.copy()
        inner, outer = self.matched[player]
        out[outer] = behaviour[inner]
        return out

    def trusting(self, p: float, model: Floats, plan: Floats, followed: NDArray[np.bool_]) -> Subgame:
        """The same with an opponent who with probability p is a model.

        Args:
            p: weight of the model.
            model: (size,) its behaviour in the whole game.
            plan: (size,) its plan in the whole game, which gives its range at the top.
            followed: (lanes,) of the whole game: where the model is followed.
        """
        other = self.piece.opponent
        tree = self.subgame.trees[other]
        behaviour = self.taken(other, model)
        behaviour[0] = 1.0
        front = self.choices[other] > 0
        entering = tree.owner[self.choices[other][front]]
        for lane in np.unique(entering).tolist():
            behaviour[tree.sequences_of(lane)] = 0.0
        came = self.piece.top.range(other, plan)
        if self.entry.scale is not None:
            came = np.divide(came, self.entry.scale, out=np.zeros(len(came)), where=self.entry.scale > 0.0)
        np.add.at(behaviour, self.choices[other][front], came[front])
        if self.continuing is not None:
            came = self.piece.limit.range(other, plan)
            self.continuing.model_behaviour(
                behaviour, came if self.unit is None else came / self.unit[self.border[other]]
            )
        homes = self.lanes[other]
        inside = homes < 0
        inside[~inside] = followed[homes[~inside]]
        rest = self.subgame.restrictions[other]
        return self.subgame.restricted(other, Restriction.until(tree, behaviour, p, inside, rest))

    def won_from(self, model: Floats, plan: Floats) -> Floats:
        """(resolver's size,) chips of the resolver for each own sequence, against a model.

        Args:
            model, plan: (size,) of the whole game, as for `trusting`.
        """
        other = self.piece.opponent
        everywhere = np.ones(self.piece.game.trees[other].lanes, np.bool_)
        bound = self.trusting(1.0, model, plan, everywhere).restrictions[other]
        tree = self.subgame.trees[other]
        return self.subgame.leaves.product(self.piece.resolver, bound.played(tree, tree.uniform()))

    def trembling(self, trembles: Sequence[tuple[float, Floats]]) -> CutGame:
        """The same with an opponent who does not choose quite freely how to come in: the entry's decisions are restricted.

        Args:
            trembles: pairs of a weight w and the (size,) odds of the augmented infosets, 1 in all for a max-margin entry,
                each from 0 to 1 for a resolving one. With each pair, what was left to the opponent to choose is chosen
                with probability 1 - w only, and w is that.
        """
        if not self.entry.can_tremble or not any(weight > 0.0 for weight, _ in trembles):
            return self
        other = self.piece.opponent
        tree, so_far = self.subgame.trees[other], self.subgame.restrictions[other]
        keep = so_far.keep.copy() if so_far.is_local else np.ones(tree.lanes)
        mix = so_far.mix.copy() if so_far.is_local else np.zeros(tree.size)
        lanes = np.unique(tree.owner[self.choices[other]])
        for weight, given_odds in trembles:
            odds = self._possible(given_odds)
            moved = weight * keep[tree.owner[self.choices[other]]]
            np.add.at(mix, self.choices[other], moved * odds)
            if self.entry.declines is not None:
                mix[self.ends] += moved * (1.0 - odds)
            keep[lanes] *= 1.0 - weight
        return replace(self, subgame=self.subgame.restricted(other, Restriction(keep=keep, mix=mix)))

    def _possible(self, odds: Floats) -> Floats:
        """The odds of what is no choice go to the others, in proportion; all alike if there is nothing else."""
        possible = self.entry.possible
        if possible is None:
            return odds
        odds = np.where(possible, odds, 0.0)
        total = float(odds.sum())
        return odds / total if total > 0.0 else possible / possible.sum()

    @cached_property
    def unit(self) -> Floats | None:
        """(opponent's size,) what to divide CFVs of the opponent by, so that they are chips times chance's and the
        resolver's reach; None for 1."""
        if self.entry.scale is None:
            return None
        tree = self.subgame.trees[self.piece.opponent]
        odds = np.ones(tree.size)
        counted = self.entry.scale > 0.0
        odds[self.choices[self.piece.opponent][counted]] = self.entry.scale[counted]
        return reach(tree, odds)

    def ranges(self, plan0: Floats, plan1: Floats) -> tuple[Floats, Floats]:
        """The ranges at the limit that two plans of the subgame bring about: by augmented infoset of the limit."""
        found = [plan[places] for plan, places in zip((plan0, plan1), self.border, strict=True)]
        if self.unit is not None:
            found[self.piece.opponent] = found[self.piece.opponent] * self.unit[self.border[self.piece.opponent]]
        return found[0], found[1]
