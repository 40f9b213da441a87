"""A mixture of CDBR and an equilibrium, drawn before the game (Milec et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import mix_with_equilibrium
from counterplay.responses.trusting_method import TrustingSearch


@dataclass(frozen=True, repr=False)
class CDBRNE(TrustingSearch):
    """CDBR with probability p, else an equilibrium."""

    HEAD: ClassVar[str] = "cdbr-ne"

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        """The mixture, and the weight of CDBR."""
        return mix_with_equilibrium(match, self.response(match, 1.0), self.p, self.risk)

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - the weight comes later
        """CDBR."""
        return match.depth_limited(self, 1.0)
