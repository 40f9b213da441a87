"""Continual depth-limited best response (Milec et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import USUAL, Look, Method


@dataclass(frozen=True, repr=False)
class CDBR(Method):
    """The best response to the model by look-aheads against the model alone."""

    HEAD: ClassVar[str] = "cdbr"

    look: Look = USUAL

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        """Every decision searched against the model alone."""
        return match.depth_limited(self, 1.0)
