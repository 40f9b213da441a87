"""A solved spot tilted toward frequencies of one player: as a lock, with what was asked for beside what was reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.opponents.tilting.frequency_tilt import LEAST, Bounds, FrequencyRow, fit_frequencies
from counterplay.opponents.tilting.spot_hands import SpotHands
from counterplay.opponents.tilting.spot_situations import FrequencyClass
from counterplay.opponents.villain.observed_share import ObservedShare
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.spots.solution import SolvedSpot, met_at
from counterplay.treeplex.branch_restriction import LaneTrust


class TiltedNode(NamedTuple):
    """A decision that can be tilted. columns: (places, actions) sequences. rows: their probabilities in the solution. came:
    (places,) the sequences that lead there. mass: (places,) the other player's reach and chance's."""

    columns: I64
    rows: F64
    came: I64
    mass: F64


@dataclass(frozen=True, eq=False)
class SpotTilt:
    """A player of a spot with other frequencies.

    Attributes:
        lock: their strategy.
        rows: by class, in the order in which they were given.
        hands: what they were counted in; None for figures alone.
    """

    lock: NodeLock
    rows: tuple[FrequencyRow, ...]
    hands: SpotHands | None = None

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        told = {"frequencies": [row.facts() for row in self.rows]}
        return told if self.hands is None else told | {"hands": self.hands.facts()}


def tilt_spot(
    solved: SolvedSpot, player: int, classes: Sequence[FrequencyClass], bounds: Bounds,
    counted: Mapping[str, ObservedShare] | None = None,
) -> SpotTilt:  # fmt: skip
    """The smallest change of a solution with which a player's frequencies are within bounds. Classes whose frequency is
    there already are not locked.

    Args:
        solved: an equilibrium of the spot.
        player: 0 (oop) or 1 (ip).
        classes: of the player's decisions.
        bounds: by name of class; those without are as solved.
        counted: what was observed, for the report.

    Raises:
        InputError: the player never comes to any of these decisions.
    """
    work = _Work(solved, player, [one for one in classes if one.name in bounds])
    fit = fit_frequencies(work.figures, bounds)
    if not fit.before:
        raise InputError(f"{PLAYERS[player]} never comes to a decision that the figures are about")
    return SpotTilt(work.lock(fit.moved), fit.rows(bounds, counted or {}))


class _Work:
    """A tilt under construction."""

    def __init__(self, solved: SolvedSpot, player: int, classes: Sequence[FrequencyClass]) -> None:
        self.solved, self.player, self.classes = solved, player, classes
        self.runs = solved.tree.runs[player]

    @cached_property
    def nodes(self) -> dict[int, TiltedNode]:
        """The decisions of all classes."""
        return {at.node: self._node(at.node) for one in self.classes for at in one.nodes}

    def _node(self, node: int) -> TiltedNode:
        tree, behaviour = self.solved.tree, self.solved.plans.behaviour(self.player)
        places = np.arange(tree.boards.layers[layer_of(tree.betting, node)].places)
        columns = self.runs.start[tree.betting.children(node)][None, :] + places[:, None]
        came = tree.sequences_to(self.player, node)
        return TiltedNode(columns, np.asarray(behaviour[columns]), came, met_at(self.solved, self.player, node))

    def plans(self, weights: Mapping[str, float]) -> tuple[SpotPlans, dict[int, F64]]:
        """Both players' strategies under a tilt, and its rows by node."""
        shifts: dict[int, F64] = {}
        for one in self.classes:
            if weight := weights.get(one.name, 0.0):
                for at in one.nodes:
                    here = shifts.setdefault(at.node, np.zeros(self.nodes[at.node].rows.shape[1]))
                    here[list(at.hits)] += weight
        rows = {node: _tilted(self.nodes[node].rows, shift) for node, shift in shifts.items()}
        if not rows:
            return self.solved.plans, rows
        columns = np.concatenate([self.nodes[node].columns.ravel() for node in rows])
        return self.solved.plans.put(self.player, columns, np.concatenate([x.ravel() for x in rows.values()])), rows

    def figures(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The frequency of every class that is reached."""
        plans, rows = self.plans(weights)
        reach, sums = plans.reach(self.player), dict[str, F64]()
        for one in self.classes:
            total = sums.setdefault(one.name, np.zeros(2))
            for at in one.nodes:
                node = self.nodes[at.node]
                mass = np.maximum(reach[node.came], 0.0) * node.mass
                by_action = mass @ rows.get(at.node, node.rows)
                total += by_action[list(at.hits)].sum(), by_action[list(at.among)].sum()
        return {name: float(hit / n) for name, (hit, n) in sums.items() if n > LEAST**2}

    def lock(self, weights: Mapping[str, float]) -> NodeLock:
        """The player with the tilt, locked at the decisions that it changes."""
        plans, rows = self.plans(weights)
        trust = LaneTrust()
        for node in rows:
            trust = trust.put(int(self.runs.lane[node]) + np.arange(len(self.nodes[node].rows)), 1.0)
        return NodeLock(self.solved, self.player, plans, trust, tuple(sorted(rows)))


def _tilted(rows: F64, shift: F64) -> F64:
    """(places, actions) rows multiplied by exp of the shifts, (actions,), and normalised."""
    out = (rows + LEAST) * np.exp(shift - shift.max())
    return np.asarray(out / out.sum(axis=1, keepdims=True), np.float64)
