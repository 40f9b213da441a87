"""Agents as OpenSpiel bots, OpenSpiel bots as agents, strategies as its policies; for games loaded from OpenSpiel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from counterplay.agents.agent import Agent
from counterplay.errors import InputError
from counterplay.games.formats.openspiel import OpenSpielGame
from counterplay.games.game import Game
from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.play_hand import decide
from counterplay.problem.solvable_game import rules_of
from counterplay.texts.arguments import takes
from counterplay.treeplex.strategy import Strategy


def openspiel_bot(agent: Agent, game: Game | GameTree) -> Any:
    """A `pyspiel.Bot` that plays like `agent`, for `pyspiel.evaluate_bots` and the like. Its game, as rules or
    compiled, is an `openspiel:...`, whose texts are the agent's observations."""
    rules = rules_of(game)
    if not isinstance(rules, OpenSpielGame):
        raise InputError(f"an OpenSpiel bot needs a game loaded as openspiel:..., not {rules.name}")
    return _bot_class()(agent, rules)


@cache
def _bot_class() -> Any:
    """The class, defined when OpenSpiel is available."""
    import pyspiel

    class AgentBot(pyspiel.Bot):  # type: ignore[misc]
        """An agent behind OpenSpiel's interface. It observes the state given by OpenSpiel."""

        def __init__(self, agent: Agent, rules: OpenSpielGame) -> None:
            super().__init__()
            self.agent = agent
            self.rules = rules

        def player_id(self) -> int:
            return self.agent.seat

        def restart(self) -> None:
            self.agent.new_hand()

        def restart_at(self, state: Any) -> None:  # noqa: ARG002 - the next state tells all
            self.agent.new_hand()

        def inform_action(self, state: Any, player_id: int, action: int) -> None:
            """No-op: the agent's observation has its seat's history."""

        def step(self, state: Any) -> int:
            return decide(self.rules, self.agent, state)[0]  # type: ignore[no-any-return]

    return AgentBot


class BotAgent:
    """An OpenSpiel bot as an agent, only for games loaded as `openspiel:...`; of a game of simultaneous moves, for the
    game of turns that it was turned into. The bot is informed of every action of others, including chance, before its
    next decision, as in `pyspiel.evaluate_bots`."""

    def __init__(self, bot: Any, seat: int, name: str = "") -> None:
        self.seat = seat
        self.name = name or type(bot).__name__
        self._bot = bot
        self._told: Any = None  # the state up to which the bot has heard of the hand

    def new_hand(self) -> None:
        """Restart the bot."""
        self._bot.restart()
        self._told = None

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002
        """Unsupported: a bot cannot decide from a text."""
        raise InputError(f"the OpenSpiel bot {self.name} needs the state of a game loaded as openspiel:...")

    def act_at(self, state: Any) -> str:
        """The text of the action that the bot takes at an OpenSpiel state."""
        if not hasattr(state, "information_state_string"):
            return self.act("")
        told = self._told if self._told is not None else state.get_game().new_initial_state()
        for action in state.history()[len(told.history()) :]:  # what others have done since the bot last decided
            who = told.current_player()
            if who != self.seat:
                self._bot.inform_action(told, who, action)
            told.apply_action(action)
        self._told, action = told, self._bot.step(state)
        if action not in state.legal_actions():
            raise InputError(f"the OpenSpiel bot {self.name} in seat {self.seat} took the illegal action {action}")
        return str(state.action_to_string(self.seat, action))


@takes()
def to_openspiel(game: GameTree, *strategies: Strategy) -> Any:
    """A `pyspiel.TabularPolicy` of strategies of one seat or both, for OpenSpiel's own algorithms. strategies: of this
    game; a seat without one is missing in the policy.

    Raises:
        InputError: the game did not come from OpenSpiel, or a strategy is not of this game.
    """
    if not isinstance(rules_of(game), OpenSpielGame):
        name = getattr(game, "name", type(game).__name__)
        raise InputError(f"an OpenSpiel policy needs a game loaded as openspiel:..., not {name}")
    import pyspiel

    table: dict[str, list[tuple[int, float]]] = {}
    for strategy in strategies:
        seat = strategy.player
        if not strategy.is_of(game):
            raise InputError(f"this is not a strategy of player {seat} in {game.name}")
        for state, infoset in zip(game.states(game.first[seat]), strategy.tree.labels.infosets, strict=True):
            row = strategy.probabilities(infoset)
            found = [(action, row[state.action_to_string(seat, action)]) for action in state.legal_actions()]
            table[state.information_state_string(seat)] = found
    return pyspiel.TabularPolicy(table)
