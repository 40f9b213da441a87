"""A player's strategy on one board, read off a strategy of the whole game when it is first asked for.

Most questions are about the range alone, which needs none of the boards to come.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.poker.public_tree.hand_treeplex import DEAL
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import Treeplex


class BoardPlan:
    """The realization plan of a behaviour on a board: the deal at once, the rest on demand (see `Numbers`).

    Args:
        source: the strategy.
    """

    def __init__(self, source: BoardStrategy) -> None:
        runs = source.piece.whole.runs[source.player]
        self._source, start = source, int(runs.start[DEAL])
        self._dealt = np.zeros(runs.first_after_deal)
        self._dealt[0] = 1.0
        self._dealt[start : start + len(source.came)] = source.came

    def __len__(self) -> int:
        return self._source.tree.size

    def __getitem__(self, sequences: Any) -> Any:
        if isinstance(sequences, np.ndarray) and sequences.size and int(sequences.max()) < len(self._dealt):
            return self._dealt[sequences]
        return self._whole[sequences]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._whole, dtype) if copy or dtype not in (None, np.float64) else self._whole

    @cached_property
    def _whole(self) -> F64:
        return reach(self._source.tree, self._source.behaviour)


@dataclass(frozen=True, eq=False)
class BoardStrategy:
    """A player's strategy on a board and those after it, with its range.

    Attributes:
        piece: the rest of the hand.
        play: strategy of the whole game.
        player: whose.
        came: (hands,) the range.
    """

    piece: BoardSubtree
    play: BlueprintStrategy
    player: int
    came: F64

    @property
    def tree(self) -> Treeplex:
        """The player's treeplex."""
        return self.piece.whole.runs[self.player].tree

    @cached_property
    def plan(self) -> Any:
        """The realization plan."""
        return BoardPlan(self)

    @cached_property
    def behaviour(self) -> F64:
        """(size,) the behaviour, with the range in place of the deal."""
        out = self.piece.behaviour(self.play, self.player, self.came)
        start = int(self.piece.whole.runs[self.player].start[DEAL])
        out[start : start + len(self.came)] = self.came
        return out
