"""Adapting beyond the depth limit (Milec et al. 2025): CDRNR whose look-aheads end in a portfolio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.errors import InputError
from counterplay.lookahead.search import LookAhead
from counterplay.responses.cdrnr import CDRNR
from counterplay.value_functions.portfolio import Portfolio


@dataclass(frozen=True, repr=False)
class ABD(CDRNR):
    """CDRNR with a portfolio at the limit, where the model continues as the model."""

    HEAD: ClassVar[str] = "abd"

    def _check_look(self, look: LookAhead) -> None:
        if not isinstance(look.leaf, Portfolio):
            raise InputError("abd needs a portfolio at the limit, as in value=portfolio:uniform;nash")
        super()._check_look(look)
