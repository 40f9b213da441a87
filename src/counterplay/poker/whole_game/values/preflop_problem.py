"""The street before the flop as a problem of its own, with matrix-valued states at its end (Milec et al. 2025).

At each entry every class of hand chooses one of its player's ways to go on; what two choices are worth is a matrix
(`continuation_values`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.leaves.matrix import Matrix
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.problem.subgame import Subgame
from counterplay.subgames.cut_game import ContinuationChoices
from counterplay.treeplex.build import append_group, empty
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class Places:
    """Positions of one player's choices in a plan: (sequences, classes) sequences before the flop, and the ways to go
    on, and the model's, of each class at each entry, in that order."""

    tree: Treeplex
    before: I64
    choices: ContinuationChoices


@dataclass(frozen=True, eq=False)
class PreflopProblem:
    """The street before the flop of a game as a problem, in which no player follows the model."""

    game: HoldemGame
    places: tuple[Places, Places]
    subgame: Subgame

    def following(self, player: int, play: BlueprintStrategy, p: float) -> Subgame:
        """The problem with a player who is a model with probability p, and free otherwise."""
        tree, given = self.places[player].tree, self.subgame.restrictions[player]
        everywhere = np.ones(tree.lanes, np.bool_)
        bound = Restriction.until(tree, self.model(player, play), p, everywhere, given)
        return self.subgame.restricted(player, bound)

    def model(self, player: int, play: BlueprintStrategy) -> F64:
        """(size,) what a model does in the problem, its own way to go on included."""
        places = self.places[player]
        out = np.zeros(places.tree.size)
        for at, row in reversed(list(zip(places.before, play.preflop[player], strict=True))):
            out[at] = row  # where there is one action it stands where the one before does, which is written later
        out[0] = 1.0
        places.choices.follow_model(out, entry_reach(self.game, player, play).ravel())
        return out

    def preflop(self, player: int, behaviour: F64) -> F64:
        """(sequences, classes) a behaviour of the problem before the flop."""
        out: F64 = behaviour[self.places[player].before]
        for _, _, first, count in self.game.sides[player].preflop:
            if count == 1:
                out[first] = 1.0
        return out

    def shares(self, player: int, behaviour: F64) -> F64:
        """(entries, K, classes) with which probability each way to go on is taken."""
        own = _by_entry(self.places[player], self.places[player].choices.own)
        if own.shape[2] == 1:
            return np.ones((own.shape[0], 1, own.shape[1]))
        return np.ascontiguousarray(behaviour[own].transpose(0, 2, 1))


def preflop_problem(game: HoldemGame, worth: F64, modelled: int | None = None) -> PreflopProblem:
    """The problem before the flop, by (K0, K1, entries, classes, classes) from `continuation_values`. modelled: the
    player whose last way to go on is the model's alone; a single other one is there twice."""
    ways = [worth.shape[player] - (modelled == player) for player in (0, 1)]
    if modelled is not None and ways[modelled] == 1:  # the model does not take it, so that it must be a decision
        worth, ways[modelled] = np.repeat(worth, [2, 1], axis=modelled), 2
    places = tuple(_places(game, player, ways[player], modelled == player) for player in (0, 1))
    both = places[0], places[1]
    rows, columns, values = zip(*_terminals(game, both, worth), strict=True)
    size = both[0].tree.size, both[1].tree.size
    row, column = (np.concatenate(part).astype(np.int32) for part in (rows, columns))
    groups = both[0].tree.arrays.groups, both[1].tree.arrays.groups
    payoff = Matrix.from_entries(row, column, np.concatenate(values) / game.deals, size, groups)
    first, second = (one.choices.closed(one.tree, Restriction()) for one in both)
    return PreflopProblem(game, both, Subgame((both[0].tree, both[1].tree), payoff, (first, second)))


def _places(game: HoldemGame, player: int, ways: int, modelled: bool) -> Places:
    """A player's decisions, those of all classes at once."""
    side, classes = game.sides[player], game.boards.classes
    tree, at = empty(player), np.zeros((side.sizes[0], classes), np.int64)
    for _, above, first, count in side.preflop.tolist():
        tree, made = append_group(tree, at[above], count)
        at[first : first + count] = made.T
    tree, choices = ContinuationChoices.after(tree, at[side.entry].ravel(), ways, modelled=modelled)
    return Places(tree, at, choices)


def _terminals(game: HoldemGame, places: tuple[Places, Places], worth: F64) -> Iterator[tuple[I64, I64, F64]]:
    """Rows, columns and payoffs of each fold, and of each pair of ways to go on, by classes."""
    one, two = places

    def block(rows: I64, columns: I64, values: F64) -> tuple[I64, I64, F64]:
        return np.repeat(rows, len(columns)), np.tile(columns, len(rows)), values.ravel()

    meets = game.boards.meets * game.deals_after(0)
    for first, second, paid, _ in game.folded:
        yield block(one.before[int(first)], two.before[int(second)], paid * meets)
    for i, j in np.ndindex(worth.shape[:2]):
        for e in range(worth.shape[2]):
            yield block(_way(one, e, i), _way(two, e, j), worth[i, j, e])


def _way(places: Places, entry: int, number: int) -> I64:
    """(classes,) where a way to go on stands; after the own ones comes the model's."""
    own = _by_entry(places, places.choices.own)
    if number < own.shape[2]:
        return own[entry, :, number]
    return _by_entry(places, places.choices.apart)[entry, :, 0]


def _by_entry(places: Places, sequences: I64) -> I64:
    classes = places.before.shape[1]
    return sequences.reshape(-1, classes, sequences.shape[1])
