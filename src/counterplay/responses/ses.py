"""Safe exploitation search (Liu et al. 2022): re-solving tilted toward the model's range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.gadgets import Gadget, MaxMargin
from counterplay.responses.matchup.matchup import Matchup
from counterplay.responses.matchup.outcome import Outcome
from counterplay.responses.method import ALPHA, USUAL, Look, Method, Risk, Trust


@dataclass(frozen=True, repr=False)
class SES(Method):
    """Continual re-solving with max-margin; with probability alpha the opponent enters with the model's range."""

    HEAD: ClassVar[str] = "ses"
    DIAL: ClassVar[str | None] = ALPHA
    GADGET: ClassVar[Gadget | None] = MaxMargin()

    alpha: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None

    def response(self, match: Matchup, trust: float) -> Outcome:
        """Every decision re-solved with alpha."""
        return match.depth_limited(self, 0.0, trust)
