"""Continual safe exploitation search: the gadget of Liu et al. 2022 at the entry of every look-ahead.

The paper refines a given blueprint in the subgames of one place, as `resolve` does with alpha above 0; only there its bounds
can hold. This method has no blueprint: it solves its first look-ahead without a gadget and every later decision again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.gadgets import Gadget, MaxMargin
from counterplay.lookahead.tremble import UNBOUNDED
from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import ALPHA, USUAL, Look, Method, Risk, Trust


@dataclass(frozen=True, repr=False)
class SES(Method):
    """Continual re-solving with max-margin; with probability alpha the opponent enters with the model's range."""

    HEAD: ClassVar[str] = "ses"
    DIAL: ClassVar[str | None] = ALPHA
    GADGET: ClassVar[Gadget | None] = MaxMargin()
    VARIANT: ClassVar[str | None] = "continual: every decision solved again, without a blueprint"
    BOUND: ClassVar[str | None] = UNBOUNDED

    alpha: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        """Every decision re-solved with alpha."""
        return match.depth_limited(self, 0.0, trust)
