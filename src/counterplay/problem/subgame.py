"""The problem that all solvers take: trees, leaves, entry, restriction; and two opponents in one problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.leaves.opponent_copies import OpponentCopies
from counterplay.leaves.protocol import Leaves
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.treeplex.treeplex import LANE, OFFSET, PAD, Labels, TreeArrays, Treeplex

Beyond = Callable[[F64, F64], tuple[F64, F64]]
"""Leaves beyond the limit of a look-ahead: the plans of players 0 and 1 in, CFVs (size,) of both out, each in the
player's own chips. It is not linear in the plans, so that it serves the iterative methods only."""
_FREE = Restriction()


@dataclass(frozen=True, eq=False)
class Subgame:
    """A saddle-point problem over two treeplexes.

    Attributes:
        leaves: the payoff of player 0, which turns plans into CFVs.
        chance: whether chance acts in it; a hint for the choice of a method.
        beyond: leaves added to `leaves` at the limit of a look-ahead; None if it sees everything.
    """

    trees: tuple[Treeplex, Treeplex]
    leaves: Leaves
    restrictions: tuple[Restriction, Restriction] = (_FREE, _FREE)
    chance: bool = True
    beyond: Beyond | None = None

    def restricted(self, player: int, restriction: Restriction) -> Subgame:
        """The problem with `player` bound by `restriction`."""
        first, second = self.restrictions
        return replace(self, restrictions=(restriction, second) if player == 0 else (first, restriction))

    def bound(self, player: int, restriction: Restriction) -> Subgame:
        """The problem with `player` also bound by `restriction`, on top of the player's present restriction: a dealt
        range stays dealt. A model's plan must come from a behaviour that respects it; a player who is bound by a model
        already is an InputError."""
        given = self.restrictions[player]
        if given.p > 0.0 or given.copy:
            raise InputError("a player can be bound by at most one model")
        return self.restricted(player, restriction.within(self.trees[player], given))


def two_opponents(subgame: Subgame, player: int, restriction: Restriction, p: float) -> Subgame:
    """The problem in which `player` is also bound, with probability p drawn before the game, by a local `restriction`
    on top of the player's present one.

    `Restriction.of_plan` is the case of an opponent who is bound everywhere; here the second opponent may choose freely
    where they are not bound, and differently from the first. An InputError if the player already follows a model, or the
    problem has a limit with a value function."""
    check_p(p)
    tree, so_far = subgame.trees[player], subgame.restrictions[player]
    bound = subgame.bound(player, restriction).restrictions[player]
    if subgame.beyond or any(one.p > 0.0 or one.copy for one in (bound, so_far)):
        raise InputError("two opponents need local restrictions and a problem without a look-ahead limit")
    both = Restriction(
        keep=np.concatenate([one.keep if one.is_local else np.ones(tree.lanes) for one in (bound, so_far)]),
        mix=np.concatenate([one.mix if one.is_local else np.zeros(tree.size) for one in (bound, so_far)]),
    )
    trees, twice = list(subgame.trees), double_treeplex(tree)
    trees[player] = twice
    leaves = OpponentCopies(subgame.leaves, player, tree.size, p)
    return replace(subgame, trees=(trees[0], trees[1]), leaves=leaves).restricted(player, both)


def double_treeplex(tree: Treeplex) -> Treeplex:
    """The treeplex of a player who plays two copies of a treeplex at once; sequence s of the second is at size + s."""
    groups, parent = tree.arrays
    second = groups.copy()
    second[:, OFFSET] += tree.size
    second[:, LANE] += tree.lanes
    moved = np.where(parent > PAD, parent + tree.size, parent).astype(np.int32)
    arrays = TreeArrays(np.concatenate([groups, second]), np.concatenate([parent, moved]))
    order = np.concatenate([tree.visit_order, tree.visit_order + tree.lanes]).astype(np.int32)
    return Treeplex(
        tree.player, arrays, 2 * tree.size, 2 * tree.infosets, 2 * tree.sequences - 1, order, lambda: _labels(tree)
    )


def _labels(tree: Treeplex) -> Labels:
    labels = tree.labels
    lanes = [lane + tree.lanes if lane >= 0 else -1 for lane in labels.lanes]
    names = [f"{prefix} | {text}" for prefix in ("bound", "free") for text in labels.infosets]
    return Labels(names, labels.actions * 2, labels.lanes + lanes)
