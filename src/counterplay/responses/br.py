"""Best response: the largest gain against the model, without a bound on the risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import Method


@dataclass(frozen=True, repr=False)
class BR(Method):
    """The best response to the model."""

    HEAD: ClassVar[str] = "br"
    RAKED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        """The plan with the largest gain against the model."""
        return match.best_response()
