"""Agents whose whole strategy is computed before the match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.agents.record import MethodRecord
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.responses.method import Method


@dataclass(frozen=True, repr=False)
class ResponseBot(MethodRecord):
    """Plays the strategy of `respond`.

    Attributes:
        method: any method that sees the whole game.
        to: the model of the opponent, also as text.
    """

    method: Method
    to: Annotated[OpponentModel | str | None, MODELS.nested(keyed=True)] = None
