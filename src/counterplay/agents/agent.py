"""The protocol of agents, observation in, action out; and the agents of all worlds, written against `Position`."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, Protocol

from counterplay.agents.agent_archive import Saved, write
from counterplay.agents.player import Player, Source
from counterplay.budget import limited_seconds
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.lookahead.search import Search
from counterplay.lookahead.tremble import share_of


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


class Position(ABC):
    """Where a hand stands in one world for one seat, and what is played there.

    Attributes:
        seat: the seat.
        name: of the agent, for messages.
        is_fixed: whether the same strategy is played in every hand.
        draws_forced: whether an agent spends a draw where there is one action only.
        log: the agent's, which sets it.
    """

    seat: int
    log: deque[str]
    name = ""
    is_fixed = True
    draws_forced = True

    @property
    def seconds(self) -> float:
        """The limit of a decision."""
        return inf

    @property
    def strategy(self) -> Any:
        """What is played, as far as it is decided; None where that is not told as one strategy."""
        return None

    @abstractmethod
    def row(self, observation: str) -> dict[str, float]:
        """The probability of each action at an infoset, solved if need be; refused where the seat cannot observe it."""

    def acted(self, action: int) -> None:  # noqa: B027 - by default nothing is followed
        """Go on by an action, given by its number, where the last row was asked for."""

    def new_hand(self) -> None:  # noqa: B027
        """Return to the beginning."""

    def saved(self, agent: StrategyAgent) -> Saved | None:
        """The content of the agent's file; None if there is none."""
        del agent
        return None


class SearchPosition(Position):
    """A position whose strategy look-aheads compute on the way, with a search and a model that may be changed.

    Attributes:
        search, model: of the next decision or, unless changes count at once, of the next hand.
        remember: whether solutions are kept from hand to hand.
        hands: begun so far.
    """

    search: Search
    model: Source = None
    is_fixed = False
    changes_at_once = True
    remember = True
    hands = 0

    @property
    def seconds(self) -> float:
        return self.search.stop.seconds

    @abstractmethod
    def begin(self, source: Source) -> None:
        """Begin with a model, anything that `opponent` takes; refused where the search trusts one and there is none."""

    @abstractmethod
    def take(self, source: Source) -> None:
        """Take another model."""

    @abstractmethod
    def search_as(self, search: Search) -> None:
        """Search otherwise from now, or from the next hand on; refused where that needs a model or does not fit the
        game."""

    @abstractmethod
    def belief(self, observation: str) -> dict[str, float]:
        """The probability of what the other seat could hold, by its text; also where the other acts."""


class StrategyAgent(Player):
    """Draws from what its position plays; by default it is named after the method that made the strategy."""

    position: Position

    def __init__(self, position: Position, seed: int = 0, name: str = "") -> None:
        if not name:
            name = str(getattr(position.strategy, "facts", {}).get("method", "strategy"))
        self.position, self.draws, position.name = position, random.Random(seed), name
        super().__init__(position.seat, name)

    @property
    def log(self) -> deque[str]:  # type: ignore[override]
        """Lines about its decisions."""
        return self.position.log

    @log.setter
    def log(self, log: deque[str]) -> None:
        self.position.log = log

    @property
    def strategy(self) -> Any:
        """What it plays, as far as it has decided; None where that is not one strategy in memory."""
        return self.position.strategy

    def new_hand(self) -> None:
        self.position.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - the position knows
        row = self.policy(observation)
        names = list(row)
        if len(names) == 1 and not self.position.draws_forced:
            return names[0]
        action = self.draws.choices(range(len(names)), list(row.values()))[0]
        self.position.acted(action)
        return names[action]

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action, solved if need be; nothing is drawn.

        Raises:
            InputError: no such infoset, an invalid betting path or an impossible hand.
        """
        with limited_seconds(self.position.seconds):
            return self.position.row(observation)

    def save(self, path: str | Path) -> None:
        saved = self.position.saved(self)
        if saved is None:
            super().save(path)
        else:
            write(path, saved)


class ContinualAgent(StrategyAgent):
    """Plays a seat by continual look-aheads: CDBR, CDRNR, SES, ABD or continual re-solving, by its search.

    Args:
        position: of a game in memory, of one that is expanded on the way, or of a spot.
        model: model of the opponent: a strategy, or any text or function that `opponents.opponent` takes; None if p is
            0. It may be changed at any time; where it cannot be taken, the previous one stays.
        seed: seed of its draws; equal seeds and observations give equal actions, unless a limit of seconds cuts a solve
            short.
        remember: keep solutions from hand to hand, as long as the model is the same. A look-ahead that a limit or
            Ctrl-C has cut short serves its hand, and is continued when its decision comes back.
        name: for messages.
    """

    position: SearchPosition

    def __init__(
        self, position: SearchPosition, model: Source = None, *, seed: int = 0, remember: bool = True, name: str = ""
    ) -> None:
        super().__init__(position, seed, name or "continual")
        position.remember = remember
        position.begin(model)

    @property
    def hands(self) -> int:
        """Hands begun so far."""
        return self.position.hands

    @property
    def search(self) -> Search:
        """The agent's search."""
        return self.position.search

    @property
    def remember(self) -> bool:
        """Whether solutions are kept from hand to hand."""
        return self.position.remember

    @remember.setter
    def remember(self, remember: bool) -> None:
        self.position.remember = remember

    @property
    def model(self) -> Source:
        """The model of the opponent. In a game by histories another one counts from now on, and what is decided in this
        hand stays; in a spot it counts from the next hand on."""
        return self.position.model

    @model.setter
    def model(self, source: Source) -> None:
        self.position.take(source)

    @property
    def p(self) -> float:
        """The probability that the opponent is the model; a new value counts as a new model does."""
        return self.search.p

    @p.setter
    def p(self, p: float) -> None:
        self.position.search_as(replace(self.search, p=share_of("p", p)))
        self._note_change(f"p = {p:g}")

    @property
    def alpha(self) -> float:
        """The exploitation level of SES, likewise."""
        return self.search.alpha

    @alpha.setter
    def alpha(self, alpha: float) -> None:
        self.position.search_as(self.search.tilted(share_of("alpha", alpha)))
        self._note_change(f"alpha = {alpha:g}")

    def _note_change(self, change: str) -> None:
        at_once = self.position.changes_at_once
        self.log.append(f"{change}, set in hand {self.hands}" if at_once else f"{change} from the next hand on")

    def belief(self, observation: str) -> dict[str, float]:
        """The public belief about the other player: the text of what they may hold, with its probability by chance, the
        model and the agent's play. Games by histories leave the agent's own cards out, so that they are not revealed;
        spots take them off. observation: the own infoset, also where the other acts."""
        return self.position.belief(observation)


