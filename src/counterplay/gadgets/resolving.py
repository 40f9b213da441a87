"""The resolving gadget (Burch, Johanson and Bowling 2014): terminate for the alternative value, or follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.gadgets.gadget import Gadget
from counterplay.subgames.entry import Entry
from counterplay.subgames.subtree import Root


@dataclass(frozen=True)
class Resolving(Gadget):
    """At every root the opponent may take their alternative value."""

    name: ClassVar[str] = "resolving"
    admits_blueprint: ClassVar[bool] = True
    never_worse: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        """Terminate or follow, at each root."""
        return resolving_entry(root.values, root.scale)


def resolving_entry(values: F64, scale: F64 | None = None) -> Entry:
    """At each augmented infoset: terminate for the alternative value, or follow.

    Args:
        values: (size,) alternative values.
        scale: (size,) from `even`, if the infosets have equal weight.
    """
    size = len(values)
    terminate = 1 + 2 * np.arange(size, dtype=np.int32)
    constant = values if scale is None else values * scale
    return Entry(
        Resolving.name, np.full(size, 2, np.int32), terminate + 1, terminate, constant, declines=terminate, scale=scale
    )
