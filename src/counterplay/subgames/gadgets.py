"""Entries of subgames: a few decisions of the opponent in front, and a row of constants. Data, not code.

The opponent's decisions are numbered as raw sequences: 0 is the empty one, those of the first decision follow. `choice` says
by which sequence the opponent enters with each augmented infoset at the roots. Constants are chips of the opponent, in the
unit of counterfactual values: times chance's and the resolver's reach, not normalised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

UNSAFE, RESOLVING, MAX_MARGIN, REACH_MAX_MARGIN, FULL = GADGETS = (
    "unsafe",
    "resolving",
    "max-margin",
    "reach-max-margin",
    "full",
)
"""The entries by name."""


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
    """

    name: str
    actions: Ints
    choice: Ints
    at: Ints
    constant: Floats
    fixed: bool = False
    range: Floats | None = None
    full: bool = False


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


def resolving(values: Floats) -> Entry:
    """At each augmented infoset: terminate for the alternative value, or follow (Burch, Johanson and Bowling 2014)."""
    size = len(values)
    terminate = 1 + 2 * np.arange(size, dtype=np.int32)
    return Entry(RESOLVING, np.full(size, 2, np.int32), terminate + 1, terminate, values)


def max_margin(values: Floats) -> Entry:
    """One decision over the augmented infosets, each worth less by its alternative value (Moravčík et al. 2016).

    Reach max-margin (Brown and Sandholm 2017) is the same with the opponent's gifts added to the values.
    """
    if len(values) == 1:  # no choice: a decision that is made already
        return replace(unsafe(1, np.ones(1)), name=MAX_MARGIN, at=np.ones(1, np.int32), constant=-values)
    choice = 1 + np.arange(len(values), dtype=np.int32)
    return Entry(MAX_MARGIN, np.array([len(values)], np.int32), choice, choice, -values)


def full(size: int) -> Entry:
    """The opponent keeps its whole path from the root, with the resolver's strategy folded in (CDRNR paper, section 5)."""
    none = np.zeros(0, np.int32)
    return Entry(FULL, none, np.zeros(size, np.int32), none, np.zeros(0), full=True)
