"""An agent that learns from the hands it plays, and responds to its model as far as evidence or gifts allow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from counterplay.agents.agent import Position, StrategyAgent
from counterplay.agents.learning.governors import Governor
from counterplay.agents.player import Player
from counterplay.errors import InputError


class Study(ABC):
    """What an agent learns of the other player in one world, and how it responds.

    Attributes:
        seat: the agent's.
        learns_in: the game whose moves are told.
        prior: the model before anything is seen; None where nothing is responded to then.
        first, growth: the model is made anew after so many hands, and then whenever their number has grown by this factor.
        counts_change: whether the hand that tells that the opponent has changed counts as the first of the new one.
        draws_anew: whether each response is played with draws of its own.
    """

    seat: int
    learns_in: Any
    prior: Any = None
    first, growth = 40, 1.5
    counts_change = True
    draws_anew = True

    @abstractmethod
    def begin(self) -> Governor:
        """Forget all hands; what decides how far models are trusted."""

    @abstractmethod
    def read(self, shown: Any, result: float, position: Any) -> Any:
        """A finished hand as it is counted; None if it tells nothing. position: of the agent in it.

        Raises:
            InputError: it is no hand of the game.
        """

    @abstractmethod
    def count(self, hand: Any) -> None:
        """Count a hand."""

    @abstractmethod
    def model(self) -> Any:
        """The model by the hands so far; None if they make none."""

    @abstractmethod
    def respond(self, model: Any, trust: float) -> Position:
        """What is played with a trust in a model, or without one.

        Raises:
            KeyboardInterrupt: the solve was cut short.
        """


class LearningAgent(Player):
    """Plays the response to what it has learned so far.

    Args:
        study: of its world.
        draws: seed of its draws.
        name: for messages.

    Attributes:
        learns_in: the game.
        governor: decides how far the model is trusted.
        learned: the model that it responds to; None before the first.
        trust: of the response that is played.
        hands: counted since the beginning, or since the opponent changed.
    """

    def __init__(self, study: Study, draws: int, name: str) -> None:
        super().__init__(study.seat, name)
        self.study, self.learns_in = study, study.learns_in
        self._seed, self._answers = draws, 0
        self._player: StrategyAgent | None = None
        self._begin()

    def _begin(self) -> None:
        self.governor = self.study.begin()
        self.hands, self._next, self.learned = 0, float(self.study.first), self.study.prior
        self._respond()

    @property
    def strategy(self) -> Any:
        """What it plays now; None in whole hold'em."""
        return self._playing.strategy

    @property
    def _playing(self) -> StrategyAgent:
        assert self._player is not None
        return self._player

    def new_hand(self) -> None:
        self._playing.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        return self._playing.act(observation, legal)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action now; errors as of `StrategyAgent`."""
        return self._playing.policy(observation)

    def end_hand(self, result: float, shown: Any) -> None:
        """Learn from a hand.

        Args:
            result: chips won.
            shown: its moves, with None for what was not seen; in whole hold'em the hand.

        Raises:
            InputError: no hand is given, or none of this game.
        """
        if shown is None:
            raise InputError(f"{self.name} learns from hands, and was told none")
        hand = self.study.read(shown, result, self._playing.position)
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
        position = self.study.respond(self.learned, self.trust)
        if self._player is not None and not self.study.draws_anew:
            self._player.position = position
            return
        self._answers += self.study.draws_anew
        self._player = StrategyAgent(position, self._seed + self._answers, self.name)
