"""How well a model predicts hands that it has not seen, beside its prior and uniform play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.display import brief
from counterplay.intervals import HALF_95
from counterplay.opponents.counting.observations import Observations, nats_a_decision
from counterplay.opponents.counting.streets import street_of_sequences, up_to_street
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Nats:
    """The log-likelihood of a strategy in nats a decision.

    Attributes:
        mean: the mean.
        low, high: its 95 % interval over hands.
    """

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True)
class StreetNats:
    """The log-likelihood of the decisions of one street, given those before it.

    Attributes:
        street: from 1; the next one begins where chance moves after a player.
        decisions: in all hands.
        model, prior, uniform: as of `Prediction`.
    """

    street: int
    decisions: float
    model: Nats
    prior: Nats
    uniform: Nats


@dataclass(frozen=True)
class Prediction:
    """How well strategies predict the decisions of a player.

    Attributes:
        hands: number of hands.
        decisions: of the player in a hand.
        model, prior, uniform: each with 1 % of uniform play, so that one impossible action does not decide.
        streets: the same by street, those without a decision left out; none in a game of one street.
    """

    hands: int
    decisions: float
    model: Nats
    prior: Nats
    uniform: Nats
    streets: tuple[StreetNats, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.hands:,} hands", f"model {self.model}", f"prior {self.prior}")


def predict(data: Observations, model: Strategy, prior: Strategy, game: Any = None) -> Prediction:
    """Score a model on observed hands; where cards are hidden, by the mean over those that the player may have held.

    Args:
        data: hands that the model has not seen, as `Counts.observations`.
        model: of their player.
        prior: what it is compared with.
        game: of the hands, where streets are asked for, too.
    """
    plays = (model, prior, Strategy.uniform(model.tree))
    mine, before, none = (_nats(data, one) for one in plays)
    decisions = data.score(model.behaviour)[2]
    streets = () if game is None else _by_street(data, street_of_sequences(game, model.player), plays)
    return Prediction(round(float(data.hands.sum())), decisions, mine, before, none, streets)


def _nats(data: Observations, strategy: Strategy) -> Nats:
    mean, error, _ = data.score(strategy.behaviour)
    return _interval(mean, error)


def _by_street(data: Observations, streets: NDArray[np.int64], plays: tuple[Strategy, ...]) -> tuple[StreetNats, ...]:
    """Differences of what is said up to a street and up to the one before."""
    count = int(streets.max()) + 1
    parts = [up_to_street(data, streets, last) for last in range(-1, count)]
    logs = [[part.softened_logs(one.behaviour) for part in parts] for one in plays]
    found = []
    for street in range(count if count > 1 else 0):
        decisions = parts[street + 1].decisions - parts[street].decisions
        if (total := float(data.hands @ decisions)) > 0.0:
            nats = [_interval(*nats_a_decision(data.hands, log[street + 1] - log[street], decisions)) for log in logs]
            found.append(StreetNats(street + 1, total, *nats))
    return tuple(found)


def _interval(mean: float, error: float) -> Nats:
    return Nats(mean, mean - HALF_95 * error, mean + HALF_95 * error)
