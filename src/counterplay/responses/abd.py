"""Adapting beyond the depth limit (Milec et al. 2025): CDRNR whose look-aheads end in a portfolio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.errors import InputError
from counterplay.leaf_values.portfolio import Portfolio
from counterplay.lookahead.search import LookAhead
from counterplay.responses.matchup.depth_limited import depth_limited
from counterplay.responses.matchup.matchup import Matchup, Outcome
from counterplay.responses.method import USUAL, Look, Method, P, Risk, Trust
from counterplay.subgames.gadgets import FullGadget, Gadget


@dataclass(frozen=True, repr=False)
class ABD(Method):
    """CDRNR with a portfolio at the limit, where the model goes on as the model."""

    HEAD: ClassVar[str] = "abd"
    DIAL: ClassVar[str | None] = P
    GADGET: ClassVar[Gadget | None] = FullGadget()

    p: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None

    def response(self, match: Matchup, trust: float) -> Outcome:
        """Every decision searched with p."""
        return depth_limited(match, self.look, trust)

    def _check_look(self, look: LookAhead) -> None:
        if not isinstance(look.leaf, Portfolio):
            raise InputError("abd needs a portfolio at the limit, as in value=portfolio:uniform;nash")
        super()._check_look(look)
