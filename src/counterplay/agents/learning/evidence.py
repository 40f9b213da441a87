"""Evidence that a model predicts an opponent better than a prior does: a bettor's wealth.

Before every hand the bettor stakes half of the wealth on the model against the prior, each with a little uniform play
(`SOFT`). If the opponent plays that prior, the wealth is a martingale: it exceeds 1/a at any time with probability at most
a, however often it is looked at (Ville's inequality; Shafer 2021). If the model is right, it grows exponentially.
"""

from __future__ import annotations

from math import exp, log1p

SOFT = 0.01
"""The share of uniform play in both sides of the bet, so that nothing is impossible."""
_STAKE = 0.5
_LEVELS = 10
_LOST = 8.0
"""Nats below its maximum at which the wealth says that the opponent has changed; a right model loses as much after a given
hand with a probability of at most e^-8."""


class Wealth:
    """The wealth of a bettor.

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

    def allowed(self, most: float) -> float:
        """The trust that it allows, in tenths of the most, rounded down, so that a response serves many hands."""
        return most * int(_LEVELS * self.trust) / _LEVELS

    @property
    def has_turned(self) -> bool:
        """Whether so much was lost again that the opponent must have changed."""
        return self._most - self.log_wealth > _LOST
