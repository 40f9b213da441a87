"""The full gadget (Milec et al. 2024, section 5): the opponent keeps the whole path from the root of the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from counterplay.gadgets.gadget import Gadget
from counterplay.subgames.entry import Entry
from counterplay.subgames.subtree import Root


@dataclass(frozen=True)
class FullGadget(Gadget):
    """The opponent is free from the root of the game, with the resolver's strategy folded in."""

    name: ClassVar[str] = "full"
    keeps_path: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        """An entry without decisions: the opponent's are those of the game."""
        return full_entry(root.size)

    def unit(self, root: Root) -> float:  # noqa: ARG002 - as of every gadget
        """The unit of the whole game."""
        return 1.0


def full_entry(size: int) -> Entry:
    """The entry by which the opponent keeps the whole path.

    Args:
        size: number of the opponent's augmented infosets at the roots.
    """
    none = np.zeros(0, np.int32)
    return Entry(FullGadget.name, none, np.zeros(size, np.int32), none, np.zeros(0), full=True)
