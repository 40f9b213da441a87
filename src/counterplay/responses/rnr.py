"""Restricted Nash response (Johanson, Zinkevich and Bowling 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.trusting_method import TrustingMethod


@dataclass(frozen=True, repr=False)
class RNR(TrustingMethod):
    """The equilibrium strategy against an opponent who is the model with probability p and free otherwise."""

    HEAD: ClassVar[str] = "rnr"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        """The restricted Nash response for p."""
        return match.restricted_nash(trust)
