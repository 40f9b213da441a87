"""An agent that learns from the hands it plays, and responds to its model as far as evidence or gifts allow."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import exp, log1p
from typing import Any

import numpy as np

from counterplay.agents.agent import Player, StrategyAgent
from counterplay.agents.records import EVIDENCE, GIFTS, LearningBot
from counterplay.errors import InputError

SOFT = 0.01
"""The share of uniform play in both sides of a bet, so that nothing is impossible."""
_STAKE = 0.5
_LEVELS = 10
_LOST = 8.0
"""Nats below its maximum at which the wealth says that the opponent has changed; a right model loses as much after a given
hand with a probability of at most e^-8."""


class Governor:
    """Decides how far the model is trusted: always alike by default. The trust goes in steps, so that a response serves
    many hands."""

    def __init__(self, p: float = 0.0) -> None:
        self._p = p

    @property
    def forgets(self) -> bool:
        """Return whether the opponent must have changed."""
        return False

    @property
    def trust(self) -> float:
        """The p or alpha of the response, or the exploitability that it may have, in chips; 0 for none."""
        return self._p

    def see(self, hand: Any, model: Any, played: Any) -> None:
        """Take note of a hand before it is counted; model: None before the first. played: our strategy in the hand."""

    def describe(self) -> str:
        """A line about the state, for the log."""
        return f"p = {self.trust:.3g}"


class Wealth:
    """Evidence that a model predicts an opponent better than a prior does: a bettor's wealth.

    Before every hand the bettor stakes half of the wealth on the model against the prior, each with a little uniform play
    (`SOFT`). If the opponent plays that prior, the wealth is a martingale: it exceeds 1/a at any time with probability at
    most a, however often it is looked at (Ville's inequality; Shafer 2021). If the model is right, it grows exponentially.

    Attributes:
        log_wealth: its logarithm; 0 in the beginning.
    """

    def __init__(self) -> None:
        self.log_wealth = self._most = 0.0

    def bet(self, model: float, prior: float) -> None:
        """Settle the bet on a hand by its probabilities, by the model that was made before it, and by the prior, above
        0."""
        self.log_wealth += log1p(_STAKE * (model / prior - 1.0))
        self._most = max(self._most, self.log_wealth)

    @property
    def trust(self) -> float:
        """1 less the bound on the probability that an opponent who plays the prior brings so much; 0 without
        evidence."""
        return 0.0 if self.log_wealth <= 0.0 else 1.0 - exp(-self.log_wealth)

    @property
    def has_turned(self) -> bool:
        """Return whether so much was lost again that the opponent must have changed."""
        return self._most - self.log_wealth > _LOST


class TrustByEvidence(Governor):
    """Trust in tenths of the most, as far as a bettor's wealth allows, rounded down. likelihoods: of a hand and a
    model, the probability of the hand by the model and by the prior, up to one factor."""

    def __init__(self, p: float, likelihoods: Callable[[Any, Any], tuple[float, float]]) -> None:
        super().__init__(p)
        self._likelihoods, self.wealth = likelihoods, Wealth()

    @property
    def forgets(self) -> bool:
        return self.wealth.has_turned

    @property
    def trust(self) -> float:
        return self._p * int(_LEVELS * self.wealth.trust) / _LEVELS

    def see(self, hand: Any, model: Any, played: Any) -> None:  # noqa: ARG002 - bets on the model
        if model is not None:
            self.wealth.bet(*self._likelihoods(hand, model))

    def describe(self) -> str:
        return f"{super().describe()} by a wealth of {self.wealth.log_wealth:.3g} nats"


class RiskByGifts(Governor):
    """The exploitability that the gifts so far allow (Ganzfried and Sandholm 2015). budget: chips that were won in
    expectation above the value of the game, at least; by the credit `mean` on average."""

    def __init__(self, span: float, bounds_of: Callable[[Any], Any]) -> None:
        super().__init__()
        self._least, self.budget, self._bounds_of = span * 2.0**-_LEVELS, 0.0, bounds_of
        self._bounds: tuple[Any, Any] | None = None

    @property
    def trust(self) -> float:
        """The largest power of two times the span, from 2^-`_LEVELS` on, that the chips cover; else 0."""
        if self.budget < self._least:
            return 0.0
        return float(self._least * 2.0 ** np.floor(np.log2(self.budget / self._least)))

    def see(self, hand: Any, model: Any, played: Any) -> None:  # noqa: ARG002 - asks no model
        if self._bounds is None or self._bounds[0] is not played:
            self._bounds = played, self._bounds_of(played)
        self.budget += self._bounds[1].surplus(hand)

    def describe(self) -> str:
        return f"{self.budget:.3g} chips may be risked"


class Study(ABC):
    """Knowledge of the other player in one world, and the response to it.

    Attributes:
        learns_in: the game whose moves are told.
        prior: the model before anything is seen; None where nothing is responded to then.
        first, growth: the model is made anew after so many hands, and then whenever their number has grown by this factor.
        counts_change: whether the hand that tells that the opponent has changed counts as the first of the new one.
        draws_anew: whether each response is played with draws of its own.
    """

    seat: int
    bot: LearningBot
    learns_in: Any
    prior: Any = None
    first, growth = 40, 1.5
    counts_change = True
    draws_anew = True

    @abstractmethod
    def begin(self) -> Governor:
        """Forget all hands; what decides how far models are trusted."""

    def governor(self, bounds_of: Callable[[Any], Any] | None = None) -> Governor:
        """What the settings ask for. bounds_of: of gifts, while a strategy is played."""
        if self.bot.by == GIFTS and bounds_of is not None:
            return RiskByGifts(self.learns_in.span, bounds_of)
        return TrustByEvidence(self.bot.p, self.likelihoods) if self.bot.by == EVIDENCE else Governor(self.bot.p)

    @abstractmethod
    def likelihoods(self, hand: Any, model: Any) -> tuple[float, float]:
        """The probability of a hand by a model and by the prior, up to one factor."""

    @abstractmethod
    def read(self, shown: Any, result: float, played: Any) -> Any:
        """A finished hand as it is counted; None if it tells nothing. played: the agent that played it."""

    @abstractmethod
    def count(self, hand: Any) -> None:
        """Count a hand."""

    @abstractmethod
    def model(self) -> Any:
        """The model by the hands so far; None if they make none."""

    @abstractmethod
    def respond(self, model: Any, trust: float) -> StrategyAgent:
        """The agent that plays with a trust in a model, or without one; Ctrl-C in a solve is raised."""


class LearningAgent(Player):
    """Plays the response to what it has learned so far. learns_in: the game. governor: decides how far the model is
    trusted. learned: the model that it responds to; None before the first. trust: of the response that is played.
    hands: counted since the beginning, or since the opponent changed."""

    def __init__(self, study: Study, draws: int, name: str) -> None:
        super().__init__(study.seat, name)
        self.study, self.learns_in, self._seed = study, study.learns_in, draws
        self._draws = random.Random(draws)
        self._begin()

    def _begin(self) -> None:
        self.governor = self.study.begin()
        self.hands, self._next, self.learned = 0, float(self.study.first), self.study.prior
        self._respond()

    @property
    def strategy(self) -> Any:
        """What it plays now; None in whole hold'em."""
        return self._playing.strategy

    def new_hand(self) -> None:
        self._playing.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        return self._playing.act(observation, legal)

    def policy(self, observation: str) -> dict[str, float]:
        return self._playing.policy(observation)

    def end_hand(self, result: float, shown: Any) -> None:
        """Learn from a hand; one that is not given, or is none of this game, is refused."""
        if shown is None:
            raise InputError(f"{self.name} learns from hands, and was told none")
        hand = self.study.read(shown, result, self._playing)
        if hand is not None:
            self.learn_from(hand)

    def learn_from(self, hand: Any) -> None:
        """Learn from a hand as the study reads it."""
        self.governor.see(hand, self.learned, self.strategy)
        if self.governor.forgets:
            self.log.append(f"forgets {self.hands:,} hands: the opponent has changed")
            self._begin()
            if not self.study.counts_change:
                return
        self.study.count(hand)
        self.hands += 1
        if self.hands >= self._next:
            self._next = self.hands * self.study.growth
            model = self.study.model()
            if model is not None:
                self.learned = model
                self.log.append(f"after {self.hands:,} hands {self.governor.describe()}")
                self._respond()
        elif self.learned is not None and self.governor.trust != self.trust:
            self._respond()

    def _respond(self) -> None:
        self.trust = 0.0 if self.learned is None else self.governor.trust
        self._playing = self.study.respond(self.learned, self.trust)
        if self.study.draws_anew:
            self._seed += 1
            self._draws = random.Random(self._seed)
        self._playing.draws = self._draws
