"""Entries of subgames: a few decisions of the opponent in front, and a row of constants. Data, not code.

The opponent's decisions are numbered as raw sequences: 0 is the empty one, those of the first decision follow. `choice` says
by which sequence the opponent enters with each augmented infoset at the roots. Constants are chips of the opponent, in the
unit of counterfactual values: times chance's and the resolver's reach, not normalised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterplay.catalogue import GADGETS as ABOUT

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

UNSAFE, RESOLVING, MAX_MARGIN, REACH_MAX_MARGIN, FULL = GADGETS = tuple(ABOUT)
"""The entries by name, as in the catalogue."""


@dataclass(frozen=True, eq=False)
class Entry:
    """How the opponent comes into a subgame.

    Attributes:
        name: as on the command line.
        actions: number of actions of each decision of the entry.
        choice: (roots' augmented infosets,) the raw sequence behind which each one's part of the subgame stands.
        at: raw sequences that pay a constant.
        constant: those constants, chips of the opponent.
        fixed: the opponent's range is given, not a choice.
        range: (roots' augmented infosets,) that range; None if it is that of the opponent's plan.
        full: the opponent keeps its whole path from the root of the game, and may leave it anywhere.
        scale: (roots' augmented infosets,) by what the payoffs behind each are multiplied; None for 1.
        possible: (roots' augmented infosets,) where anybody can be; the others hang behind another one's sequence, and pay
            nothing. None for all.
    """

    name: str
    actions: Ints
    choice: Ints
    at: Ints
    constant: Floats
    fixed: bool = False
    range: Floats | None = None
    full: bool = False
    scale: Floats | None = None
    possible: NDArray[np.bool_] | None = None

    @property
    def can_tremble(self) -> bool:
        """Whether the opponent decides anything here."""
        return not self.fixed and not self.full


def even(weight: Floats) -> Floats:
    """The scale with which every augmented infoset counts alike, however likely chance and the resolver make it: normalised
    margins (Moravčík et al. 2016), the SES paper's values.

    Args:
        weight: (size,) chance's and the resolver's reach of each; where it is 0 nothing is ever paid, and the scale is 0.
    """
    return np.divide(1.0, weight, out=np.zeros(len(weight)), where=weight > 0.0)


def unsafe(size: int, values: Floats | None = None) -> Entry:
    """Ranges as they are: nothing binds the resolver to what the opponent could have done instead.

    Args:
        size: how many augmented infosets the opponent has at the roots.
        values: (size,) the range, if it is not that of a plan.
    """
    none = np.zeros(0, np.int32)
    actions, choice = come_or_not(size)
    return Entry(UNSAFE, actions, choice, none, np.zeros(0), fixed=True, range=values)


def come_or_not(size: int) -> tuple[Ints, Ints]:
    """The decisions that stand for a range, one for each augmented infoset: to come in, or to go nowhere. Their numbers of
    actions, and the raw sequences that come in. One decision of many actions would do, but fill no vector register."""
    return np.full(size, 2, np.int32), 1 + 2 * np.arange(size, dtype=np.int32)


def resolving(values: Floats, scale: Floats | None = None) -> Entry:
    """At each augmented infoset: terminate for the alternative value, or follow (Burch, Johanson and Bowling 2014).

    Args:
        values: (size,) alternative values.
        scale: (size,) from `even`, if the infosets are to count alike.
    """
    size = len(values)
    terminate = 1 + 2 * np.arange(size, dtype=np.int32)
    constant = values if scale is None else values * scale
    return Entry(RESOLVING, np.full(size, 2, np.int32), terminate + 1, terminate, constant, scale=scale)


def max_margin(values: Floats, scale: Floats | None = None, weight: Floats | None = None) -> Entry:
    """One decision over the augmented infosets, each worth less by its alternative value (Moravčík et al. 2016).

    Reach max-margin (Brown and Sandholm 2017) is the same with the opponent's gifts added to the values. Arguments as in
    `resolving`.

    Args:
        values: (size,) alternative values.
        scale: (size,) from `even`, if the infosets are to count alike.
        weight: (size,) chance's and the resolver's reach of each. Where it is 0 nobody can be, and an infoset is no choice:
            its margin would be 0 whatever is done. By default all are choices.
    """
    possible = np.ones(len(values), np.bool_) if weight is None else weight > 0.0
    constant = -values if scale is None else -values * scale
    if possible.sum() <= 1:  # no choice: a decision that is made already
        come = unsafe(len(values), possible.astype(np.float64))
        return replace(come, name=MAX_MARGIN, at=come.choice, constant=constant, scale=scale)
    choice = np.maximum(np.cumsum(possible), 1).astype(np.int32)
    actions = np.array([possible.sum()], np.int32)
    chosen, paid = choice[possible], constant[possible]
    return Entry(MAX_MARGIN, actions, choice, chosen, paid, scale=scale, possible=possible)


def full(size: int) -> Entry:
    """The opponent keeps its whole path from the root, with the resolver's strategy folded in (CDRNR paper, section 5)."""
    none = np.zeros(0, np.int32)
    return Entry(FULL, none, np.zeros(size, np.int32), none, np.zeros(0), full=True)
