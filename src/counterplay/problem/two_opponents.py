"""Two opponents in one problem: with probability p a second one with another restriction, else the original one.

`Restriction.of_plan` is the case of an opponent who is bound everywhere; here the second opponent may choose freely
where they are not bound, and differently from the first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from counterplay.errors import InputError
from counterplay.leaves.opponent_copies import OpponentCopies
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.restriction import Restriction, check_p
from counterplay.treeplex.treeplex import LANE, OFFSET, PAD, Labels, TreeArrays, Treeplex


def two_opponents(subgame: Subgame, player: int, restriction: Restriction, p: float) -> Subgame:
    """The problem in which `player` is also bound, with probability p drawn before the game, by a local `restriction`
    on top of the player's present one. An InputError if the player already follows a model, or the problem has a limit
    with a value function."""
    check_p(p)
    tree, so_far = subgame.trees[player], subgame.restrictions[player]
    bound = subgame.bound(player, restriction).restrictions[player]
    if subgame.beyond or any(one.p > 0.0 or one.copy for one in (bound, so_far)):
        raise InputError("two opponents need local restrictions and a problem without a look-ahead limit")
    both = Restriction(
        keep=np.concatenate([_keep(tree, one) for one in (bound, so_far)]),
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


def _keep(tree: Treeplex, restriction: Restriction) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return restriction.keep if restriction.is_local else np.ones(tree.lanes)


def _labels(tree: Treeplex) -> Labels:
    labels = tree.labels
    lanes = [lane + tree.lanes if lane >= 0 else -1 for lane in labels.lanes]
    names = [f"{prefix} | {text}" for prefix in ("bound", "free") for text in labels.infosets]
    return Labels(names, labels.actions * 2, labels.lanes + lanes)
