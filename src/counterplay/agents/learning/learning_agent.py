"""An agent that counts what it sees of its opponent, and responds to the model as far as evidence or gifts allow."""

from __future__ import annotations

import random
from collections.abc import Sequence

from counterplay.agents.learning.governors import Governor
from counterplay.agents.player import Player
from counterplay.arrays import I64
from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.counting.terminal_infosets import Move, ObservedHand, consistent_ends
from counterplay.opponents.counts import Counts
from counterplay.treeplex.strategy import Strategy

FIRST, GROWTH = 20, 1.25
"""The model is made anew after so many hands, and then whenever their number has grown by this factor."""


class LearningAgent(Player):
    """Learns while it plays a game in memory.

    Args:
        game: compiled.
        seat: its seat.
        prior: the strategy that the opponent is taken for before anything is seen.
        governor: decides how far the model is trusted.
        seed: of its draws.
        name: for messages.

    Attributes:
        counts: what was seen of the opponent.
        learns_in: the game.
        learned: the model that it responds to.
        strategy: what it plays.
    """

    def __init__(self, game: GameTree, seat: int, prior: Strategy, governor: Governor, seed: int, name: str) -> None:
        super().__init__(seat, name)
        self.game, self.governor = game, governor
        self._prior, self._draw = prior, random.Random(seed)
        self.learns_in = game
        self._begin()

    def _begin(self) -> None:
        self.counts, self.learned, self._next = Counts(self.game, 1 - self.seat), self._prior, float(FIRST)
        self.strategy = self.governor.respond_to(self.learned)

    def new_hand(self) -> None:
        """Begin a new hand."""
        self._last = 0

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - the strategy knows
        """An action drawn at the infoset of this text; errors as in `policy`."""
        row = self.policy(observation)
        drawn = self._draw.choices(list(row), list(row.values()))[0]
        labels = self.strategy.tree.labels
        number = labels.index[observation]
        if (lane := labels.lanes[number]) >= 0:
            first, stride, _ = self.strategy.tree.lane_sequences
            self._last = int(first[lane] + labels.actions[number].index(drawn) * stride[lane])
        return drawn

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action now.

        Raises:
            InputError: the game has no such infoset.
        """
        return self.strategy.probabilities(observation)

    def end_hand(self, result: float, shown: Sequence[Move] | None) -> None:
        """Learn from a hand.

        Args:
            result: chips won.
            shown: its moves, with None for what was not seen.

        Raises:
            InputError: no moves are given, or they are no hand of the game.
        """
        if shown is None:
            raise InputError(f"{self.name} learns from the moves of a hand, and was told none")
        ends = consistent_ends(self.game, ObservedHand(tuple(shown), result if self.seat == 0 else -result))
        self.learn_from(ends[self.game.sequences[self.seat][ends] == self._last])

    def learn_from(self, ends: I64) -> None:
        """Learn from a hand by the ends that it may have had. ends: (n,) terminal histories."""
        again = self.governor.see(ends, self.learned, self.strategy)
        if self.governor.forgets:
            self.log.append(f"forgets {self.counts.hands:,} hands: the opponent has changed")
            self._begin()
            return
        self.counts.see_ends(ends)
        if self.counts.hands >= self._next:
            self._next = self.counts.hands * GROWTH
            self.learned, again = self.counts.strategy(self._prior), True
            self.log.append(f"after {self.counts.hands:,} hands {self.governor.describe()}")
        if again:
            self.strategy = self.governor.respond_to(self.learned)
