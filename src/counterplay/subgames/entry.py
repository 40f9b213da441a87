"""Entries of subgames as data: a few decisions of the opponent in front, and a row of constants; and gadget games: a subtree
after an entry, with trembles or models of its opponent, and the map back to the whole game.

The opponent's decisions are numbered as raw sequences: 0 is the empty one, followed by those of the first decision.
`choice` is the sequence by which the opponent enters with each augmented infoset at the roots. Constants are chips of
the opponent, in the unit of counterfactual values: times chance's and the resolver's reach, not normalised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Self

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I32, I64, AnyArray, Flags
from counterplay.errors import InputError
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.restriction import Numbers, Restriction
from counterplay.treeplex.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class Entry:
    """The entry of the opponent into a subgame. Arrays "by root" run over the roots, the opponent's augmented infosets
    there.

    Attributes:
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


@dataclass
class _Sum:
    """The worth of a sequence: a constant, and all that leads to roots from there: roots, by number, and decisions."""

    sequence: int
    constant: float
    terms: list[int | _Choice]

    @property
    def first_root(self) -> int:
        return min(term if isinstance(term, int) else term.first_root for term in self.terms)


@dataclass
class _Choice:
    """The worth of an infoset: the best action that leads elsewhere, -inf without any, and those that lead to roots."""

    elsewhere: float
    options: list[_Sum]

    @property
    def first_root(self) -> int:
        return min(option.first_root for option in self.options)


def contract_path(
    tree: Treeplex, cfvs: Numbers, tops: NDArray[np.integer], values: F64, dealt: Mapping[int, float] | None = None
) -> Entry:
    """The entry that is worth to the opponent what their path to a subtree is worth, whatever is played inside: the path
    contracted to the places where it branches.

    While the resolver's strategy outside of the subtree stands, all that does not lead to it is a constant for a best
    responder. On the way, a sequence is worth a constant and the sum of what follows; an infoset is worth the best of its
    actions, those that lead elsewhere being one constant. An action with one infoset behind it merges with that infoset,
    as max(k, a + max(l, b + c)) = max(k, a + l, a + b + c). What is left has at most two decisions for each root, however
    long the path is. A hand that is dealt from a range is no choice: what follows counts with its probability.

    Args:
        tree: the opponent's treeplex in the whole game.
        cfvs: (size,) CFVs of their best response, chips of the opponent, with any strategy of the resolver inside.
        tops: (roots,) the sequence that leads to each root.
        values: (roots,) the part of `cfvs` at each of these sequences that is won behind the root.
        dealt: the probability of each sequence that is a hand dealt at the beginning; none by default. Payoffs behind a
            root then count with that of its hand, the entry's scale.
    """
    lanes, hands = _lanes_above(tree, tops), dealt or {}
    # the probability of the hand at the empty sequence, at all hands and at those of some lanes, children first
    shares = {0: 1.0, **hands}
    for lane in reversed(lanes):
        for sequence in _sequences(tree, lane):
            shares.setdefault(sequence, shares[int(tree.arrays.parent[lane])])
    known, share = np.array(list(shares)), np.array(list(shares.values()))
    numbers = np.where(share > 0.0, cfvs[known], 0.0) * share  # at once: each reading of a store takes long
    cfv = dict(zip(shares, numbers.tolist(), strict=True))
    if dealt is None:
        return _entry(_contracted(tree, lanes, cfv, hands, tops, values), len(tops))
    cfv[0] = sum(cfv[hand] for hand in hands)
    scale = np.array([shares[top] for top in tops.tolist()])
    top = _contracted(tree, lanes, cfv, hands, tops, np.where(scale > 0.0, values, 0.0) * scale)
    return replace(_entry(top, len(tops)), scale=scale, possible=scale > 0.0)


