"""Difference of two strategies at every betting node of their player, and the hands that differ most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.ranges.grid import SIDE, cell_name, cells
from counterplay.poker.spots.solution import SolvedSpot, met_at, reach_at

_NEVER = 1e-12
"""Reach below which a player never comes to a decision."""
_ROUNDING = 1e-9
"""Of frequencies."""


class ClassChange(NamedTuple):
    """A class of hands that takes an action more often: the number of the action, frequencies before and now, and what the
    class's change at the node is worth, in chips per deal."""

    name: str
    action: int
    before: float
    after: float
    chips: float


@dataclass(frozen=True, eq=False)
class StrategyChange:
    """The change at a betting node, summed over all boards.

    Attributes:
        path: of the node; "" for the root.
        actions: names of the player's actions.
        size: probability per deal that the player reaches the node and now acts differently.
        comes: probability per deal of reaching the node, before and now.
        before, after: (actions,) frequencies over the player's range there; NaN without reach.
        off_path: the same as `size` where the other player always comes to the node; 0 if not asked for.
        classes: (169,) probability per deal of reaching the node with each class of the 13×13 grid.
        hands_before, hands_after: (169, actions) frequencies of each class.
        hand_chips: (169,) what the change is worth to the player by class, in chips per deal: who comes as before, acts
            as now here, and plays as now afterwards, less the same without the change here (the performance difference
            of Kakade and Langford 2002). Over all classes and nodes they add up to what the whole change wins.
    """

    path: str
    actions: tuple[str, ...]
    size: float
    comes: tuple[float, float]
    before: F64
    after: F64
    classes: F64
    hands_before: F64
    hands_after: F64
    hand_chips: F64
    off_path: float = 0.0

    @property
    def chips(self) -> float:
        """What the change at this node is worth to the player, in chips per deal."""
        return float(self.hand_chips.sum())

    @property
    def action(self) -> int:
        """The action that changes most; of several, the one that is taken more often than before."""
        more = np.nan_to_num(self.after - self.before)
        most = np.abs(more).max() - _ROUNDING
        return int(np.where(np.abs(more) >= most, more, -np.inf).argmax())

    def hands(self, least: float = 0.05) -> list[ClassChange]:
        """Classes that take an action more often, by at least a threshold; those worth most chips first."""
        delta = np.nan_to_num(self.hands_after - self.hands_before)
        most = delta.argmax(axis=1)
        by = delta[np.arange(SIDE**2), most]
        order = np.lexsort((-by * self.classes, -np.abs(self.hand_chips.round(9))))
        shown = [(k, int(most[k])) for k in order.tolist() if by[k] >= least and self.classes[k] > 0.0]
        return [
            ClassChange(
                cell_name(k),
                a,
                float(self.hands_before[k, a]),
                float(self.hands_after[k, a]),
                float(self.hand_chips[k]),
            )
            for k, a in shown
        ]

    @property
    def facts(self) -> dict[str, Any]:
        shown = {one.name: [self.actions[one.action], *one[2:]] for one in self.hands()}
        return {
            "path": self.path, "actions": list(self.actions), "chips": self.chips, "changed": self.size,
            "comes": list(self.comes),
            "before": self.before.tolist(), "after": self.after.tolist(), "hands": shown,
            **({"changed_off_path": self.off_path} if self.off_path else {}),
        }  # fmt: skip


def diff_strategies(
    before: SolvedSpot, after: SolvedSpot, player: int, *, off_path: bool = False
) -> list[StrategyChange]:
    """The changes of `player` from `before` to `after`, those worth most chips first.

    Both are strategies of the same spot. How often something happens, and what it wins, is counted against the other player
    of `after`. Nodes to which only the other player does not come are left out, unless `off_path` asks for them: there
    frequencies are over the player's range as if the other player always came."""
    betting = before.tree.betting
    own = [n for n in range(betting.nodes) if betting.kind[n] == player and before.tree.runs[player].lane[n] >= 0]
    # Where the player no longer comes nothing has changed: there they decide as before.
    runs, places = before.tree.runs[player], [np.zeros(0, np.int64)]
    for node in own:
        gone = np.flatnonzero(reach_at(after, player, node) <= _NEVER)
        places += [int(runs.start[child]) + gone for child in betting.children(node)]
    every = np.concatenate(places)
    after = replace(after, plans=after.plans.put(player, every, before.plans.behaviour(player)[every]))
    worth = after.plans.profile_cfvs(player)
    tree, found = before.tree, list[StrategyChange]()
    for node in own:
        depth = layer_of(tree.betting, node)
        layer = tree.boards.layers[depth]
        sequences = tree.sequences_at(player, node)
        both = [np.asarray(one.plans.behaviour(player)[sequences]) for one in (before, after)]
        reaches = [reach_at(one, player, node) for one in (before, after)]
        mass = met_at(after, player, node)
        here = [reach * mass for reach in reaches]
        most: F64 = np.maximum(*here)
        faced = met_at(after, player, node, always=True) if off_path else mass
        live = mass > 0.0 if mass.any() else faced > 0.0  # where the other player can have a hand
        cell = cells(before.spot.deck)[before.spot.numbers[layer.hand]]
        differs = np.abs(both[1] - both[0]).sum(axis=1) / 2.0
        size, apart = float(most @ differs), float((np.maximum(*reaches) * faced) @ differs)
        won = reaches[0] * ((both[1] - both[0]) * worth[sequences]).sum(axis=1)
        found.append(StrategyChange(
            tree.betting.path(node), tree.betting.actions(node), size, (float(here[0].sum()), float(here[1].sum())),
            _mean(both[0], reaches[0] * live), _mean(both[1], reaches[1] * live),
            np.bincount(cell, most, SIDE**2).astype(np.float64), _by_class(both[0], most, cell),
            _by_class(both[1], most, cell), np.bincount(cell, won, SIDE**2).astype(np.float64),
            apart if off_path else 0.0,
        ))  # fmt: skip
    least = 1e-9 * before.spot.pot
    return sorted(
        (one for one in found if max(one.comes) > 0.0 or one.off_path > 0.0),
        key=lambda one: (-abs(one.chips) if abs(one.chips) > least else 0.0, -one.size, -one.off_path),
    )


def _mean(rows: F64, weights: F64) -> F64:
    total = float(weights.sum())
    return weights @ rows / total if total > 1e-9 else np.full(rows.shape[1], np.nan)


def _by_class(rows: F64, weights: F64, cell: I64) -> F64:
    mass = np.bincount(cell, weights, SIDE**2)
    sums = np.stack([np.bincount(cell, weights * column, SIDE**2) for column in rows.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mass[:, None] > 0.0, sums / mass[:, None], np.nan)
