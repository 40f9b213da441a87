"""Data-biased response (Johanson and Bowling 2009): each infoset is trusted in proportion to its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.trusting_method import TrustingMethod


@dataclass(frozen=True, repr=False)
class DBR(TrustingMethod):
    """As `RNR`, but the model is trusted at each infoset with probability p, and less where observations are few."""

    HEAD: ClassVar[str] = "dbr"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        """The data-biased response for p."""
        return match.data_biased(trust)
