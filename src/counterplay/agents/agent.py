"""The protocol of agents, observation in, action out; and what the agents of all worlds share."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from counterplay.agents.agent_archive import Saved, write
from counterplay.budget import limited_seconds
from counterplay.display import seated
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.lookahead.search import Posed, Search
from counterplay.lookahead.tremble import share_of
from counterplay.treeplex.strategy import Strategy

Source = Strategy | str | Callable[..., Any] | None
"""A model of the opponent: a strategy, or anything that `opponents.opponent` takes."""
LINES = 1000
"""The most lines of a log."""
_SEARCHING = "cdbr, cdrnr, abd, resolve and ses"
_MOST = 1 << 30
"""The most bytes of unfinished solves."""


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

    The library's agents are all `Player`, which has more members.
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


class Player:
    """An agent as `cp.agent` makes it; a member that it does not support raises an error that names agents that do.
    seat: 0 or 1. name: for messages and results. log: lines about its decisions."""

    def __init__(self, seat: int, name: str) -> None:
        self.seat, self.name = seat, name
        self.log: deque[str] = deque(maxlen=LINES)

    def __repr__(self) -> str:
        return seated(self)

    def new_hand(self) -> None:
        """Begin a new hand."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The text of an action, as of `Agent`; an InputError where the agent cannot observe this."""
        raise NotImplementedError

    def end_hand(self, result: float, shown: Any) -> None:
        """Take note of a finished hand, as of `Agent`; by default nothing is learned. result: chips won."""

    def policy(self, observation: str) -> dict[str, float]:  # noqa: ARG002 - of those that have one
        """The probability of each action at an infoset; nothing is drawn. An InputError at an unknown infoset, or where
        the agent acts without knowing the game."""
        raise InputError(f"{self.name} has no policy by texts; agents that hold or compute a strategy have one")

    def belief(self, observation: str) -> dict[str, float]:  # noqa: ARG002
        """The probability of each infoset of the other player, by its text; observation: also where the other acts. An
        InputError where the agent holds no belief."""
        raise InputError(f"{self.name} has no belief to show; agents that search have one: {_SEARCHING}")

    @property
    def model(self) -> Source:
        """The model of the opponent; None without one. Searching agents accept another one."""
        return None

    @model.setter
    def model(self, source: Source) -> None:  # noqa: ARG002
        raise InputError(self._fixed("model", f"in a spot or a loaded game {_SEARCHING} take another one"))

    @property
    def p(self) -> float | None:
        """The probability that the opponent is the model; None if the agent has none."""
        return None

    @p.setter
    def p(self, p: float) -> None:  # noqa: ARG002
        raise InputError(self._fixed("p", "cdrnr and abd take another one in a spot or a loaded game"))

    @property
    def alpha(self) -> float | None:
        """The exploitation level of SES; None if the agent has none."""
        return None

    @alpha.setter
    def alpha(self, alpha: float) -> None:  # noqa: ARG002
        raise InputError(self._fixed("alpha", "ses takes another one in a spot or a loaded game"))

    def save(self, path: str | Path) -> None:
        """Save the agent to a file with the ending `.cpa`, from which `cp.resume` restores it; an InputError where it
        cannot be saved, or the file not be written."""
        raise InputError(
            f"{self.name} cannot be saved to {path}; {_SEARCHING} can, in spots and in games by their text"
        )

    def _fixed(self, what: str, who: str) -> str:
        return f"the {what} of {self.name} is part of its text and cannot be set; {who}"


class Unfinished(NamedTuple):
    """An unfinished solve, and what else its agent needs to go on with it."""

    posed: Posed
    rest: Any = None


class UnfinishedSolves(dict[Any, Unfinished]):
    """Unfinished solves by key, the latest last; the oldest are dropped where all together take too much memory."""

    def keep(self, key: Any, posed: Posed, rest: Any = None) -> None:
        """Keep a solve as the latest one."""
        self.pop(key, None)
        self[key] = Unfinished(posed, rest)
        sizes = accumulate(kept.posed.solve.bytes for kept in reversed(self.values()))
        fitting = max(1, sum(size <= _MOST for size in sizes))
        for old in list(self)[:-fitting]:
            del self[old]


