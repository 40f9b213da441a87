"""How far a learning agent trusts its model: a fixed trust, trust by evidence, or risk by gifts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from counterplay.agents.learning.evidence import SOFT, Wealth
from counterplay.agents.learning.gift_budget import GiftBudget
from counterplay.agents.learning.gifts import GiftBounds
from counterplay.agents.learning_bot import SURE
from counterplay.arrays import F64, I64
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.search import LookAhead
from counterplay.responses.look_ahead_methods import SES
from counterplay.responses.method import Method
from counterplay.responses.respond import respond
from counterplay.responses.whole_tree_methods import DBR, RNR, Safe
from counterplay.treeplex.strategy import Strategy

TRUSTING: dict[str, Callable[[float], Method]] = {
    "dbr": lambda p: DBR(p=p),
    "rnr": lambda p: RNR(p=p),
    "ses": lambda alpha: SES(alpha=alpha, look=LookAhead(1)),
}
"""Methods with a trust in the model, by name; that of SES is its alpha."""


class Governor(Protocol):
    """Decides how far the model is trusted."""

    def respond_to(self, model: Strategy) -> Strategy:
        """The strategy until further notice."""

    def see(self, ends: I64, model: Strategy, played: Strategy) -> bool:
        """Take note of a hand before it is counted; whether the strategy must be computed again. ends: (n,) those that the
        hand may have had."""

    @property
    def forgets(self) -> bool:
        """Whether what was seen so far is to be forgotten."""

    def describe(self) -> str:
        """A line about the state, for the log."""


@dataclass
class FixedTrust:
    """A response with the same trust, whatever happens.

    Attributes:
        game: compiled.
        p: the trust.
        method: one of `TRUSTING`.
    """

    game: GameTree
    p: float
    method: str = "dbr"
    forgets = False

    def respond_to(self, model: Strategy) -> Strategy:
        """See `Governor`."""
        return respond(self.game, with_counts(model), TRUSTING[self.method](self.p)).strategy

    def see(self, ends: I64, model: Strategy, played: Strategy) -> bool:  # noqa: ARG002
        """See `Governor`."""
        return False

    def describe(self) -> str:
        """See `Governor`."""
        return f"p = {self.p:.3g}"


class TrustByEvidence:
    """A response whose trust is p times that of a bettor's wealth; without any trust, the equilibrium that wins most.

    Args:
        game: compiled.
        p: the most trust.
        prior: of the agent.
        method: one of `TRUSTING`.
    """

    def __init__(self, game: GameTree, p: float, prior: Strategy, method: str = "dbr") -> None:
        self._game, self._most, self._method = game, p, method
        self._prior, self._model = _softened(prior), (prior, _softened(prior))
        self._at = 0.0
        self.wealth = Wealth()

    @property
    def forgets(self) -> bool:
        """See `Governor`."""
        return self.wealth.has_turned

    @property
    def p(self) -> float:
        """The trust now, in tenths of the most, rounded down, so that a response serves many hands."""
        return self.wealth.allowed(self._most)

    def respond_to(self, model: Strategy) -> Strategy:
        """See `Governor`."""
        if self.forgets:
            self.wealth = Wealth()
        self._at = self.p
        method = TRUSTING[self._method](self._at) if self._at > 0.0 else Safe(0.0)
        return respond(self._game, with_counts(model), method).strategy

    def see(self, ends: I64, model: Strategy, played: Strategy) -> bool:  # noqa: ARG002
        """See `Governor`."""
        weight, last = self._game.histories.reach[ends], self._game.sequences[model.player][ends]
        if self._model[0] is not model:
            self._model = model, _softened(model)
        self.wealth.bet(float(weight @ self._model[1][last]), float(weight @ self._prior[last]))
        return self.p != self._at

    def describe(self) -> str:
        """See `Governor`."""
        return f"p = {self.p:.3g} by a wealth of {self.wealth.log_wealth:.3g} nats"


def _softened(strategy: Strategy) -> F64:
    """The plan of a strategy that takes every action now and then."""
    mixed = (1.0 - SOFT) * strategy.behaviour + SOFT * strategy.tree.uniform()
    return Strategy(strategy.tree, mixed).plan


class RiskByGifts:
    """The response of largest gain that risks no more than the gifts so far (Ganzfried and Sandholm 2015).

    Args:
        game: compiled.
        credit: how gifts are counted, one of `learning_bot.CREDITS`.
    """

    forgets = False

    def __init__(self, game: GameTree, credit: str = SURE) -> None:
        self._game, self._credit, self._budget = game, credit, GiftBudget(game.span)
        self._bounds: tuple[Strategy, GiftBounds] | None = None
        self._level = 0.0

    def respond_to(self, model: Strategy) -> Strategy:
        """See `Governor`."""
        self._level = self._budget.allowed
        return respond(self._game, model, Safe(self._level)).strategy

    @property
    def budget(self) -> float:
        """Chips that were won in expectation above the value of the game, at least; by the credit `mean` on average."""
        return self._budget.chips

    def see(self, ends: I64, model: Strategy, played: Strategy) -> bool:  # noqa: ARG002
        """See `Governor`."""
        if self._bounds is None or self._bounds[0] is not played:
            self._bounds = played, GiftBounds(self._game, played, self._credit)
        self._budget.chips += self._bounds[1].surplus(ends)
        return self._budget.allowed != self._level

    def describe(self) -> str:
        """See `Governor`."""
        return f"{self.budget:.3g} chips may be risked"


def with_counts(model: Strategy) -> Strategy:
    """A model that is trusted only where something was seen; a prior alone nowhere."""
    counts = model.counts if model.counts is not None else np.zeros(model.tree.lanes)
    return Strategy(model.tree, model.behaviour, model.facts, counts)
