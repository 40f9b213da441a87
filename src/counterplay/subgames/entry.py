"""Entries of subgames as data: a few decisions of the opponent in front, and a row of constants.

The opponent's decisions are numbered as raw sequences: 0 is the empty one, followed by those of the first decision.
`choice` is the sequence by which the opponent enters with each augmented infoset at the roots. Constants are chips of
the opponent, in the unit of counterfactual values: times chance's and the resolver's reach, not normalised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, I32, I64, Flags
from counterplay.errors import InputError


@dataclass(frozen=True, eq=False)
class Entry:
    """The entry of the opponent into a subgame. Arrays "by root" run over the roots, the opponent's augmented infosets
    there.

    Attributes:
        name: name of the gadget, as on the command line.
        actions: number of actions of each decision of the entry.
        choice: by root, the raw sequence that leads to the subgame.
        at, constant: raw sequences that pay a constant, and these constants, chips of the opponent.
        declines: by root, the raw sequence by which it stays out, if each decides for itself; None if the opponent
            chooses one of them, or nothing.
        fixed: the opponent's range is given, not a choice.
        range: by root, that range; None if it is that of the opponent's plan.
        full: the opponent keeps the whole path from the root of the game, and may leave it anywhere.
        scale: by root, the factor of the payoffs after it; None for 1.
        possible: by root, whether it can be reached; the others follow another one's sequence and pay 0. None for all.
        parents: the raw sequence before each decision of the entry, parents first; None where all are at the beginning.
        follows: (raw sequences,) the sequence of the whole game that each stands for, -1 for none; None where a root's
            choice is its range.
    """

    name: str
    actions: I32
    choice: I32
    at: I32
    constant: F64
    declines: I32 | None = None
    fixed: bool = False
    range: F64 | None = None
    full: bool = False
    scale: F64 | None = None
    possible: Flags | None = None
    parents: I32 | None = None
    follows: I64 | None = None

    def __post_init__(self) -> None:
        """Check what a gadget returns: lengths that fit each other, and finite constants."""
        by_root = {"declines": self.declines, "range": self.range, "scale": self.scale, "possible": self.possible}
        for name, array, length in (
            ("constant", self.constant, len(self.at)),
            ("parents", self.parents, len(self.actions)),
            *((name, array, len(self.choice)) for name, array in by_root.items()),
        ):
            if array is not None and len(array) != length:
                raise InputError(f"the entry of gadget {self.name} needs {length} numbers in {name}, not {len(array)}")
        if not np.isfinite(self.constant).all():
            raise InputError(f"the constants of gadget {self.name} must be finite numbers")

    @property
    def can_tremble(self) -> bool:
        return not self.fixed and not self.full


def even(weight: F64) -> F64:
    """(size,) the scale that gives every augmented infoset the same weight, whatever its reach (size,) by chance and
    the resolver: normalised margins (Moravčík et al. 2016; Liu et al. 2022). Where the reach is 0 nothing is ever paid,
    and the scale is 0."""
    return np.divide(1.0, weight, out=np.zeros(len(weight)), where=weight > 0.0)


def come_or_not(size: int) -> tuple[I32, I32]:
    """The decisions that encode a range, one for each augmented infoset: enter or stay out. Returns their numbers of
    actions (size,), and the raw sequences (size,) that enter. One decision of many actions would fill no vector
    register."""
    return np.full(size, 2, np.int32), 1 + 2 * np.arange(size, dtype=np.int32)


def open_entry(size: int) -> Entry:
    """The entry by which the opponent may enter with any of `size` augmented infosets or stay out, without payment."""
    none = np.zeros(0, np.int32)
    return Entry("", *come_or_not(size), none, np.zeros(0))