def _contracted(
    tree: Treeplex,
    lanes: list[int],
    cfv: dict[int, float],
    dealt: Mapping[int, float],
    tops: NDArray[np.integer],
    values: F64,
) -> _Sum:
    """The worth of the empty sequence: what is known to lead to roots is taken out of the CFVs, and added as a term.
    lanes: those on the way, children first. cfv, values: as in `contract_path`, times the probability of the hand."""
    sums = dict[int, _Sum]()

    def replace_part(sequence: int, value: float, term: int | _Choice) -> None:
        part = sums.setdefault(sequence, _Sum(sequence, cfv[sequence], []))
        part.constant -= value
        part.terms.append(term)

    replace_part(0, 0.0, _Choice(-inf, []))
    sums[0].terms.clear()
    for root, (top, value) in enumerate(zip(tops.tolist(), values.tolist(), strict=True)):
        replace_part(top, value, root)
    for lane in lanes:
        worth, up = {s: cfv[s] for s in _sequences(tree, lane)}, int(tree.arrays.parent[lane])
        if not dealt.keys().isdisjoint(worth):  # no choice
            for hand in [sums[s] for s in worth if s in sums]:
                sums[0].constant += hand.constant - cfv[hand.sequence]
                sums[0].terms += hand.terms
            continue
        elsewhere = max((worth[s] for s in worth if s not in sums), default=-inf)
        choice = _merged(elsewhere, [sums[s] for s in worth if s in sums])
        replace_part(up, max(worth.values()), choice)
    return sums[0]


def _sequences(tree: Treeplex, lane: int) -> range:
    of = tree.sequences_of(lane)
    return range(of.start, of.stop, of.step)


def _lanes_above(tree: Treeplex, tops: NDArray[np.integer]) -> list[int]:
    """The lanes on the way to some sequences (n,), children first."""
    above, at = set[int](), set(tops.tolist()) - {0}
    while at:
        lanes = {int(tree.owner[sequence]) for sequence in at} - above
        above |= lanes
        at = {int(tree.arrays.parent[lane]) for lane in lanes} - {0}
    return sorted(above, reverse=True)  # groups are stored parents first


def _merged(elsewhere: float, options: list[_Sum]) -> _Choice:
    """A decision, merged with those that alone follow one of its actions."""
    flat: list[_Sum] = []
    for option in options:
        only = option.terms[0] if len(option.terms) == 1 else None
        if isinstance(only, _Choice):
            elsewhere = max(elsewhere, option.constant + only.elsewhere)
            flat += [_Sum(one.sequence, option.constant + one.constant, one.terms) for one in only.options]
        else:
            flat.append(option)
    return _Choice(elsewhere, flat)


