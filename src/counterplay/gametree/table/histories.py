"""The table of all histories of a game: the compiler's input from every source of games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I8, I32
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.read_only import lock_fields


class TooLargeError(InputError):
    """The game has more histories than the limit."""


@dataclass(frozen=True, eq=False)
class Histories:
    """All H histories in preorder (a parent stands before its children; children in the order of the actions), in
    read-only arrays.

    Attributes:
        parent: (H,) index of the parent; -1 at the root.
        action: (H,) the number of the parent's action that leads here, from 0; 0 at the root.
        player: (H,) the player to act: 0, 1, CHANCE or TERMINAL.
        reach: (H,) chance's probability of the path here.
        info: two (H,) arrays, the augmented infoset of each player. Numbers are per player, from 0; some may be unused.
            At terminals the number is -1.
        utility: (H,) chips of player 0 at terminals, else 0.
    """

    parent: I32
    action: NDArray[np.int16]
    player: I8
    reach: F64
    info: tuple[I32, I32]
    utility: F64

    def __post_init__(self) -> None:
        # Numbers are refused where the culprit has a name: when a game is enumerated and compiled.
        names = ("action", "player", "reach", "utility")
        for name, array in [*((name, getattr(self, name)) for name in names), *(("info", one) for one in self.info)]:
            if np.shape(array) != np.shape(self.parent):
                raise InputError(f"{name} must have the shape {np.shape(self.parent)}, not {np.shape(array)}")
        lock_fields(self, "parent", "info", "action", "player", "reach", "utility")

    def __repr__(self) -> str:
        return brief(self, f"{len(self):,}")

    def __len__(self) -> int:
        return len(self.parent)

    def path(self, history: int) -> list[int]:
        """The action numbers from the root to `history`."""
        steps: list[int] = []
        while (parent := int(self.parent[history])) >= 0:
            steps.append(int(self.action[history]))
            history = parent
        return steps[::-1]
