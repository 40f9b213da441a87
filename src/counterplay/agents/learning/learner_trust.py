"""How learners of spots and of whole hold'em trust their models, and how often they make them anew."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.agents.learning.evidence import Wealth

FIRST, GROWTH = 40, 1.5
"""The model is made anew after so many hands, and then whenever their number has grown by this factor."""


@dataclass(frozen=True)
class LearnerTrust:
    """How far a model is trusted.

    Attributes:
        p: the most trust.
        by_evidence: whether it is reached as the model predicts better than the prior (see `Wealth`), or at once.
        by_row: whether the response is the data-biased one, or the restricted Nash response.
    """

    p: float
    by_evidence: bool
    by_row: bool

    def now(self, wealth: Wealth) -> float:
        """The trust that a bettor's wealth allows."""
        return wealth.allowed(self.p) if self.by_evidence else self.p
