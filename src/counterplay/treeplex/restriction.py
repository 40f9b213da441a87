"""Restrictions: trust in a model as an affine map of a player's strategy set.

Plan scope: the played plan is `p · model + (1 - p) · y` (the opponent is the model with probability p). It may end at a
horizon: below it both the model and the free player choose, and choose alike, since the best choice there depends on
the other player only. Local scope: the played behaviour at infoset I is `τ(I) · model + (1 - τ(I)) · s(I)`.

Of a large tree the model and the trust in it are read one branch at a time (`BranchRestriction`), and no array of the whole
tree is made. A branch is named by its infosets (lanes) and sequences in the whole treeplex, as in a plan store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I64, Flags
from counterplay.errors import InputError
from counterplay.texts.arguments import shown
from counterplay.treeplex.sweeps import behaviour_of, joint_top_down, reach, zeros, zeros_of
from counterplay.treeplex.treeplex import Treeplex

_NONE = np.zeros(0)


def check_p(p: float) -> None:
    """Raise an InputError for a weight of the model outside [0, 1]."""
    if not isinstance(p, Real) or not 0.0 <= p <= 1.0:
        raise InputError(f"p must be between 0 and 1, not {shown(p)}")


def _check_numbers(what: str, numbers: F64, length: int) -> None:
    if np.shape(numbers) != (length,):
        raise InputError(f"{what} must have the shape {(length,)}, not {np.shape(numbers)}")
    if not np.isfinite(numbers).all():
        raise InputError(f"{what} must be finite numbers")


@dataclass(frozen=True, eq=False)
class Restriction:
    """The restriction of one player's strategy.

    Attributes:
        p: weight of the model's plan, in [0, 1].
        plan: (size,) the model's plan, 0 below its horizon; length 0 if p is 0.
        keep: (lanes,) 1 - τ, the freedom left at each infoset; length 0 without a local restriction.
        mix: (size,) τ · model's behaviour, length 0 likewise.
        copy: if the model is followed down to a horizon only, the local restriction that binds it: fully at the followed
            lanes, not at all below; None if it is followed everywhere.
    """

    p: float = 0.0
    plan: F64 = field(default_factory=lambda: _NONE)
    keep: F64 = field(default_factory=lambda: _NONE)
    mix: F64 = field(default_factory=lambda: _NONE)
    copy: Restriction | None = None

    @staticmethod
    def of_plan(tree: Treeplex, model: F64, p: float) -> Restriction:
        """Plan scope: the player follows the behaviour `model` (size,) with probability p, drawn before the game."""
        check_p(p)
        _check_numbers("the model", model, tree.size)
        return Restriction(p=p, plan=reach(tree, model)) if p > 0.0 else Restriction()

    @staticmethod
    def local(tree: Treeplex, model: F64, trust: F64) -> Restriction:
        """Local scope: at each lane the player follows the behaviour `model` (size,) with probability `trust` (lanes,)."""
        _check_numbers("the model", model, tree.size)
        _check_numbers("trust", trust, tree.lanes)
        if not ((trust >= 0.0) & (trust <= 1.0)).all():
            raise InputError("trust must be between 0 and 1 at every infoset")
        return Restriction(keep=1.0 - trust, mix=_by_sequence(tree, trust) * model)

    @staticmethod
    def until(tree: Treeplex, model: F64, p: float, followed: Flags, free: Restriction | None = None) -> Restriction:
        """Plan scope to a horizon: the player follows the behaviour `model` (size,) with probability p, at the
        `followed` lanes (lanes,) only. The model need not sum to 1 at an infoset that encodes a range; a path that
        leaves these lanes does not return to them. `free` is the local restriction of the player when not following the
        model."""
        check_p(p)
        rest = free or Restriction()
        if p == 0.0:
            return rest
        everywhere = bool(followed.all() or followed[tree.lane_sequences[2] > 0].all())
        if everywhere and p < 1.0:
            return Restriction(p, reach(tree, model), rest.keep, rest.mix)
        copy = Restriction.local(tree, model, followed.astype(np.float64))
        if p == 1.0:
            return copy
        plan = reach(tree, copy.mix)
        plan[0] = 1.0
        return Restriction(p, plan, rest.keep, rest.mix, copy)

    def within(self, tree: Treeplex, given: Restriction) -> Restriction:
        """The composition with a local restriction `given`: this one binds what `given` leaves free."""
        if not given.is_local:
            return self
        copy = self.copy and self.copy.within(tree, given)
        if not self.is_local:
            return replace(self, keep=given.keep, mix=given.mix, copy=copy)
        free = _by_sequence(tree, given.keep)
        return replace(self, keep=given.keep * self.keep, mix=given.mix + free * self.mix, copy=copy)

    @property
    def is_fixed(self) -> bool:
        """Return whether some infosets are fixed and the others free: own decisions that are made already."""
        return self.p == 0.0 and self.is_local and bool(np.isin(self.keep, (0.0, 1.0)).all())

    @property
    def is_local(self) -> bool:
        """Return whether some infoset is restricted."""
        return len(self.keep) > 0

    def behaviour(self, tree: Treeplex, free: F64) -> F64:
        """(size,) the behaviour played locally when `free` is chosen."""
        if not self.is_local:
            return free
        played = _by_sequence(tree, self.keep)
        played *= free
        played += self.mix
        played[0] = 1.0
        return played

    def played(self, tree: Treeplex, free: F64) -> F64:
        """(size,) the plan actually played when the behaviour `free` is chosen."""
        behaviour = self.behaviour(tree, free)
        if self.p == 0.0:
            return reach(tree, behaviour)
        if self.copy is None:
            return self.p * self.plan + (1.0 - self.p) * reach(tree, behaviour)
        shift, lift = self.shifts(tree)
        plan = np.zeros(tree.size)
        joint_top_down(tree.arrays, behaviour, shift, lift, plan)
        plan *= 1.0 - self.p
        plan[0] = 1.0
        return plan

    def shifts(self, tree: Treeplex) -> tuple[F64, F64]:
        """The model's plan in the unit in which the free player has weight 1: (size,) at each sequence, and (lanes,)
        the part to subtract at each lane's parent sequence to get the free player's plan (0 below the horizon)."""
        shift = self.p / (1.0 - self.p) * self.plan
        keep = self.copy.keep if self.copy else np.zeros(tree.lanes)
        return shift, np.where(keep == 0.0, shift[tree.arrays.parent], 0.0)

    def chosen(self, tree: Treeplex, played: F64) -> F64:
        """(size,) the behaviour of the free player, given the plan actually played."""
        rest = played - self.p * self.plan if self.p > 0.0 else played
        return behaviour_of(tree, np.maximum(rest, 0.0))


def fix_decisions(
    tree: Treeplex, places: NDArray[np.integer[Any]], values: F64, given: Restriction | None = None
) -> Restriction:
    """A local restriction by which some decisions are fixed: those of `places` (n,) have the probabilities `values`
    (n,), which need not be normalised (a range), and their other actions are not played. `given` is a local restriction
    of the other decisions, perhaps of this treeplex before decisions were appended."""
    keep, mix = np.ones(tree.lanes), np.zeros(tree.size)
    if given is not None and given.is_local:
        keep[: len(given.keep)], mix[: len(given.mix)] = given.keep, given.mix
    keep[tree.owner[places]] = 0.0
    mix[places] = values
    return Restriction(keep=keep, mix=mix)


def _by_sequence(tree: Treeplex, lanes: F64) -> F64:
    """(size,) the number of each sequence's lane; 0 at the empty sequence and in padding, whose owner is -1."""
    return np.append(lanes, 0.0)[tree.owner]


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
