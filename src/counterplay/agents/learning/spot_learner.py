"""An agent of spots of hold'em that learns while it plays: the opponent's habits by situation, and a response to them.

What is counted are actions, by class of decisions (`spot_situations.situations`). That needs no hidden cards, and it leaves
the deal alone, the first decision of each player's treeplex, which estimates over sequences would take for a habit. The
model is the solution of the spot with the smallest change that brings every frequency to the near end of its interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from counterplay.agents.learning.learner_trust import FIRST, GROWTH, LearnerTrust
from counterplay.agents.learning.spot_trust import SpotTrust, TrustByGifts, TrustByWealth
from counterplay.agents.player import Player
from counterplay.agents.spot_agents import StrategyPlayer
from counterplay.errors import InputError
from counterplay.opponents.counting.terminal_infosets import Move
from counterplay.opponents.opponent import opponent
from counterplay.opponents.spot_counts import SpotObserver
from counterplay.opponents.tilting.spot_situations import FrequencyClass, situations
from counterplay.opponents.tilting.spot_tilt import tilt_spot
from counterplay.opponents.villain.observed_share import ObservedShare
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.respond import respond
from counterplay.strategies.spot_reference import locked_strategy
from counterplay.treeplex.strategy import Strategy


class SpotLearner(Player):
    """Plays the solution of a spot until hands support a model, then the response to it.

    Args:
        game: the spot.
        solved: its equilibrium, which is the prior.
        seat: 0 (oop) or 1 (ip).
        trusting: how far the model is trusted; or, as one of `learning_bot.CREDITS`, how gifts are counted.
        draws: seed of its draws.
        name: for messages.

    Attributes:
        learns_in: the spot.
        counted: by class of the opponent's decisions, how often the class's actions were taken, and of how many.
        trusted: decides how far the model is trusted.
        learned: the model; None before the first.
        trust: the p of the response that is played, or the exploitability that it may have, in chips.
    """

    def __init__(
        self, game: SpotGame, solved: SolvedSpot, seat: int, trusting: LearnerTrust | str, draws: int, name: str
    ) -> None:
        super().__init__(seat, name)
        self.learns_in, self._solved, self._asked, self._draws = game, solved, trusting, draws
        self._classes, self._observer = situations(game.tree.betting, 1 - seat), SpotObserver(game, 1 - seat)
        self._nash, self._prior = (opponent(game, "nash", player) for player in (seat, 1 - seat))
        self._answers = 0
        self._begin()

    def _begin(self) -> None:
        """Take the opponent for the solution."""
        self.counted = {one.name: (0, 0) for one in self._classes}
        self.hands, self._next, self.trust = 0, float(FIRST), 0.0
        self.trusted = self._trusting()
        self.learned: Strategy | None = None
        self._play(self._nash)

    def _trusting(self) -> SpotTrust:
        if isinstance(self._asked, LearnerTrust):
            return TrustByWealth(self.learns_in, self._prior, self._asked)
        return TrustByGifts(self.learns_in, self._nash, self._asked)

    def _play(self, strategy: Strategy) -> None:
        self._answers += 1
        self._player = StrategyPlayer(self.learns_in, strategy, self._draws + self._answers, self.name)

    @property
    def strategy(self) -> Strategy:
        """What it plays now."""
        return self._player.strategy

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """An action of the response; errors as of `StrategyPlayer`."""
        return self._player.act(observation, legal)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action now; errors as in `act`."""
        return self._player.policy(observation)

    def end_hand(self, result: float, shown: Sequence[Move] | None) -> None:  # noqa: ARG002 - the moves say it
        """Learn from a hand.

        Args:
            result: chips won.
            shown: its moves, with None for the opponent's hand where it was not seen.

        Raises:
            InputError: no moves are given, or they are no hand of the spot.
        """
        if shown is None:
            raise InputError(f"{self.name} learns from the moves of a hand, and was told none")
        seen = self._observer.read(shown)
        self.trusted.see(seen, self.learned, self.strategy)
        if self.trusted.forgets:
            self.log.append(f"forgets {self.hands:,} hands: the opponent has changed")
            self._begin()
        for part, number in seen.actions:
            for name, hits, among in self._at.get(part.node, ()):
                k, n = self.counted[name]
                self.counted[name] = (k + (number in hits), n + 1) if number in among else (k, n)
        self.hands += 1
        if self.hands >= self._next:
            self._next = self.hands * GROWTH
            self._learn()
        elif self.learned is not None and self.trusted.now != self.trust:
            self._respond(self.learned)

    @cached_property
    def _at(self) -> dict[int, list[tuple[str, tuple[int, ...], tuple[int, ...]]]]:
        """The classes of each node."""
        found: dict[int, list[tuple[str, tuple[int, ...], tuple[int, ...]]]] = {}
        for one in self._classes:
            for at in one.nodes:
                found.setdefault(at.node, []).append((one.name, at.hits, at.among))
        return found

    def _learn(self) -> None:
        seen = {name: ObservedShare(k, n) for name, (k, n) in self.counted.items() if n}
        bounds = {name: share.interval for name, share in seen.items()}
        classes: list[FrequencyClass] = [one for one in self._classes if one.name in seen]
        try:
            tilt = tilt_spot(self._solved, 1 - self.seat, classes, bounds, seen)
        except InputError:  # the solution never comes to where the opponent was seen: there is nothing to tilt
            return
        self.learned = locked_strategy(tilt.lock, self.learns_in)
        self._respond(self.learned)
        self.log.append(f"after {self.hands:,} hands p = {self.trust:.3g}")

    def _respond(self, model: Strategy) -> None:
        """Play the response at the trust of now.

        Raises:
            KeyboardInterrupt: the solve was cut short.
        """
        self.trust = self.trusted.now
        if self.trust == 0.0:
            self._play(self._nash)
            return
        answer = respond(self.learns_in, model, self.trusted.method(self.trust))
        if answer.interrupted:
            raise KeyboardInterrupt
        self._play(answer.strategy)
