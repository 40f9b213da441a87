"""Gadget games: a subtree after an entry, with trembles or models of its opponent, and the map back to the whole game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from counterplay.arrays import F64, AnyArray, Flags
from counterplay.problem.subgame import Subgame
from counterplay.subgames.entry import Entry
from counterplay.treeplex.restriction import Numbers, Restriction


@dataclass(frozen=True, eq=False)
class GadgetGame(ABC):
    """A subtree after an entry.

    Attributes:
        resolver: the player who re-solves it.
        subgame: the problem, with its own treeplexes. The resolver's range is a fixed decision.
        entry: the opponent's entry.
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
