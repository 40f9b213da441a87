"""Best Nash equilibrium: among all equilibrium strategies the one with the largest gain against the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import Method


@dataclass(frozen=True, repr=False)
class BNE(Method):
    """The equilibrium strategy with the largest gain against the model: by linear program, or in large spots and whole games
    of hold'em among the strategies whose worst case is no worse than that of the computed equilibrium or blueprint.
    """

    HEAD: ClassVar[str] = "bne"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        """The equilibrium plan with the largest gain against the model."""
        return match.best_equilibrium()