class StrategyAgent(Player, ABC):
    """Draws from a strategy that is known, or computed on the way; each world has classes of its own. By default it is
    named after the method that made the strategy. draws: the generator of its actions. is_fixed: whether the same
    strategy is played in every hand. draws_forced: whether a draw is spent where there is one action only."""

    is_fixed = True
    draws_forced = True
    _strategy: Any = None

    def __init__(self, seat: int, seed: int = 0, name: str = "") -> None:
        super().__init__(seat, name or str(getattr(self.strategy, "facts", {}).get("method", "strategy")))
        self.draws = random.Random(seed)

    @property
    def seconds(self) -> float:
        """The limit of a decision."""
        return inf

    @property
    def strategy(self) -> Any:
        """What it plays, as far as it has decided; None where that is not one strategy in memory."""
        return self._strategy

    @abstractmethod
    def row(self, observation: str) -> dict[str, float]:
        """The probability of each action at an infoset, solved if need be; refused where the seat cannot observe it."""

    def acted(self, action: int) -> None:
        """Go on by an action, given by its number, where the last row was asked for."""

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:  # noqa: ARG002 - it knows its game
        row = self.policy(observation)
        names = list(row)
        if len(names) == 1 and not self.draws_forced:
            return names[0]
        action = self.draws.choices(range(len(names)), list(row.values()))[0]
        self.acted(action)
        return names[action]

    def policy(self, observation: str) -> dict[str, float]:
        """The probability of each action, solved if need be; nothing is drawn. An InputError for no such infoset, an
        invalid betting path or an impossible hand."""
        with limited_seconds(self.seconds):
            return self.row(observation)

    def note(self, line: str) -> None:
        """Add a line to the log."""
        self.log.append(line)

    def note_cut(self, what: str, interrupted: bool, iterations: int, gap: float, *, goes_on: bool = True) -> None:
        """Note an unfinished solve; Ctrl-C in it is raised."""
        why = "Ctrl-C" if interrupted else "its limit"
        far = f" at a gap of {gap:.3g} chips" if isfinite(gap) else ""
        after = "goes on" if goes_on else "begins anew"
        self.note(f"{what}: {why} came after {iterations} iterations{far}; {after} when it comes back")
        if interrupted:
            raise KeyboardInterrupt

    def saved(self) -> Saved | None:
        """The content of its file; None if there is none."""
        return None

    def save(self, path: str | Path) -> None:
        saved = self.saved()
        if saved is None:
            super().save(path)
        else:
            write(path, saved)


class ContinualAgent(StrategyAgent):
    """Plays a seat by continual look-aheads: CDBR, CDRNR, SES, ABD or continual re-solving, by its search.

    A look-ahead that a limit or Ctrl-C has cut short serves its hand, and is continued when its decision comes back.

    Args:
        model: model of the opponent: a strategy, or any text or function that `opponents.opponent` takes; None if p is 0.
        seed: seed of its draws; equal seeds and observations give equal actions, unless a limit of seconds cuts a solve
            short.
        remember: keep solutions from hand to hand, as long as the model is the same.

    Attributes:
        search: of the next decision or, in a spot, of the next hand.
        hands: begun so far.
        unfinished: look-aheads that were cut short.
    """

    is_fixed = False
    changes_at_once = True
    hands = 0
    _model: Source = None

    def __init__(
        self, seat: int, search: Search, model: Source = None, *, seed: int = 0, remember: bool = True,
        name: str = "continual",
    ) -> None:  # fmt: skip
        super().__init__(seat, seed, name)
        self.search, self.remember, self.unfinished = search, remember, UnfinishedSolves()
        self.begin(model)

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
        """The public belief about the other player: the text of what they may hold, with its probability by chance, the
        model and the agent's play. Games by histories leave the agent's own cards out, so that they are not revealed;
        spots take them off. observation: the own infoset, also where the other acts."""

    @property
    def model(self) -> Source:
        """The model of the opponent, which may be changed at any time; where another one cannot be taken, the previous
        one stays. In a game by histories it counts from now on, and what is decided in this hand stays; in a spot it
        counts from the next hand on."""
        return self._model

    @model.setter
    def model(self, source: Source) -> None:
        self.take(source)

    @property
    def p(self) -> float:
        """The probability that the opponent is the model; a new value counts as a new model does."""
        return self.search.p

    @p.setter
    def p(self, p: float) -> None:
        self.search_as(replace(self.search, p=share_of("p", p)))
        self._note_change(f"p = {p:g}")

    @property
    def alpha(self) -> float:
        """The exploitation level of SES, likewise."""
        return self.search.alpha

    @alpha.setter
    def alpha(self, alpha: float) -> None:
        self.search_as(self.search.tilted(share_of("alpha", alpha)))
        self._note_change(f"alpha = {alpha:g}")

    def _note_change(self, change: str) -> None:
        now = self.changes_at_once
        self.log.append(f"{change}, set in hand {self.hands}" if now else f"{change} from the next hand on")


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
        return getattr(self._now, "act_at", None)

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
