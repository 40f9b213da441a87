"""How far a learning agent trusts its model: a fixed trust, trust by evidence, or risk by gifts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import exp, log1p
from typing import Any, Protocol

import numpy as np

SOFT = 0.01
"""The share of uniform play in both sides of a bet, so that nothing is impossible."""
_STAKE = 0.5
_LEVELS = 10
_LOST = 8.0
"""Nats below its maximum at which the wealth says that the opponent has changed; a right model loses as much after a given
hand with a probability of at most e^-8."""


class Governor(ABC):
    """Decides how far the model is trusted; the trust goes in steps, so that a response serves many hands.

    Attributes:
        forgets: whether what was seen so far is to be forgotten.
    """

    @property
    def forgets(self) -> bool:
        return False

    @property
    @abstractmethod
    def trust(self) -> float:
        """The p or alpha of the response, or the exploitability that it may have, in chips; 0 for none."""

    def see(self, hand: Any, model: Any, played: Any) -> None:  # noqa: B027 - by default nothing
        """Take note of a hand before it is counted; model: None before the first. played: our strategy in the hand."""

    def describe(self) -> str:
        """A line about the state, for the log."""
        return f"p = {self.trust:.3g}"


class FixedTrust(Governor):
    """The same trust, whatever happens."""

    def __init__(self, p: float) -> None:
        self._p = p

    @property
    def trust(self) -> float:
        return self._p


class Wealth:
    """Evidence that a model predicts an opponent better than a prior does: a bettor's wealth.

    Before every hand the bettor stakes half of the wealth on the model against the prior, each with a little uniform play
    (`SOFT`). If the opponent plays that prior, the wealth is a martingale: it exceeds 1/a at any time with probability at
    most a, however often it is looked at (Ville's inequality; Shafer 2021). If the model is right, it grows exponentially.

    Attributes:
        log_wealth: its logarithm; 0 in the beginning.
    """

    def __init__(self) -> None:
        self.log_wealth = self._most = 0.0

    def bet(self, model: float, prior: float) -> None:
        """Settle the bet on a hand.

        Args:
            model: the probability of what was seen, by the model that was made before the hand.
            prior: the same by the prior, above 0.
        """
        self.log_wealth += log1p(_STAKE * (model / prior - 1.0))
        self._most = max(self._most, self.log_wealth)

    @property
    def trust(self) -> float:
        """1 less the bound on the probability that an opponent who plays the prior brings so much; 0 without evidence."""
        return 0.0 if self.log_wealth <= 0.0 else 1.0 - exp(-self.log_wealth)

    @property
    def has_turned(self) -> bool:
        """Whether so much was lost again that the opponent must have changed."""
        return self._most - self.log_wealth > _LOST


class TrustByEvidence(Governor):
    """Trust in tenths of the most, as far as a bettor's wealth allows, rounded down.

    Args:
        p: the most trust.
        likelihoods: of a hand and a model, the probability of the hand by the model and by the prior, up to one factor.
    """

    def __init__(self, p: float, likelihoods: Callable[[Any, Any], tuple[float, float]]) -> None:
        self._most, self._likelihoods, self.wealth = p, likelihoods, Wealth()

    @property
    def forgets(self) -> bool:
        return self.wealth.has_turned

    @property
    def trust(self) -> float:
        return self._most * int(_LEVELS * self.wealth.trust) / _LEVELS

    def see(self, hand: Any, model: Any, played: Any) -> None:  # noqa: ARG002 - bets on the model
        if model is not None:
            self.wealth.bet(*self._likelihoods(hand, model))

    def describe(self) -> str:
        return f"{super().describe()} by a wealth of {self.wealth.log_wealth:.3g} nats"


class Bounds(Protocol):
    """Lower bounds of what hands are worth while a strategy is played."""

    def surplus(self, hand: Any) -> float:
        """Chips above what an equilibrium guarantees that a hand was worth at least."""


class RiskByGifts(Governor):
    """The exploitability that the gifts so far allow (Ganzfried and Sandholm 2015).

    Args:
        span: the largest less the smallest value of a hand, in chips.
        bounds_of: the bounds while a strategy of ours is played.

    Attributes:
        budget: chips that were won in expectation above the value of the game, at least; by the credit `mean` on average.
    """

    def __init__(self, span: float, bounds_of: Callable[[Any], Bounds]) -> None:
        self._least, self.budget, self._bounds_of = span * 2.0**-_LEVELS, 0.0, bounds_of
        self._bounds: tuple[Any, Bounds] | None = None

    @property
    def trust(self) -> float:
        """The largest power of two times the span, from 2^-`_LEVELS` on, that the chips cover; else 0."""
        if self.budget < self._least:
            return 0.0
        return float(self._least * 2.0 ** np.floor(np.log2(self.budget / self._least)))

    def see(self, hand: Any, model: Any, played: Any) -> None:  # noqa: ARG002 - asks no model
        if self._bounds is None or self._bounds[0] is not played:
            self._bounds = played, self._bounds_of(played)
        self.budget += self._bounds[1].surplus(hand)

    def describe(self) -> str:
        return f"{self.budget:.3g} chips may be risked"
