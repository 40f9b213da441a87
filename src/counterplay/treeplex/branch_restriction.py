"""Restrictions of a large tree: the model and the trust in it are read one branch at a time, and no array of a whole
tree is made. A branch is named by its infosets (lanes) and sequences in the whole treeplex, as in a plan store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.treeplex.memory import zeros, zeros_of
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.treeplex.treeplex import Treeplex


class Numbers(Protocol):
    """Numbers by sequence, read branch by branch: an array, or an object that computes one for given sequences."""

    def __getitem__(self, sequences: Any, /) -> Any:
        """(n,) the numbers of these (n,) sequences."""


@dataclass(frozen=True, eq=False)
class LaneTrust:
    """Trust in a model, from 0 to 1: one number each at the infosets `lanes` (L,), ascending, and `elsewhere` at all
    others."""

    lanes: I64 = field(default_factory=lambda: np.zeros(0, np.int64))
    trust: F64 = field(default_factory=lambda: np.zeros(0))
    elsewhere: float = 0.0

    def __post_init__(self) -> None:
        low, high = self.trust.min(initial=self.elsewhere), self.trust.max(initial=self.elsewhere)
        if not 0.0 <= low <= high <= 1.0:
            raise InputError("trust must be between 0 and 1 at every infoset")

    def put(self, lanes: I64, trust: F64 | float) -> LaneTrust:
        """The same with other numbers at these (n,) infosets; of one that is named twice the last counts."""
        new, last = np.unique(lanes[::-1], return_index=True)
        numbers = np.broadcast_to(trust, lanes.shape)[::-1][last]
        at = np.searchsorted(self.lanes, new)  # those so far are many: they are not sorted again
        known = np.isin(new, self.lanes[at[at < len(self.lanes)]], assume_unique=True)
        changed = self.trust.copy()
        changed[at[known]] = numbers[known]
        fresh = ~known
        return LaneTrust(
            np.insert(self.lanes, at[fresh], new[fresh]), np.insert(changed, at[fresh], numbers[fresh]), self.elsewhere
        )

    @staticmethod
    def joined(parts: Sequence[LaneTrust]) -> LaneTrust:
        """The trust of several, each at infosets of its own and without any elsewhere: all of one before all of
        another."""
        ordered = sorted((part for part in parts if len(part.lanes)), key=lambda part: int(part.lanes[0]))
        lanes = zeros_of((sum(len(part.lanes) for part in ordered),), np.dtype(np.int64))
        trust, end = zeros(len(lanes)), 0
        for part in ordered:
            begin, end = end, end + len(part.lanes)
            lanes[begin:end], trust[begin:end] = part.lanes, part.trust
        return LaneTrust(lanes, trust)

    def __getitem__(self, lanes: Any) -> F64:
        """The trust at these infosets, of their shape."""
        asked = np.asarray(lanes)
        out = np.full(asked.shape, self.elsewhere)
        if len(self.lanes):
            at = np.minimum(np.searchsorted(self.lanes, asked), len(self.lanes) - 1)
            own = self.lanes[at] == asked
            out[own] = self.trust[at[own]]
        return out

    def span(self, first: int, end: int) -> F64 | None:
        """(end - first,) the trust of a row of infosets, None if it is 0 at all of them: the hands of one board, say."""
        low, high = np.searchsorted(self.lanes, (first, end)).tolist()
        if self.elsewhere == 0.0 and not self.trust[low:high].any():
            return None
        out = np.full(end - first, self.elsewhere)
        out[self.lanes[low:high] - first] = self.trust[low:high]
        return out

    def free(self, infosets: int) -> int:
        """How many of so many infosets are not trusted fully."""
        rest = infosets - len(self.lanes) if self.elsewhere < 1.0 else 0
        return rest + int((self.trust < 1.0).sum())


@dataclass(frozen=True, eq=False)
class BranchRestriction:
    """A player's restriction, in one of two scopes (see `restriction.Restriction`). model: the model's behaviour by
    sequence. trust: in local scope, the trust in it by infoset; None in plan scope. p: in plan scope, the weight of the
    model as a whole; 0 in local scope."""

    model: Numbers
    trust: LaneTrust | None = None
    p: float = 0.0

    def __post_init__(self) -> None:
        check_p(self.p)
        if (self.trust is not None) == (self.p > 0.0):
            raise InputError("a restriction takes trust by infoset, or p above 0")

    def whole(self, tree: Treeplex) -> Restriction:
        """The same as arrays of the whole tree, for a problem that is solved in memory."""
        model = np.asarray(self.model[np.arange(tree.size)], np.float64)
        if self.trust is None:
            return Restriction.of_plan(tree, model, self.p)
        return Restriction.local(tree, model, self.trust[np.arange(tree.lanes)])
