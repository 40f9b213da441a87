"""Continual re-solving (Moravčík et al. 2017): look-aheads without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.gadgets import Gadget, Resolving
from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import USUAL, Look, Method


@dataclass(frozen=True, repr=False)
class Resolve(Method):
    """Look-aheads that the opponent enters through a gadget, each as safe as the previous one."""

    HEAD: ClassVar[str] = "resolve"
    GADGET: ClassVar[Gadget | None] = Resolving()

    look: Look = USUAL

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        """Every decision re-solved."""
        return match.depth_limited(self, 0.0)