def _entry(top: _Sum, roots: int) -> Entry:
    """The entry whose decisions are those of a sum: of each, first the options, then what leads elsewhere."""
    actions, parents, follows = list[int](), list[int](), [0]
    constants, choice = dict[int, float](), np.zeros(roots, np.int32)
    waiting = [(0, top)]  # raw sequences and their worth, parents first
    for raw, here in waiting:
        constants[raw] = here.constant
        for term in sorted(here.terms, key=lambda term: term if isinstance(term, int) else term.first_root):
            if isinstance(term, int):
                choice[term] = raw
                continue
            parents.append(raw)
            actions.append(len(term.options) + isfinite(term.elsewhere))
            for option in term.options:
                waiting.append((len(follows), option))
                follows.append(option.sequence)
            if isfinite(term.elsewhere):
                constants[len(follows)] = term.elsewhere
                follows.append(-1)
    return Entry(
        "", np.array(actions, np.int32), choice, np.array(list(constants), np.int32), np.array(list(constants.values())),
        parents=np.array(parents, np.int32), follows=np.array(follows, np.int64),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class GadgetGame(ABC):
    """A subtree after an entry.

    Attributes:
        subgame: the problem, with its own treeplexes. The resolver's range is a fixed decision.
        choices: per player, the plan index of the sequence by which the player enters with each augmented infoset at
            the roots; for the opponent of a full entry all 0.
        declines: the plan indices of the sequences by which the opponent stays out; empty if they cannot.
        unit: divisor of the payoffs.
    """

    resolver: int
    subgame: Subgame
    entry: Entry
    choices: tuple[AnyArray, AnyArray]
    declines: AnyArray
    unit: float

    @property
    def opponent(self) -> int:
        return 1 - self.resolver

    @property
    @abstractmethod
    def share(self) -> float:
        """What a plan of the resolver is here, per plan of the whole game: payoffs are divided by the rest of the unit."""

    @abstractmethod
    def pairs(self, player: int) -> tuple[AnyArray, AnyArray]:
        """(n,) the indices of a player's sequences of the subtree here, and (n,) in the whole game."""

    @abstractmethod
    def came(self, plan: Numbers) -> F64:
        """(size,) the opponent's range under a plan of the whole game."""

    def taken(self, player: int, behaviour: Numbers) -> F64:
        """(size,) the part of a behaviour of the whole game that lies here; uniform in the entry."""
        out = self.subgame.trees[player].uniform()
        inner, outer = self.pairs(player)
        out[inner] = behaviour[outer]
        return out

    def splice(self, player: int, behaviour: F64, into: F64) -> F64:
        """(size,) the behaviour `into` of the whole game, with the behaviour here spliced in."""
        out = into.copy()
        inner, outer = self.pairs(player)
        out[outer] = behaviour[inner]
        return out

    def bound(self, restriction: Restriction) -> Self:
        """The gadget game with the opponent bound by this restriction only."""
        return replace(self, subgame=self.subgame.restricted(self.opponent, restriction))

    def trembling(self, trembles: Sequence[tuple[float, F64]]) -> Self:
        """The gadget game with a trembling opponent. Each pair of a weight w and the (size,) odds of the roots replaces
        the opponent's free choice in the entry so far by the odds with probability w. Odds sum to 1 if the opponent
        chooses one root, and are each from 0 to 1 if each enters or not."""
        if not self.entry.can_tremble or not any(weight > 0.0 for weight, _ in trembles):
            return self
        tree, so_far = self.subgame.trees[self.opponent], self.subgame.restrictions[self.opponent]
        keep = so_far.keep.copy() if so_far.is_local else np.ones(tree.lanes)
        mix = so_far.mix.copy() if so_far.is_local else np.zeros(tree.size)
        choices = self.choices[self.opponent]
        lanes = np.unique(tree.owner[choices])
        for weight, given_odds in trembles:
            odds, possible = given_odds, self.entry.possible
            if (
                possible is not None
            ):  # odds of impossible roots go to the others in proportion; uniform if nothing is left
                odds = np.where(possible, odds, 0.0)
                total = float(odds.sum())
                odds = odds / total if total > 0.0 else possible / possible.sum()
            moved = weight * keep[tree.owner[choices]]
            np.add.at(mix, choices, moved * odds)
            if self.entry.declines is not None:
                mix[self.declines] += moved * (1.0 - odds)
            keep[lanes] *= 1.0 - weight
        return self.bound(Restriction(keep=keep, mix=mix))

    def trusting(self, p: float, model: Numbers, plan: Numbers, followed: Flags | None = None) -> Self:
        """The gadget game with an opponent who is a model with probability p: they enter with its range, and play as it
        does. The model's behaviour and plan, and the lanes (lanes,) at which it is followed (by default all), are those
        of the whole game."""
        other = self.opponent
        tree, rest = self.subgame.trees[other], self.subgame.restrictions[other]
        behaviour = self.taken(other, model)
        if rest.is_local:  # what is dealt stays dealt
            for sequences in tree.sequences_in(rest.keep == 0.0):
                behaviour[sequences] = rest.mix[sequences]
        behaviour[0] = 1.0
        self.enter_as_model(behaviour, plan)
        self.continue_as_model(behaviour, plan)
        return self.bound(Restriction.until(tree, behaviour, p, self.lanes_followed(followed), rest))

    def enter_as_model(self, behaviour: F64, plan: Numbers) -> None:
        """Write the model's way to the roots into a behaviour (size,) of the opponent; its `plan` is of the whole game."""
        tree, choices = self.subgame.trees[self.opponent], self.choices[self.opponent]
        front = choices > 0
        for sequences in tree.siblings(choices[front]):
            behaviour[sequences] = 0.0
        came = self.came(plan)
        if self.entry.scale is not None:
            came = np.divide(came, self.entry.scale, out=np.zeros(len(came)), where=self.entry.scale > 0.0)
        if self.entry.possible is not None:
            front = front & self.entry.possible
        np.add.at(behaviour, choices[front], came[front])

    def continue_as_model(self, behaviour: F64, plan: Numbers) -> None:  # noqa: B027 - most have no limit
        """Write the model's continuation at the limit, if there is one, into a behaviour (size,) of the opponent."""

    def lanes_followed(self, followed: Flags | None) -> Flags:
        """(lanes,) here, whether the model is followed, from (lanes,) of the whole game."""
        assert followed is None, "followed everywhere"
        return np.ones(self.subgame.trees[self.opponent].lanes, np.bool_)

    def won_from(self, model: Numbers, plan: Numbers) -> F64:
        """(resolver's size,) chips of the resolver for each own sequence, against a model as in `trusting`."""
        other = self.opponent
        bound = self.trusting(1.0, model, plan).subgame.restrictions[other]
        tree = self.subgame.trees[other]
        return self.subgame.leaves.product(self.resolver, bound.played(tree, tree.uniform()))
