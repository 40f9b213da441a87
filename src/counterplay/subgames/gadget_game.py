"""A subtree behind an entry, ready to be solved: how its opponent trembles or follows a model, and the way back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from counterplay.problem.subgame import Subgame
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import Numbers
from counterplay.treeplex.restriction import Restriction

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GadgetGame(ABC):
    """A subtree behind an entry.

    Attributes:
        resolver: who solves it.
        subgame: the problem; treeplexes of its own. The resolver's range is a decision that is made already.
        entry: how the opponent comes in.
        choices: per player, the plan index of the sequence by which the player enters with each augmented infoset of the
            beginning; for the opponent behind a full entry all 0.
        declines: the plan indices of the sequences by which the opponent stays out; none where it cannot.
        unit: what payoffs are divided by.
    """

    resolver: int
    subgame: Subgame
    entry: Entry
    choices: tuple[NDArray[Any], NDArray[Any]]
    declines: NDArray[Any]
    unit: float

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver

    @property
    @abstractmethod
    def share(self) -> float:
        """What a plan of the resolver is here, per plan of the whole game: payoffs are divided by the rest of the unit."""

    @abstractmethod
    def pairs(self, player: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """(n,) where a player's sequences of the subtree stand here, and (n,) in the whole game."""

    @abstractmethod
    def came(self, plan: Numbers) -> Floats:
        """(size,) the opponent's range in the whole game by a plan of it."""

    def taken(self, player: int, behaviour: Numbers) -> Floats:
        """(size,) the behaviour here that a behaviour of the whole game contains; uniform in the entry."""
        out = self.subgame.trees[player].uniform()
        inner, outer = self.pairs(player)
        out[inner] = behaviour[outer]
        return out

    def splice(self, player: int, behaviour: Floats, into: Floats) -> Floats:
        """(size,) the behaviour `into` of the whole game, with what is played here put in."""
        out = into.copy()
        inner, outer = self.pairs(player)
        out[outer] = behaviour[inner]
        return out

    def bound(self, restriction: Restriction) -> Self:
        """The same with the opponent bound by this restriction, and by no other."""
        return replace(self, subgame=self.subgame.restricted(self.opponent, restriction))

    def trembling(self, trembles: Sequence[tuple[float, Floats]]) -> Self:
        """The same with an opponent who does not choose quite freely how to come in: the entry's decisions are restricted.

        Args:
            trembles: pairs of a weight w and the (size,) odds of the roots, 1 in all where the opponent chooses one of
                them, each from 0 to 1 where each comes or not. With each pair, what was left to the opponent to choose is
                chosen with probability 1 - w only, and w is that.
        """
        if not self.entry.can_tremble or not any(weight > 0.0 for weight, _ in trembles):
            return self
        tree, so_far = self.subgame.trees[self.opponent], self.subgame.restrictions[self.opponent]
        keep = so_far.keep.copy() if so_far.is_local else np.ones(tree.lanes)
        mix = so_far.mix.copy() if so_far.is_local else np.zeros(tree.size)
        choices = self.choices[self.opponent]
        lanes = np.unique(tree.owner[choices])
        for weight, given_odds in trembles:
            odds = self._possible(given_odds)
            moved = weight * keep[tree.owner[choices]]
            np.add.at(mix, choices, moved * odds)
            if self.entry.declines is not None:
                mix[self.declines] += moved * (1.0 - odds)
            keep[lanes] *= 1.0 - weight
        return self.bound(Restriction(keep=keep, mix=mix))

    def _possible(self, odds: Floats) -> Floats:
        """The odds of what is no choice go to the others, in proportion; all alike if there is nothing else."""
        possible = self.entry.possible
        if possible is None:
            return odds
        odds = np.where(possible, odds, 0.0)
        total = float(odds.sum())
        return odds / total if total > 0.0 else possible / possible.sum()

    def trusting(self, p: float, model: Numbers, plan: Numbers, followed: NDArray[np.bool_] | None = None) -> Self:
        """The same with an opponent who with probability p is a model: it comes with its range, and plays as it does.

        Args:
            p: weight of the model.
            model: its behaviour in the whole game.
            plan: its plan in the whole game, which gives its range.
            followed: (lanes,) of the whole game: where the model is followed; everywhere by default.
        """
        other = self.opponent
        tree, rest = self.subgame.trees[other], self.subgame.restrictions[other]
        behaviour = self.taken(other, model)
        if rest.is_local:  # what is dealt stays dealt
            dealt = np.append(rest.keep == 0.0, False)[tree.owner] & (tree.owner >= 0)
            behaviour[dealt] = rest.mix[dealt]
        behaviour[0] = 1.0
        choices = self.choices[other]
        front = choices > 0
        for lane in np.unique(tree.owner[choices[front]]).tolist():
            behaviour[tree.sequences_of(lane)] = 0.0
        came = self.came(plan)
        if self.entry.scale is not None:
            came = np.divide(came, self.entry.scale, out=np.zeros(len(came)), where=self.entry.scale > 0.0)
        if self.entry.possible is not None:
            front = front & self.entry.possible
        np.add.at(behaviour, choices[front], came[front])
        self.continue_as_model(behaviour, plan)
        return self.bound(Restriction.until(tree, behaviour, p, self.lanes_followed(followed), rest))

    def continue_as_model(self, behaviour: Floats, plan: Numbers) -> None:  # noqa: B027 - most have no limit
        """Write into a behaviour of the opponent how the model goes on where the look-ahead stops, if it does."""

    def lanes_followed(self, followed: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """(lanes,) here: where the model is followed, by (lanes,) of the whole game."""
        assert followed is None, "followed everywhere"
        return np.ones(self.subgame.trees[self.opponent].lanes, np.bool_)

    def won_from(self, model: Numbers, plan: Numbers) -> Floats:
        """(resolver's size,) chips of the resolver for each own sequence, against a model.

        Args:
            model, plan: of the whole game, as for `trusting`.
        """
        other = self.opponent
        bound = self.trusting(1.0, model, plan).subgame.restrictions[other]
        tree = self.subgame.trees[other]
        return self.subgame.leaves.product(self.resolver, bound.played(tree, tree.uniform()))
