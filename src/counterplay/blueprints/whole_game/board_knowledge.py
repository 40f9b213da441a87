"""The inputs of re-solving a board for one player: strategies of the whole game, read on this board alone.

Most questions are about the range alone, which needs none of the boards to come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.lookahead.resolver import Knowledge
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.subgames.plan_store import ArrayPlans, Part
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex


class DealtNumbers:
    """Numbers of a player's sequences on a board: the deal at once, all others when first asked for (see `Numbers`).

    Args:
        dealt: (n,) those of the first sequences.
        read: all of them.
    """

    def __init__(self, dealt: F64, read: Callable[[], Any]) -> None:
        self._dealt, self._read = dealt, read

    @cached_property
    def _whole(self) -> Any:
        return self._read()

    def __len__(self) -> int:
        return len(self._whole)

    def __getitem__(self, sequences: Any) -> Any:
        if isinstance(sequences, np.ndarray) and int(sequences.max(initial=0)) < len(self._dealt):
            return self._dealt[sequences]
        return self._whole[sequences]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._whole, dtype) if copy or dtype not in (None, np.float64) else self._whole


@dataclass(frozen=True, eq=False)
class BoardStrategy:
    """A player's strategy on a board and those after it, read off one of the whole game, with its range (hands,)."""

    piece: BoardSubtree
    play: BlueprintStrategy
    player: int
    came: F64

    @property
    def tree(self) -> Treeplex:
        return self.piece.whole.runs[self.player].tree

    @cached_property
    def plan(self) -> Any:
        runs = self.piece.whole.runs[self.player]
        dealt, start = np.zeros(runs.first_after_deal), int(runs.start[DEAL])
        dealt[0] = 1.0
        dealt[start : start + len(self.came)] = self.came
        return DealtNumbers(dealt, lambda: reach(self.tree, self.behaviour))

    @cached_property
    def behaviour(self) -> F64:
        """(size,) the behaviour, with the range in place of the deal."""
        return self.piece.behaviour(self.play, self.player, self.came)


def known_at_board(
    piece: BoardSubtree,
    blueprint: BlueprintStrategy,
    model: BlueprintStrategy | None,
    search: Search,
    *,
    profile: bool = False,
    error: float = 0.0,
    draw: np.random.Generator | None = None,
) -> Knowledge:
    """The inputs of re-solving a board from strategies of both players in the whole game, and a model of the opponent."""
    me, subgame = piece.resolver, piece.whole.subgame
    own, other = (piece.came(blueprint, player) for player in (me, 1 - me))
    if not own.any():  # the line is one that our own play never takes: any hand may be here
        own = np.ones(piece.size)
    mine, known = BoardStrategy(piece, blueprint, me, own), None
    if model is not None:
        follows = piece.came(model, 1 - me)
        if search.p == 1.0:
            if not follows.any():  # a model that never comes says nothing of who did
                follows = other if other.any() else np.ones(piece.size)
            other = follows
        elif search.p > 0.0:
            follows = follows / _mass(search, other, follows, piece.weight(mine.plan))
        known = ArrayPlans(subgame, _pair(me, None, BoardStrategy(piece, model, 1 - me, follows)))
    plans = ArrayPlans(subgame, _pair(me, mine, BoardStrategy(piece, blueprint, 1 - me, other)))
    return Knowledge(plans, known, profile, error, draw)


def _pair(me: int, mine: Part, theirs: Part) -> tuple[Part, Part]:
    return (mine, theirs) if me == 0 else (theirs, mine)


def _mass(search: Search, came: F64, follows: F64, met: F64) -> float:
    """The divisor of the model's range that gives it the weight of the opponent who is not the model: if each hand
    decides whether to enter, each may with probability 1; if one is chosen, all of them together; a given range has the
    weight of the blueprint's."""
    if not search.gadget.fixes_range and not search.gadget.chooses_one:
        return 1.0
    weights = follows * met if search.tremble.normalised else follows
    total = float((came if search.gadget.fixes_range else weights).sum())
    return total if total > 0.0 else 1.0
