"""The table of all histories of a game: the compiler's input from every source of games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.read_only import check_finite, check_integers, lock_fields

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class TooLargeError(InputError):
    """The game has more histories than the limit."""


@dataclass(frozen=True, eq=False)
class Histories:
    """All H histories in preorder (a parent stands before its children; children in the order of the actions), in read-only
    arrays.

    Attributes:
        parent: (H,) index of the parent; -1 at the root.
        action: (H,) the number of the parent's action that leads here, from 0; 0 at the root.
        player: (H,) the player to act: 0, 1, CHANCE or TERMINAL.
        reach: (H,) chance's probability of the path here.
        info: two (H,) arrays, the augmented infoset of each player. Numbers are per player, from 0; some may be unused. At
            terminals the number is -1.
        utility: (H,) chips of player 0 at terminals, else 0.
    """

    parent: Ints
    action: NDArray[np.int16]
    player: NDArray[np.int8]
    reach: Floats
    info: tuple[Ints, Ints]
    utility: Floats

    def __post_init__(self) -> None:
        shape = np.shape(self.parent)[:1]
        check_integers(self.parent, "parent", shape, -1, *shape)
        if not (self.parent < np.arange(*shape)).all():
            raise InputError("the parent of each history must stand before it")
        check_integers(self.action, "action", shape, 0, *shape)
        check_integers(self.player, "player", shape, 0, 1 + max(CHANCE, TERMINAL))
        for one in self.info:
            check_integers(one, "info", shape, -1, 1 << 31)
        check_finite(self.reach, "reach", shape)
        # Utilities that are not finite are refused where the culprit has a name.
        if np.shape(self.utility) != shape or self.utility.dtype.kind != "f":
            raise InputError(f"utility must have the shape {shape} of the histories, and numbers")
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
