"""Reach max-margin (Brown and Sandholm 2017): the opponent may take back gifts made on the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.gadgets.max_margin import MaxMargin, max_margin_entry
from counterplay.subgames.entry import Entry
from counterplay.subgames.subtree import Root


@dataclass(frozen=True)
class ReachMaxMargin(MaxMargin):
    """Max-margin with the opponent's gifts added to the alternative values."""

    name: ClassVar[str] = "reach-max-margin"
    takes_gifts: ClassVar[bool] = True
    never_worse: ClassVar[bool] = False

    def entry(self, root: Root) -> Entry:
        """One decision over the roots, gifts added to their values."""
        return max_margin_entry(root.values + root.gifts, root.scale, root.weight)
