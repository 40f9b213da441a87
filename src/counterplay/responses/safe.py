"""The largest gain within an exploitability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.matchup.risk_search import safe_best_response
from counterplay.responses.method import RISK, Method, Risk


@dataclass(frozen=True, repr=False)
class Safe(Method):
    """The strategy with the largest gain against the model among those whose exploitability is at most
    `max_exploitability` (chips, or a text such as "1%" or "5mbb").
    """

    HEAD: ClassVar[str] = "safe"
    DIAL: ClassVar[str | None] = RISK

    max_exploitability: Risk = None

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        """The plan, without a dial."""
        return self.response(match, self.risk), None

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        """The largest gain with exploitability at most `trust`."""
        return safe_best_response(match, trust)
