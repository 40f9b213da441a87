"""A mixture of the best response and an equilibrium, drawn before the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import mix_with_equilibrium
from counterplay.responses.trusting_method import TrustingMethod


@dataclass(frozen=True, repr=False)
class Mix(TrustingMethod):
    """The best response with probability p, else an equilibrium."""

    HEAD: ClassVar[str] = "mix"

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        """The mixture, and the weight of the best response."""
        return mix_with_equilibrium(match, self.response(match, 1.0), self.p, self.risk)

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - the weight comes later
        """The best response."""
        return match.best_response()
