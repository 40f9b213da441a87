"""The exact value: nothing is said of the game below the limit, which is solved together with the look-ahead."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.value_functions.leaf_value import LeafValue


@dataclass(frozen=True)
class ExactLeaf(LeafValue):
    """The game below the limit belongs to the problem of the look-ahead."""

    HEAD = "exact"


EXACT = ExactLeaf()
"""The usual one."""
