"""Gadgets: the opponent's entry into a re-solved subtree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from counterplay.arrays import F64
from counterplay.subgames.entry import Entry, come_or_not
from counterplay.subgames.plan_store import Root
from counterplay.texts.arguments import Checked


class _CheckedProtocol(Checked, type(Protocol)):  # type: ignore[misc]  # a class only at run time
    """The type of a protocol whose classes check the arguments of their constructors."""


class Gadget(Protocol, metaclass=_CheckedProtocol):
    """The opponent's entry into a re-solved subtree. A user's gadget derives from this class, whose flags are all
    False, and defines `entry`.

    Attributes:
        fixes_range: the opponent enters with a given range and has no decision.
        keeps_path: the opponent keeps the whole path from the root of the game.
        trims_path: of that path only public states are kept; the value function stands where play leaves them.
        contracts_path: its decisions stand for the opponent's whole path, of which it reads the CFVs.
        chooses_one: the opponent chooses one root, so that odds over the roots sum to 1; otherwise each enters or not.
        takes_gifts: it uses the opponent's gifts on the path.
        admits_blueprint: the blueprint itself is an equilibrium of its gadget game.
        never_worse: no equilibrium of its gadget games is more exploitable than the blueprint.
    """

    name: ClassVar[str] = ""
    fixes_range: ClassVar[bool] = False
    keeps_path: ClassVar[bool] = False
    trims_path: ClassVar[bool] = False
    contracts_path: ClassVar[bool] = False
    chooses_one: ClassVar[bool] = False
    takes_gifts: ClassVar[bool] = False
    admits_blueprint: ClassVar[bool] = False
    never_worse: ClassVar[bool] = False

    def entry(self, root: Root) -> Entry:
        """The opponent's entry; the unit of `root` is that of `unit`."""
        ...

    @property
    def counts_on_slack(self) -> bool:
        """Return whether a solution may use up what the opponent loses on the path or elsewhere: then one subgame is solved
        after the other, since each would use up the same."""
        return self.keeps_path or self.contracts_path

    def unit(self, root: Root) -> float:
        """The divisor of payoffs, so that a rarely reached subtree is solved as accurately as any other: by default the
        weight of all roots that may be entered. `root` is in chips of the whole game."""
        return float(np.sum(root.weight))

    def __str__(self) -> str:
        return self.name or type(self).__name__


@dataclass(frozen=True)
class Unsafe(Gadget):
    """Unsafe re-solving: the opponent's range is given, and their alternatives are ignored."""

    name: ClassVar[str] = "unsafe"
    fixes_range: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        return unsafe_entry(root.size, root.range)

    def unit(self, root: Root) -> float:
        """The weight of the range where hands are counted; else the weight of all roots times the whole range."""
        total = float(np.sum(root.weight))
        if not root.subtree.counts_hands:
            return total * float(np.sum(root.range))
        met = float(root.range @ root.weight)
        return met if met > 0.0 else total


def unsafe_entry(size: int, values: F64 | None = None) -> Entry:
    """An entry with a given range over the opponent's augmented infosets at the roots: `values`, (size,), or that of
    the opponent's plan."""
    none = np.zeros(0, np.int32)
    actions, choice = come_or_not(size)
    return Entry(Unsafe.name, actions, choice, none, np.zeros(0), fixed=True, range=values)


@dataclass(frozen=True)
class Resolving(Gadget):
    """The resolving gadget (Burch, Johanson and Bowling 2014): at every root the opponent may take their alternative
    value."""

    name: ClassVar[str] = "resolving"
    admits_blueprint: ClassVar[bool] = True
    never_worse: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        return resolving_entry(root.values, root.scale)


def resolving_entry(values: F64, scale: F64 | None = None) -> Entry:
    """At each augmented infoset: terminate for the alternative value (size,), or follow. `scale`, (size,), is from
    `even`, if the infosets have equal weight."""
    size = len(values)
    terminate = 1 + 2 * np.arange(size, dtype=np.int32)
    constant = values if scale is None else values * scale
    return Entry(
        Resolving.name, np.full(size, 2, np.int32), terminate + 1, terminate, constant, declines=terminate, scale=scale
    )


@dataclass(frozen=True)
class PathGadget(Gadget):
    """The full gadget with the path contracted to where it branches: what leads elsewhere pays what a best response
    wins there.

    Its gadget game is worth, for every strategy of the resolver inside, what the full gadget's is worth, and grows with
    the roots, not with the path. Where the opponent's cards are dealt at the start it is the resolving gadget with
    other constants; where all that is hidden was chosen by the opponent it is one decision, as in max-margin."""

    name: ClassVar[str] = "path"
    contracts_path: ClassVar[bool] = True
    never_worse: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        path = root.subtree.path(root.plans, root.values * root.unit)
        return replace(path, name=self.name, constant=path.constant / root.unit)


@dataclass(frozen=True)
class FullGadget(Gadget):
    """The full gadget (Milec et al. 2024, section 5): the opponent is free from the root of the game, with the
    resolver's strategy folded in."""

    name: ClassVar[str] = "full"
    keeps_path: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        return full_entry(root.size)

    def unit(self, root: Root) -> float:  # noqa: ARG002 - as of every gadget
        return 1.0


def full_entry(size: int) -> Entry:
    """The entry without decisions, by which the opponent with `size` augmented infosets at the roots keeps the whole
    path."""
    none = np.zeros(0, np.int32)
    return Entry(FullGadget.name, none, np.zeros(size, np.int32), none, np.zeros(0), full=True)


@dataclass(frozen=True)
class TrimmedGadget(FullGadget):
    """The trimmed full gadget (Milec et al. 2025, section 5.1) of a game in memory, where the value function stands at
    the first public state off the path and not at the limits of the earlier look-aheads. With the exact value function,
    and where a blueprint is solved again, nothing stands there, and it is the full gadget."""

    name: ClassVar[str] = "trimmed"
    trims_path: ClassVar[bool] = True


@dataclass(frozen=True)
class MaxMargin(Gadget):
    """The max-margin gadget (Moravčík et al. 2016): the opponent chooses a root; its payoff is reduced by the alternative
    value."""

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
    """One decision over the augmented infosets, each reduced by its alternative value (size,), with gifts added for reach
    max-margin. scale: (size,) from `even`, if the infosets have equal weight. weight: (size,) chance's and the resolver's
    reach; an infoset with weight 0 cannot be reached and is not a choice: its margin would always be 0."""
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
    """Max-margin with the opponent's gifts added to the alternative values (Brown and Sandholm 2017)."""

    name: ClassVar[str] = "reach-max-margin"
    takes_gifts: ClassVar[bool] = True
    never_worse: ClassVar[bool] = False

    def entry(self, root: Root) -> Entry:
        return max_margin_entry(root.values + root.gifts, root.scale, root.weight)
