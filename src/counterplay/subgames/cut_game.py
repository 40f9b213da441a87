"""The gadget game of a cut: its treeplexes, payoff and restrictions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I32, I64, Flags
from counterplay.subgames.continuations import ContinuationCut
from counterplay.subgames.cut_shape import CutShape
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.treeplex.branch_restriction import Numbers
from counterplay.treeplex.sweeps import reach


@dataclass(frozen=True, eq=False)
class CutGame(GadgetGame):
    """The gadget game of a cut.

    Attributes:
        piece: the cut.
        lanes: per player, the lane in the whole game of each lane of the subgame; -1 in padding and in the entry.
        border: per player, the plan index of the sequence that leads to each augmented infoset of the limit.
        front: (raw sequences of the entry,) the plan index of each.
        continuing: matrix-valued states at the limit; None without them.
    """

    piece: CutShape
    lanes: tuple[I32, I32]
    border: tuple[I32, I32]
    front: I32
    continuing: ContinuationCut | None = None

    @cached_property
    def matched(self) -> tuple[tuple[I64, I64], tuple[I64, I64]]:
        """Per player, the indices (n,) of the subgame's sequences, there and in the whole game."""
        first, second = (self._match(player) for player in (0, 1))
        return first, second

    def _match(self, player: int) -> tuple[I64, I64]:
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

    @property
    def share(self) -> float:
        """The resolver's range is divided by the unit."""
        return 1.0 / self.unit

    def pairs(self, player: int) -> tuple[I64, I64]:
        """Two (n,) arrays: indices of a player's sequences here, and in the whole game."""
        return self.matched[player]

    def came(self, plan: Numbers) -> F64:
        """(size,) the opponent's range at the top."""
        return self.piece.range(self.opponent, plan)

    def lanes_followed(self, followed: Flags | None) -> Flags:
        """(lanes,) of the subgame, whether the model is followed there: always in the entry."""
        homes = self.lanes[self.opponent]
        inside = homes < 0
        inside[~inside] = True if followed is None else followed[homes[~inside]]
        return inside

    def enter_as_model(self, behaviour: F64, plan: Numbers) -> None:
        """See `GadgetGame`; where the entry stands for the path, the model takes each step as often as in the whole game."""
        entry = self.entry
        if entry.follows is None or entry.parents is None:
            super().enter_as_model(behaviour, plan)
            return
        behaviour[self.front[1:]] = 0.0
        steps = 1 + np.flatnonzero(entry.follows[1:] >= 0)
        before = np.repeat(entry.parents, entry.actions)[steps - 1]
        came, passed = (np.asarray(plan[entry.follows[raw]], np.float64) for raw in (steps, before))
        behaviour[self.front[steps]] = np.divide(came, passed, out=np.zeros(len(came)), where=passed > 0.0)

    def continue_as_model(self, behaviour: F64, plan: Numbers) -> None:
        """Make the model choose its own continuation at the limit.

        Args:
            behaviour: (opponent's size,) of the model in the gadget game; changed in place.
            plan: (opponent's size in the whole game,) of the model.
        """
        if self.continuing is not None:
            came = self.piece.limit.range(self.opponent, plan)
            scale = self.multiplier
            self.continuing.theirs.follow_model(
                behaviour, came if scale is None else came / scale[self.border[self.opponent]]
            )

    @cached_property
    def multiplier(self) -> F64 | None:
        """(opponent's size,) the divisor that turns CFVs of the opponent into chips times chance's and the resolver's
        reach; None for 1.
        """
        if self.entry.scale is None:
            return None
        tree = self.subgame.trees[self.opponent]
        odds = np.ones(tree.size)
        counted = self.entry.scale > 0.0
        odds[self.choices[self.opponent][counted]] = self.entry.scale[counted]
        return reach(tree, odds)

    def ranges(self, plan0: F64, plan1: F64) -> tuple[F64, F64]:
        """The ranges at the limit under two plans of the subgame, (size,) each, by augmented infoset of the limit."""
        found = [plan[places] for plan, places in zip((plan0, plan1), self.border, strict=True)]
        if self.multiplier is not None:
            found[self.opponent] = found[self.opponent] * self.multiplier[self.border[self.opponent]]
        return found[0], found[1]
