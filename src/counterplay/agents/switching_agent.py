"""An agent that changes into others in the middle of a match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from counterplay.agents.player import Player


class SwitchingAgent(Player):
    """Plays as each of some agents for a number of hands.

    Args:
        agents: of one seat; the last one stays.
        after: hands of each.
        name: for messages.
    """

    def __init__(self, agents: Sequence[Player], after: int, name: str) -> None:
        super().__init__(agents[0].seat, name)
        self._agents, self._after, self._hands = list(agents), after, 0

    @property
    def learns_in(self) -> Any:
        """The game in which one of them learns; None if none does."""
        return next((game for agent in self._agents if (game := getattr(agent, "learns_in", None))), None)

    @property
    def _now(self) -> Player:
        return self._agents[min((self._hands - 1) // self._after, len(self._agents) - 1)]

    def new_hand(self) -> None:
        """Begin a new hand, perhaps as the next agent."""
        self._hands += 1
        self._now.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """As the agent of this hand."""
        return self._now.act(observation, legal)

    @property
    def act_at(self) -> Callable[[Any], str] | None:
        """That of the agent of this hand; None if it has none."""
        found: Callable[[Any], str] | None = getattr(self._now, "act_at", None)
        return found

    def end_hand(self, result: float, shown: Any) -> None:
        """As the agent of this hand."""
        self._now.end_hand(result, shown)
