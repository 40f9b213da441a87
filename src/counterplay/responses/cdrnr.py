"""Continual depth-limited restricted Nash response (Milec et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.gadgets import FullGadget, Gadget
from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.trusting_method import TrustingSearch


@dataclass(frozen=True, repr=False)
class CDRNR(TrustingSearch):
    """Look-aheads in which the opponent is the model with probability p, and otherwise enters through a gadget."""

    HEAD: ClassVar[str] = "cdrnr"
    GADGET: ClassVar[Gadget | None] = FullGadget()

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        """Every decision searched with p."""
        return match.depth_limited(self, trust)
