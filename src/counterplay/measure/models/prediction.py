"""How well a model predicts hands that it has not seen, beside its prior and uniform play."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.display import brief
from counterplay.opponents.counting.observations import Observations
from counterplay.treeplex.strategy import Strategy

_Z = 1.96


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
class Prediction:
    """How well strategies predict the decisions of a player.

    Attributes:
        hands: number of hands.
        decisions: of the player in a hand.
        model, prior, uniform: each with 1 % of uniform play, so that one impossible action does not decide.
    """

    hands: int
    decisions: float
    model: Nats
    prior: Nats
    uniform: Nats

    def __repr__(self) -> str:
        return brief(self, f"{self.hands:,} hands", f"model {self.model}", f"prior {self.prior}")


def predict(data: Observations, model: Strategy, prior: Strategy) -> Prediction:
    """Score a model on observed hands; where cards are hidden, by the mean over those that the player may have held.

    Args:
        data: hands that the model has not seen, as `Counts.observations`.
        model: of their player.
        prior: what it is compared with.
    """
    found = [_nats(data, one) for one in (model, prior, Strategy.uniform(model.tree))]
    decisions = data.score(model.behaviour)[2]
    return Prediction(round(float(data.hands.sum())), decisions, *found)


def _nats(data: Observations, strategy: Strategy) -> Nats:
    mean, error, _ = data.score(strategy.behaviour)
    return Nats(mean, mean - _Z * error, mean + _Z * error)
