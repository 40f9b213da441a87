"""Log-likelihood of unseen hands under a model, its prior, the betting line alone and uniform play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.display import brief
from counterplay.intervals import HALF_95
from counterplay.opponents.counting.estimate import (
    Observations,
    nats_a_decision,
    public_state_of_lanes,
    split_hands,
    street_of_sequences,
    up_to_street,
)
from counterplay.opponents.spot_counts import SpotCounts
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach

Scored = Sequence[tuple[Observations, Strategy]]
"""Parts of the hands, and the strategy that predicts each."""


@dataclass(frozen=True)
class Nats:
    """The log-likelihood of a strategy in nats a decision, and its 95 % interval over hands."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True)
class StreetNats:
    """The log-likelihood of the decisions of one street, from 1, given those before it; the next street begins where
    chance moves after a player."""

    street: int
    decisions: float
    model: Nats
    prior: Nats
    line: Nats
    uniform: Nats


@dataclass(frozen=True)
class Prediction:
    """How well strategies predict the decisions of a player, each with 1 % of uniform play, so that one impossible
    action does not decide. `line` knows what is public and not the player's cards (see `line_alone`). streets: those
    with a decision, none in a game of one street."""

    hands: int
    decisions: float
    model: Nats
    prior: Nats
    line: Nats
    uniform: Nats
    streets: tuple[StreetNats, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.hands:,} hands", f"model {self.model}", f"prior {self.prior}")


def predict(
    data: Observations, model: Strategy, prior: Strategy, where: Any, fitted: Observations | None = None
) -> Prediction:
    """Score a model on observed hands; where cards are hidden, by the mean over those that the player may have held.

    Args:
        data: hands that the model has not seen, as `Counts.observations`.
        model, prior: of their player, and what it is compared with.
        where: the compiled game of the hands, or the `SpotCounts` that counted them in a spot.
        fitted: the hands that the model was made from, to which `line_alone` is fitted, too; None: the halves of `data`
            predict each other.
    """
    if fitted is None:
        halves = [data.weighted(part) for part in split_hands(data.hands, 2, 0)]
        line = [(one, line_alone(where, other)) for one, other in zip(halves, halves[::-1], strict=True)]
    else:
        line = [(data, line_alone(where, fitted))]
    plays: dict[str, Scored] = {
        "model": [(data, model)], "prior": [(data, prior)], "line": line,
        "uniform": [(data, Strategy.uniform(model.tree))],
    }  # fmt: skip
    by_sequence = where.streets if isinstance(where, SpotCounts) else street_of_sequences(where, model.player)
    streets, found = int(by_sequence.max()) + 1, list[StreetNats]()

    def nats(first: int, end: int) -> dict[str, Nats]:
        return {name: _nats(scored, by_sequence, first, end) for name, scored in plays.items()}

    for street in range(streets if streets > 1 else 0):
        before, until = (up_to_street(data, by_sequence, last).decisions for last in (street - 1, street))
        if (total := float(data.hands @ (until - before))) > 0.0:
            found.append(StreetNats(street + 1, total, **nats(street, street + 1)))
    decisions = data.score(model.behaviour)[2]
    return Prediction(round(float(data.hands.sum())), decisions, **nats(0, streets), streets=tuple(found))


def line_alone(where: Any, data: Observations) -> Strategy:
    """Frequencies of actions at each public state, whatever cards the player holds; each action counts once more."""
    tree = data.tree
    lanes = where.public_states if isinstance(where, SpotCounts) else public_state_of_lanes(where, tree.player)
    inner = np.flatnonzero(tree.owner >= 0)
    of_lane, (seen, counts) = tree.owner[inner], data.visits(reach(tree, tree.uniform()))
    actions = np.bincount(of_lane, minlength=tree.lanes)
    order = np.zeros(tree.size, np.int64)  # the number of each sequence's action
    for offset, width, n, _, _ in tree.arrays.groups.tolist():
        order[offset : offset + n * width] = np.repeat(np.arange(n), width)
    # a cell is a public state with so many actions, and the number of one of them
    places = np.unique(np.stack([lanes, actions]), axis=1, return_inverse=True)[1].ravel()
    cells = places[of_lane] * (int(order.max()) + 1) + order[inner]
    pooled, totals = np.bincount(cells, seen[inner])[cells], np.bincount(places, counts)[places]
    behaviour = tree.uniform().copy()
    behaviour[inner] = (pooled + 1.0) / (totals + actions)[of_lane]
    return Strategy(tree, behaviour)


def _nats(scored: Scored, streets: I64, first: int, end: int) -> Nats:
    """The log-likelihood of the decisions from one street to before another, given those before."""
    hands, logs, decisions = list[F64](), list[F64](), list[F64]()
    for data, strategy in scored:
        before, until = (up_to_street(data, streets, last) for last in (first - 1, end - 1))
        hands.append(data.hands)
        logs.append(until.softened_logs(strategy.behaviour) - before.softened_logs(strategy.behaviour))
        decisions.append(until.decisions - before.decisions)
    mean, error = nats_a_decision(*map(np.concatenate, (hands, logs, decisions)))
    return Nats(mean, mean - HALF_95 * error, mean + HALF_95 * error)