class PolicyAgent(Player):
    """Draws from a policy, in a game written as rules that need not be in memory."""

    def __init__(self, game: FastGame, policy: Policy, seat: int, seed: int) -> None:
        super().__init__(seat, policy.name)
        self._game, self._policy, self.draws = game, policy, random.Random(seed)

    def act_at(self, state: Any) -> str:
        """An action drawn at a state; the policy uses only what its seat knows."""
        row = self._policy.odds(self._game, state)
        return self.draws.choices(list(row), list(row.values()))[0]

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - one shape for all
        """Raises InputError: the text is not enough; load the game, or use a match."""
        raise InputError(f"{self.name} must be shown the state at '{observation}', not its text alone")


class UniformAgent(Player):
    """Uniform play in any game, compiled or not."""

    name = "uniform"

    def __init__(self, seat: int, seed: int) -> None:
        super().__init__(seat, self.name)
        self.draws = random.Random(seed)

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """One of `legal`, which must be given."""
        if not legal:
            raise InputError(f"the uniform agent needs the legal actions at '{observation}'")
        return self.draws.choice(legal)


class SwitchingAgent(Player):
    """Plays as one of some agents of a seat in each hand: each for a number of hands, and the last one from then on."""

    def __init__(self, agents: Sequence[Player], name: str, after: int = 1) -> None:
        super().__init__(agents[0].seat, name)
        self._agents, self._after, self._hands, self._now = list(agents), after, 0, agents[-1]

    @property
    def learns_in(self) -> Any:
        """The game in which one of them learns; None if none does."""
        return next((game for agent in self._agents if (game := getattr(agent, "learns_in", None))), None)

    def _next(self) -> Player:
        return self._agents[min((self._hands - 1) // self._after, len(self._agents) - 1)]

    def new_hand(self) -> None:
        """Begin a new hand, perhaps as another agent."""
        self._hands += 1
        self._now = self._next()
        self._now.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        return self._now.act(observation, legal)

    @property
    def act_at(self) -> Callable[[Any], str] | None:
        """That of the agent of this hand; None if it has none."""
        found: Callable[[Any], str] | None = getattr(self._now, "act_at", None)
        return found

    def policy(self, observation: str) -> dict[str, float]:
        return self._now.policy(observation)

    def belief(self, observation: str) -> dict[str, float]:
        return self._now.belief(observation)

    def end_hand(self, result: float, shown: Any) -> None:
        self._now.end_hand(result, shown)


class CoinAgent(SwitchingAgent):
    """A mixture of two agents, drawn before every hand, the greedy one with probability p; only its model can be
    changed."""

    def __init__(self, greedy: Player, safe: Player, p: float, seed: int) -> None:
        super().__init__((greedy, safe), "cdbr-ne")
        self._p, self._coin = p, random.Random(seed)

    def _next(self) -> Player:
        return self._agents[0 if self._coin.random() < self._p else 1]

    @property
    def model(self) -> Source:
        """The model of the greedy agent."""
        return self._agents[0].model

    @model.setter
    def model(self, source: Source) -> None:
        self._agents[0].model = source

    @property
    def p(self) -> float:
        """The probability of the greedy agent; a new value applies from the next hand."""
        return self._p

    @p.setter
    def p(self, p: float) -> None:
        self._p = share_of("p", p)


def name_of(agent: Agent) -> str:
    """The agent's name, or that of its class."""
    return str(getattr(agent, "name", "") or type(agent).__name__)
