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
    """A player of one seat of a game, hand after hand.

    Optional members:
        name: a text for messages and results.
        belief(observation): its belief about the other player: the text of each possible infoset of theirs, with its
            probability. `observation` as in `act`, also where the other player acts.
        act_at(state): called instead of `act` if the caller has the state; it must use only what its seat knows.
        end_hand(result, shown): called after every hand with the chips won, and the moves as this seat may know them (who
            acts, and the text of the action or None); in whole hold'em a `HoldemHand`; None where no agent learns.
        learns_in: the compiled game whose moves `end_hand` needs, or the rules of a whole game; None without them.
        log: lines about its decisions; a match does not read them.

    The library's agents are all `agents.player.Player`, which has more members.
    """

    seat: int

    def new_hand(self) -> None:
        """Begin a new hand."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The text of an action.

        Args:
            observation: the seat's infoset: `Game.infoset(state, seat)`.
            legal: the texts of the legal actions. A match always gives them; an agent that knows its game needs none.
        """


class StrategyAgent(Player):
    """Draws from the behaviour strategy of a compiled game.

    Args:
        strategy: strategy of the agent's seat.
        seed: seed of its draws.
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
        game: the rules of the game.
        policy: the policy.
        seat: its seat.
        seed: seed of its draws.
    """

    def __init__(self, game: FastGame, policy: Policy, seat: int, seed: int) -> None:
        super().__init__(seat, policy.name)
        self._game, self._policy = game, policy
        self._draw = random.Random(seed)

    def act_at(self, state: Any) -> str:
        """An action drawn at a state; the policy uses only what its seat knows."""
        row = self._policy.odds(self._game, state)
        return self._draw.choices(list(row), list(row.values()))[0]

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - one shape for all
        """Raises InputError: the text is not enough; load the game, or use a match."""
        raise InputError(f"{self.name} must be shown the state at '{observation}', not its text alone")


class UniformAgent(Player):
    """Uniform play in any game, compiled or not."""

    name = "uniform"

    def __init__(self, seat: int, seed: int) -> None:
        super().__init__(seat, self.name)
        self._draw = random.Random(seed)

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """One of `legal`.

        Raises:
            InputError: the legal actions are not given.
        """
        if not legal:
            raise InputError(f"the uniform agent needs the legal actions at '{observation}'")
        return self._draw.choice(legal)


def name_of(agent: Agent) -> str:
    """The agent's name, or that of its class."""
    return str(getattr(agent, "name", "") or type(agent).__name__)
