"""The protocol of agents, observation in, action out; and two simple agents: a fixed strategy and uniform play."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol

from counterplay.agents.player import Player
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.treeplex.strategy import Strategy


class Agent(Protocol):
    """One seat of a game, hand after hand.

    Optional members:
        name: a text for messages and results.
        belief(observation): what it thinks of the other player's private situation: the text of each infoset that the
            other player may be in, with its probability. `observation` as in `act`, also where the other player acts.
        act_at(state): asked instead of `act` where whoever runs the hand has the state; it must look at nothing there
            that its seat does not know.
        log: lines about its decisions, for whoever wants to read them; a match does not.

    Our own agents are all `agents.player.Player`, which has more.
    """

    seat: int

    def new_hand(self) -> None:
        """A new hand begins."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The text of an action.

        Args:
            observation: what the own seat knows: `Game.infoset(state, seat)`.
            legal: the texts of the legal actions. A match always gives them; an agent that knows its game needs none.
        """


class StrategyAgent(Player):
    """Draws from the behaviour strategy of a compiled game.

    Args:
        strategy: of the seat that the agent takes.
        seed: of its draws.
        name: for messages; by default the method that made the strategy.
    """

    def __init__(self, strategy: Strategy, seed: int, name: str = "") -> None:
        super().__init__(strategy.player, name or str(strategy.facts.get("method", "strategy")))
        self.strategy = strategy
        self._draw = random.Random(seed)
        _ = strategy.tree.labels  # made now, so that the first decision is as fast as the rest

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - the strategy knows
        """An action drawn at the infoset of this text; errors as in `policy`."""
        row = self.policy(observation)
        return self._draw.choices(list(row), list(row.values()))[0]

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action.

        Raises:
            InputError: the strategy's game has no such infoset.
        """
        return self.strategy.probabilities(observation)


class PolicyAgent(Player):
    """Draws from a policy, in a game written as rules that need not be in memory.

    Args:
        game: the rules.
        policy: how it acts.
        seat: the seat it takes.
        seed: of its draws.
    """

    def __init__(self, game: FastGame, policy: Policy, seat: int, seed: int) -> None:
        super().__init__(seat, policy.name)
        self._game, self._policy = game, policy
        self._draw = random.Random(seed)

    def act_at(self, state: Any) -> str:
        """An action drawn at a state, of which the policy uses only what its seat knows."""
        row = self._policy.odds(self._game, state)
        return self._draw.choices(list(row), list(row.values()))[0]

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - one shape for all
        """Raises InputError: it takes more than the text; load the game, or let a match ask."""
        raise InputError(f"{self.name} must be shown the state at '{observation}', not its text alone")


class UniformAgent(Player):
    """Every legal action alike, in any game, compiled or not."""

    name = "uniform"

    def __init__(self, seat: int, seed: int) -> None:
        super().__init__(seat, self.name)
        self._draw = random.Random(seed)

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """One of `legal`.

        Raises:
            InputError: nobody said which actions are legal.
        """
        if not legal:
            raise InputError(f"the uniform agent must be told the legal actions at '{observation}'")
        return self._draw.choice(legal)


def name_of(agent: Agent) -> str:
    """The agent's name, or that of its class."""
    return str(getattr(agent, "name", "") or type(agent).__name__)
