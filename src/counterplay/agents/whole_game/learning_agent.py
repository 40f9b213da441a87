"""An agent of whole hold'em that learns while it plays: the blueprint tilted toward the hands it saw, and a response."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from counterplay.agents.learning.evidence import SOFT, Wealth
from counterplay.agents.learning.learner_trust import FIRST, GROWTH, LearnerTrust
from counterplay.agents.player import Player
from counterplay.agents.whole_game.agents import BlueprintAgent
from counterplay.errors import InputError
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.mapped_hands import HandMapper, MappedHand, MappedHands, log_likelihood
from counterplay.opponents.tilting.tilted_model import model_of_mapped
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.observed_strategy import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy
from counterplay.responses.matchup.sampled_responses import SampledResponses
from counterplay.responses.whole_game import lanes_of, start_of
from counterplay.solvers.cfr import Stop

MOST_HANDS = 3000
"""The latest hands that a model is made of."""
ITERATIONS = 1000
"""Of public chance sampling, for each response."""


@dataclass(frozen=True)
class LearningSettings(LearnerTrust):
    """How far a model is trusted, and how it is answered.

    Attributes:
        iterations: of each response.
        seed: of each response.
    """

    iterations: int = ITERATIONS
    seed: int = 0


class WholeGameLearner(Player):
    """Plays a blueprint until its hands support a model, then the response to it in the buckets of the game.

    Args:
        rules: of the game, no-limit.
        prior: what the other is taken for before anything is seen; the agent plays as it, too, until it responds.
        seat: 0 or 1.
        settings: see there.
        draws: seed of its draws.
        name: for messages.

    Attributes:
        learns_in: the rules.
        wealth: of the bet on the model against the prior.
        trust: the p of the response that is played.
        learned: the model; None before the first.

    Raises:
        InputError: a limit game.
    """

    def __init__(
        self, rules: Holdem, prior: BucketedStrategy, seat: int, settings: LearningSettings, draws: int, name: str
    ) -> None:
        super().__init__(seat, name)
        if rules.limits.bets is not None:
            raise InputError(f"learn plays no-limit hold'em, and {rules.name} has fixed bets")
        self.learns_in, self._prior, self._settings, self._draws = rules, prior, settings, draws
        self._answers = 0
        self._begin()

    def _begin(self) -> None:
        """Take the other for the prior."""
        self._hands: deque[MappedHand] = deque(maxlen=MOST_HANDS)
        self._seen, self._next, self.trust = 0, float(FIRST), 0.0
        self.wealth = Wealth()
        self.learned: ObservedStrategy | None = None
        self._play_as(self._prior)

    def _play_as(self, play: BlueprintStrategy) -> None:
        self._answers += 1
        self._player = BlueprintAgent(self.learns_in, play, self.seat, self._draws + self._answers, self.name)

    @property
    def hands(self) -> int:
        """Hands with a decision of the other since the beginning, or since it changed."""
        return self._seen

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """An action of the response; errors as of `BlueprintAgent`."""
        return self._player.act(observation, legal)

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action now; errors as in `act`."""
        return self._player.policy(observation)

    def end_hand(self, result: float, shown: HoldemHand | None) -> None:  # noqa: ARG002 - the hand has it
        """Learn from a hand.

        Args:
            result: chips won.
            shown: the hand, with the other's cards where they were seen.

        Raises:
            InputError: no hand is given, or none of this game.
        """
        if shown is None:
            raise InputError(f"{self.name} learns from hands, and was told none")
        mapper = HandMapper(self.learns_in.game)
        mapper.add(shown, 1 - self.seat)
        if not mapper.hands:
            return
        hand = mapper.hands[0]
        self._bet(hand)
        if self.wealth.has_turned:
            self.log.append(f"forgets {self._seen:,} hands: the opponent has changed")
            self._begin()
        self._hands.append(hand)
        self._seen += 1
        if self._seen >= self._next:
            self._next = self._seen * GROWTH
            self._learn()
        elif self.learned is not None and self._settings.now(self.wealth) != self.trust:
            self._respond()

    def _bet(self, hand: MappedHand) -> None:
        """Bet on the model that was made before the hand."""
        if self.learned is not None and self._settings.by_evidence:
            game = self.learns_in.game
            logs = [log_likelihood(game, play, hand, SOFT) for play in (self.learned, self._prior)]
            self.wealth.bet(exp(min(logs[0] - logs[1], 500.0)), 1.0)

    def _learn(self) -> None:
        made = model_of_mapped(self.learns_in.game, self._prior, MappedHands(tuple(self._hands)))
        self.learned = ObservedStrategy(made.play, made.counts)
        self._respond()
        self.log.append(f"after {self._seen:,} hands p = {self.trust:.3g}")

    def _respond(self) -> None:
        """Play the response at the trust of now.

        Raises:
            KeyboardInterrupt: the solve was cut short.
        """
        self.trust = self._settings.now(self.wealth)
        if self.trust == 0.0 or self.learned is None:
            self._play_as(self._prior)
            return
        rules, asked = self.learns_in, self._settings
        solves = SampledResponses(
            rules.game, lanes_of(rules), 1 - self.seat, self.learned, Stop(iterations=asked.iterations), asked.seed,
            start_of(rules, self._prior),
        )  # fmt: skip
        found = solves.response(self.trust, by_row=asked.by_row)
        if found.interrupted:
            raise KeyboardInterrupt
        self._play_as(found.plan)
