"""Agents that learn while they play."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from counterplay.agents.record import AgentRecord
from counterplay.errors import InputError
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.texts.readers import OneOf, Share, Whole

EVIDENCE, GIFTS, FIXED = WAYS = ("evidence", "gifts", "fixed")
"""What decides how far the model is trusted."""
SURE, MEAN = CREDITS = ("sure", "mean")
"""What a gift counts."""
METHODS = ("dbr", "rnr", "ses")
"""How it responds with a trust."""


@dataclass(frozen=True, repr=False)
class LearningBot(AgentRecord):
    """Counts what it sees of the opponent, and responds to the model that this gives.

    Attributes:
        by: `evidence`, a response whose trust grows as the model predicts better than the prior; `gifts`, the
            response of largest gain that never risks more than the opponent has given away; `fixed`, a response
            with trust p.
        p: the most trust, of `evidence` and `fixed`.
        method: of `evidence` and `fixed`: `dbr`, `rnr`, or `ses`, where the trust is alpha.
        prior: the strategy that the opponent is taken for before anything is seen; by default an equilibrium.
        credit: of `gifts`, whether a gift counts what is sure, or what it is on average (see `learning.gifts`).
        iterations: of public chance sampling for each response, in whole hold'em.
    """

    HEAD = "learn"
    by: Annotated[str, OneOf(what="what it trusts the model by", words=WAYS, example=EVIDENCE)]
    _: KW_ONLY
    p: Annotated[float, Share()] = 0.9
    method: Annotated[str, OneOf(words=METHODS)] = METHODS[0]
    prior: Annotated[OpponentModel | str | None, MODELS.nested()] = None
    credit: Annotated[str, OneOf(words=CREDITS)] = SURE
    iterations: Annotated[int | None, Whole(least=1, what="iterations")] = None

    def check(self) -> None:
        idle = ("p", "method") if self.by == GIFTS else ("credit",)
        for name in idle:
            if getattr(self, name) != getattr(LearningBot, name):
                raise InputError(f"{self.HEAD}:{self.by} takes no {name}")
        if isinstance(self.prior, OpponentModel):
            self.prior.check()
