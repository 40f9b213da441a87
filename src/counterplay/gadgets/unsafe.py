"""Unsafe re-solving: the opponent's range is given, and their alternatives are ignored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.gadgets.gadget import Gadget
from counterplay.subgames.entry import Entry, come_or_not
from counterplay.subgames.subtree import Root


@dataclass(frozen=True)
class Unsafe(Gadget):
    """The opponent's range is given (unsafe re-solving)."""

    name: ClassVar[str] = "unsafe"
    fixes_range: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        """The opponent enters with the range of their strategy."""
        return unsafe_entry(root.size, root.range)

    def unit(self, root: Root) -> float:
        """The weight of the range where hands are counted; else the weight of all roots times the whole range."""
        total = float(np.sum(root.weight))
        if not root.subtree.counts_hands:
            return total * float(np.sum(root.range))
        met = float(root.range @ root.weight)
        return met if met > 0.0 else total

    __str__ = Gadget.__str__


def unsafe_entry(size: int, values: F64 | None = None) -> Entry:
    """An entry with a given range.

    Args:
        size: number of the opponent's augmented infosets at the roots.
        values: (size,) the range, if it is not that of a plan.
    """
    none = np.zeros(0, np.int32)
    actions, choice = come_or_not(size)
    return Entry(Unsafe.name, actions, choice, none, np.zeros(0), fixed=True, range=values)
