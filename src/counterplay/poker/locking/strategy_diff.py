"""Difference of two strategies at every betting node of their player, and the hands that differ most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.cards.compatible_hands import compatible_weight
from counterplay.poker.cards.deck import Ints
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.ranges.grid import SIDE, cell_name, cells
from counterplay.poker.spots.solution import SolvedSpot

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StrategyChange:
    """The change at a betting node, summed over all boards.

    Attributes:
        path: of the node; "" for the root.
        actions: names of the player's actions.
        size: probability per deal that the player reaches the node and now acts differently.
        comes: probability per deal of reaching the node, before and now.
        before, after: (actions,) frequencies over the player's range there; NaN without reach.
        classes: (169,) probability per deal of reaching the node with each class of the 13×13 grid.
        hands_before, hands_after: (169, actions) frequencies of each class.
    """

    path: str
    actions: tuple[str, ...]
    size: float
    comes: tuple[float, float]
    before: Floats
    after: Floats
    classes: Floats
    hands_before: Floats
    hands_after: Floats

    @property
    def action(self) -> int:
        """The action that changes most."""
        return int(np.nan_to_num(np.abs(self.after - self.before)).argmax())

    def hands(self, least: float = 0.05) -> list[tuple[str, int, float, float]]:
        """Classes that take an action more often, by at least a threshold: name, action, frequency before and now;
        largest change of hands first.
        """
        delta = np.nan_to_num(self.hands_after - self.hands_before)
        most = delta.argmax(axis=1)
        by = delta[np.arange(SIDE**2), most]
        order = np.argsort(-by * self.classes, kind="stable")
        return [
            (cell_name(k), int(most[k]), float(self.hands_before[k, most[k]]), float(self.hands_after[k, most[k]]))
            for k in order.tolist()
            if by[k] >= least and self.classes[k] > 0.0
        ]

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        shown = {name: [self.actions[a], x, y] for name, a, x, y in self.hands()}
        return {
            "path": self.path, "actions": list(self.actions), "changed": self.size, "comes": list(self.comes),
            "before": self.before.tolist(), "after": self.after.tolist(), "hands": shown,
        }  # fmt: skip


def diff_strategies(before: SolvedSpot, after: SolvedSpot, player: int) -> list[StrategyChange]:
    """The changes of `player` from `before` to `after`, the largest first, without unreachable nodes.

    Both are strategies of the same spot. How often something happens is counted against the other player of `after`.
    """
    betting = before.tree.betting
    own = [n for n in range(betting.nodes) if betting.kind[n] == player and before.tree.runs[player].lane[n] >= 0]
    found = [_change(before, after, player, node) for node in own]
    return sorted((one for one in found if max(one.comes) > 0.0), key=lambda one: -one.size)


def _change(before: SolvedSpot, after: SolvedSpot, player: int, node: int) -> StrategyChange:
    tree = before.tree
    depth = layer_of(tree.betting, node)
    layer = tree.boards.layers[depth]
    both = [_probabilities(one, player, node) for one in (before, after)]
    reaches = [_reach(one, player, node) for one in (before, after)]
    against = _reach(after, 1 - player, node)
    # mass: for each place the opposing hands that can be dealt beside it, times chance; then times the own reach.
    mass = np.zeros(layer.places)
    for begin, end in zip(layer.first, layer.first[1:], strict=False):
        mass[begin:end] = compatible_weight(tree.boards.cards.hands[layer.hand[begin:end]], against[begin:end])
    mass *= tree.leaves.unit * layer.chance
    here = [reach * mass for reach in reaches]
    most: Floats = np.maximum(*here)
    live = mass > 0.0  # where the other player can have a hand
    cell = cells(before.spot.deck)[before.spot.numbers[layer.hand]]
    size = float(most @ np.abs(both[1] - both[0]).sum(axis=1)) / 2.0
    return StrategyChange(
        tree.betting.path(node), tree.betting.actions(node), size, (float(here[0].sum()), float(here[1].sum())),
        _mean(both[0], reaches[0] * live), _mean(both[1], reaches[1] * live),
        np.bincount(cell, most, SIDE**2).astype(np.float64),
        _by_class(both[0], most, cell), _by_class(both[1], most, cell),
    )  # fmt: skip


def _probabilities(solved: SolvedSpot, player: int, node: int) -> Floats:
    """(places, actions) at a decision of the player, all boards one after the other."""
    runs, children = solved.tree.runs[player], solved.tree.betting.children(node)
    places = np.arange(solved.tree.boards.layers[layer_of(solved.tree.betting, node)].places)
    behaviour = solved.plans.behaviour(player)
    return np.stack([behaviour[int(runs.start[child]) + places] for child in children], axis=1)


def _reach(solved: SolvedSpot, player: int, node: int) -> Floats:
    """(places,) a player's reach of a node, all boards one after the other."""
    reach: Floats = np.maximum(solved.plans.reach(player)[solved.tree.sequences_to(player, node)], 0.0)
    return reach


def _mean(rows: Floats, weights: Floats) -> Floats:
    total = float(weights.sum())
    return weights @ rows / total if total > 1e-9 else np.full(rows.shape[1], np.nan)


def _by_class(rows: Floats, weights: Floats, cell: Ints) -> Floats:
    mass = np.bincount(cell, weights, SIDE**2)
    sums = np.stack([np.bincount(cell, weights * column, SIDE**2) for column in rows.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mass[:, None] > 0.0, sums / mass[:, None], np.nan)
