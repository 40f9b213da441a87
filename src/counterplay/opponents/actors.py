"""Opponents who act at any state, for games that are not in memory: policies, functions, bots that only draw an action."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from counterplay.errors import InputError, quoted, reason
from counterplay.games.game import Game, action_name
from counterplay.games.kernel_rules import FastGame
from counterplay.games.plugin import called, is_plugin
from counterplay.games.policy import Policy, policy_of
from counterplay.opponents.from_code import as_mapping, takes_actions
from counterplay.opponents.text_forms import HEADS

DRAWS = 200
"""How often a bot is asked to learn how likely its actions are."""
_ROUNDING = 1e-6


class Actor(Protocol):
    """Somebody who acts at any state of a game."""

    @property
    def name(self) -> str:
        """As it was asked for."""

    def odds(self, game: Any, state: Any) -> dict[str, float]:
        """The probability of each action at a state where the actor is to act, by the actions' texts."""


@dataclass(frozen=True)
class FunctionActor:
    """A function of the infoset's text (and the actions' texts), as `opponents.opponent` takes it."""

    name: str
    function: Callable[..., Any]

    def odds(self, game: Game, state: Any) -> dict[str, float]:
        """What the function says.

        Raises:
            InputError: it fails, names an action that is not legal, or its probabilities do not sum to 1.
        """
        infoset = game.infoset(state, game.player(state))
        names = tuple(action_name(game, state, action) for action in game.actions(state))
        try:
            told = self.function(infoset, names) if takes_actions(self.function) else self.function(infoset)
        except Exception as error:
            raise InputError(f"{self.name} failed at {quoted(infoset)}: {reason(error)}") from None
        return checked_odds(self.name, infoset, names, as_mapping(infoset, names, told))


@dataclass(frozen=True)
class Bot:
    """Anybody with `sample(state, rng)`, who returns an action (or its text) and says nothing of probabilities: these are
    how often it takes each action when it is asked `draws` times, each time with random numbers of its own."""

    name: str
    sample: Callable[[Any, random.Random], Any]
    draws: int = DRAWS
    seed: int = 0

    def odds(self, game: Game, state: Any) -> dict[str, float]:
        """How often it takes each action; those that it never takes are missing.

        Raises:
            InputError: it fails, or its action is not legal.
        """
        actions = list(game.actions(state))
        names = [action_name(game, state, action) for action in actions]
        infoset = game.infoset(state, game.player(state))
        stream = random.Random(f"{self.seed} {infoset}")
        count = Counter(self._drawn(state, stream, actions, names, infoset) for _ in range(self.draws))
        return {name: number / self.draws for name, number in count.items()}

    def _drawn(
        self, state: Any, stream: random.Random, actions: Sequence[Hashable], names: Sequence[str], infoset: str
    ) -> str:
        try:
            action = self.sample(state, stream)
        except Exception as error:
            raise InputError(f"{self.name} failed at {quoted(infoset)}: {reason(error)}") from None
        if isinstance(action, str) and action in names:
            return action
        if action not in actions:
            raise InputError(
                f"{self.name} answered {action!r} at {quoted(infoset)}, where the actions are {', '.join(names)}"
            )
        return names[actions.index(action)]


def checked_odds(name: str, infoset: str, names: Sequence[str], row: Mapping[str, float]) -> dict[str, float]:
    """Probabilities as floats.

    Raises:
        InputError: an action that is not legal, or numbers that are no distribution, naming the infoset.
    """
    for action in row:
        if action not in names:
            raise InputError(f"{name} plays '{action}' at {quoted(infoset)}, where the actions are {', '.join(names)}")
    odds = {action: float(odd) for action, odd in row.items()}
    if not (all(odd >= 0.0 for odd in odds.values()) and abs(sum(odds.values()) - 1.0) <= _ROUNDING):
        raise InputError(f"the probabilities of {name} at {quoted(infoset)} are not from 0 on with the sum 1")
    return odds


def actor(game: Game, source: Any) -> Actor:
    """Who acts as `source` says, at any state of a game that need not be in memory.

    Args:
        game: the rules.
        source: a text (`uniform`, one that the game itself knows, `noise:WEIGHT:` before these, `module:name`), a function
            of infoset and actions, an object with `sample(state, rng)` or with `odds(game, state)`.

    Raises:
        InputError: none of these.
    """
    if isinstance(source, str):
        found = policy_of(game, source) if isinstance(game, FastGame) else None
        if found is not None:
            return found
        if not is_plugin(source, HEADS):
            raise InputError(
                f"{quoted(source)} needs all of {game.name} in memory; without, a model is uniform, one that the game "
                "knows, a function or module:function"
            )
        return actor(game, called(source, "opponent", HEADS))
    name = str(getattr(source, "name", None) or getattr(source, "__name__", None) or type(source).__name__)
    if hasattr(source, "odds"):
        known: Actor = source
        return known
    if hasattr(source, "sample"):
        return Bot(name, source.sample)
    if callable(source):
        return FunctionActor(name, source)
    raise InputError(f"an opponent must be a text, a function, or have sample(state, rng), not {type(source).__name__}")


__all__ = ["DRAWS", "Actor", "Bot", "FunctionActor", "Policy", "actor", "checked_odds"]
