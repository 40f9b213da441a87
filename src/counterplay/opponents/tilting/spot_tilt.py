"""A solved spot tilted toward frequencies of one player: as a lock, with what was asked for beside what was reached.

Models of a player are the solution with the smallest change. From hands, each class of decisions moves to the near end of
the 95 % interval of what was observed, and stays as it is where the solution is inside: a leak that hands suggest becomes a
lock that they support. From figures, each statistic becomes what was said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.frequency_tilt import LEAST, Bounds, FrequencyRow, fit_frequencies, shift_rows
from counterplay.opponents.tilting.spot_situations import (
    FrequencyClass,
    SpotHands,
    count_in_spot,
    shifts_by_node,
    situations,
    statistic_classes,
)
from counterplay.opponents.villain.observed_share import ObservedShare
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.public_tree.public_terminals import PublicNode
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
    """The smallest change of an equilibrium with which a player's frequencies are within bounds; classes whose frequency
    is there already are not locked."""
    work = _Work(solved, player, [one for one in classes if one.name in bounds])
    fit = fit_frequencies(work.figures, bounds)
    if not fit.before:
        raise InputError(f"{PLAYERS[player]} never comes to a decision that the figures are about")
    return SpotTilt(work.lock(fit.moved), fit.rows(bounds, counted or {}))


def spot_from_hands(solved: SolvedSpot, seat: int, hands: Iterable[HoldemHand], player: str) -> SpotTilt:
    """A player of hands in a solved spot, in a seat: 0 (oop) or 1 (ip). An InputError if no hand fits the spot."""
    classes = situations(solved.spot.betting, seat)
    return _toward(solved, classes, count_in_spot(solved.spot, classes, hands, player, seat))


def _toward(solved: SolvedSpot, classes: Sequence[FrequencyClass], hands: SpotHands) -> SpotTilt:
    """The tilt to the near ends of the intervals of what was counted."""
    seen = {name: share for name, share in hands.counted.items() if share.n}
    bounds = {name: share.interval for name, share in seen.items()}
    return replace(tilt_spot(solved, hands.seat, classes, bounds, seen), hands=hands)


def spot_from_log(
    solved: SolvedSpot,
    seat: int,
    hands: Sequence[Sequence[tuple[PublicNode, int]]],
    player: str,
    left_out: Counter[str],
) -> SpotTilt:
    """A player of a log of that spot's own hands. hands: of each, the player's actions: where, and the number of
    each."""
    classes, actions = situations(solved.spot.betting, seat), [action for hand in hands for action in hand]
    counted = {}
    for one in classes:
        at = {place.node: place for place in one.nodes}
        taken = [(number, at[part.node]) for part, number in actions if part.node in at]
        among = [number in place.hits for number, place in taken if number in place.among]
        counted[one.name] = ObservedShare(sum(among), len(among))
    if not any(share.n for share in counted.values()):
        raise InputError(f"no hand of {quoted(player)} has a decision of {PLAYERS[seat]} in the spot")
    return _toward(solved, classes, SpotHands(player, seat, counted, len(hands), len(actions), left_out))


def spot_from_figures(solved: SolvedSpot, seat: int, figures: Mapping[str, float]) -> SpotTilt:
    """A player with some statistics in a solved spot. figures: shares by name in `villain.statistics.STATISTICS`."""
    classes = statistic_classes(solved.spot.betting, seat)
    return tilt_spot(solved, seat, classes, {name: (share, share) for name, share in figures.items()})


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
        columns, came = tree.sequences_at(self.player, node), tree.sequences_to(self.player, node)
        return TiltedNode(columns, np.asarray(behaviour[columns]), came, met_at(self.solved, self.player, node))

    def plans(self, weights: Mapping[str, float]) -> tuple[SpotPlans, dict[int, F64]]:
        """Both players' strategies under a tilt, and its rows by node."""
        shifts = shifts_by_node(self.solved.spot.betting, self.classes, weights)
        rows = {node: shift_rows(self.nodes[node].rows, shift) for node, shift in shifts.items()}
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
