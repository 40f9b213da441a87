"""Agents that play a strategy: any model of an opponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

from counterplay.agents.record import AgentRecord, no_agent
from counterplay.errors import UnknownError
from counterplay.opponents.model import MODELS, OpponentModel


@dataclass(frozen=True, repr=False)
class StrategyBot(AgentRecord):
    """Plays as a model of an opponent does.

    Attributes:
        model: the model, also as text.
    """

    model: Annotated[Any, MODELS.nested()]

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(text)

    def __str__(self) -> str:
        return str(self.model)

    def check(self) -> None:
        assert isinstance(self.model, OpponentModel)
        try:
            self.model.check()
        except UnknownError as error:
            raise (no_agent(str(self)) if error.name == str(self) else error) from None
