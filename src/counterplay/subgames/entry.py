"""Entries of subgames: a few decisions of the opponent in front, and a row of constants. Data, not code.

The opponent's decisions are numbered as raw sequences: 0 is the empty one, those of the first decision follow. `choice` says
by which sequence the opponent enters with each augmented infoset at the roots. Constants are chips of the opponent, in the
unit of counterfactual values: times chance's and the resolver's reach, not normalised.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Entry:
    """How the opponent comes into a subgame.

    Attributes:
        name: the gadget's, as on the command line.
        actions: number of actions of each decision of the entry.
        choice: (roots' augmented infosets,) the raw sequence behind which each one's part of the subgame stands.
        at: raw sequences that pay a constant.
        constant: those constants, chips of the opponent.
        declines: (roots' augmented infosets,) the raw sequence by which each one stays out, where each decides for itself;
            None where the opponent chooses one of them, or none.
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
    declines: Ints | None = None
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
    margins (Moravčík et al. 2016; Liu et al. 2022).

    Args:
        weight: (size,) chance's and the resolver's reach of each; where it is 0 nothing is ever paid, and the scale is 0.
    """
    return np.divide(1.0, weight, out=np.zeros(len(weight)), where=weight > 0.0)


def come_or_not(size: int) -> tuple[Ints, Ints]:
    """The decisions that stand for a range, one for each augmented infoset: to come in, or to go nowhere. Their numbers of
    actions, and the raw sequences that come in. One decision of many actions would do, but fill no vector register."""
    return np.full(size, 2, np.int32), 1 + 2 * np.arange(size, dtype=np.int32)


def open_entry(size: int) -> Entry:
    """The opponent may come with any augmented infoset, or not, and nothing is paid for either.

    Args:
        size: how many there are.
    """
    none = np.zeros(0, np.int32)
    return Entry("", *come_or_not(size), none, np.zeros(0))
