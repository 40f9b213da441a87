"""Max-margin gadgets (Moravčík et al. 2016; Brown and Sandholm 2017): one decision over the roots, each reduced by its
alternative value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from counterplay.arrays import F64
from counterplay.gadgets.gadget import Gadget, unsafe_entry
from counterplay.subgames.entry import Entry
from counterplay.subgames.subtree import Root


@dataclass(frozen=True)
class MaxMargin(Gadget):
    """The opponent chooses a root; its payoff is reduced by the alternative value."""

    name: ClassVar[str] = "max-margin"
    chooses_one: ClassVar[bool] = True
    never_worse: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        return max_margin_entry(root.values, root.scale, root.weight)

    def unit(self, root: Root) -> float:
        """The mean weight of a root where hands are counted, since only one is entered."""
        count = int(np.count_nonzero(root.weight)) if root.subtree.counts_hands else 1
        return float(np.sum(root.weight)) / max(1, count)


def max_margin_entry(values: F64, scale: F64 | None = None, weight: F64 | None = None) -> Entry:
    """One decision over the augmented infosets, each reduced by its alternative value.

    Args:
        values: (size,) alternative values, with gifts added for reach max-margin.
        scale: (size,) from `even`, if the infosets have equal weight.
        weight: (size,) chance's and the resolver's reach of each. One with weight 0 cannot be reached and is not a
            choice: its margin would always be 0. By default all are choices.
    """
    possible = np.ones(len(values), np.bool_) if weight is None else weight > 0.0
    constant = -values if scale is None else -values * scale
    if possible.sum() <= 1:  # no choice: a decision that is made already
        come = unsafe_entry(len(values), possible.astype(np.float64))
        return replace(come, name=MaxMargin.name, at=come.choice, constant=constant, scale=scale)
    choice = np.maximum(np.cumsum(possible), 1).astype(np.int32)
    actions = np.array([possible.sum()], np.int32)
    chosen, paid = choice[possible], constant[possible]
    return Entry(MaxMargin.name, actions, choice, chosen, paid, scale=scale, possible=possible)


@dataclass(frozen=True)
class ReachMaxMargin(MaxMargin):
    """Max-margin with the opponent's gifts added to the alternative values."""

    name: ClassVar[str] = "reach-max-margin"
    takes_gifts: ClassVar[bool] = True
    never_worse: ClassVar[bool] = False

    def entry(self, root: Root) -> Entry:
        return max_margin_entry(root.values + root.gifts, root.scale, root.weight)
