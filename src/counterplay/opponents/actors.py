"""Actors: opponents that act at any state, for games that are not in memory: policies, functions, bots that
only draw.
"""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from counterplay.errors import InputError, quoted, reason
from counterplay.games.game import Game, action_name

DRAWS = 200
"""The number of draws from which a bot's probabilities are estimated."""
_ROUNDING = 1e-6


class Actor(Protocol):
    """The protocol of an opponent that acts at any state of a game."""

    @property
    def name(self) -> str:
        """The text or name of the actor."""

    def odds(self, game: Any, state: Any) -> dict[str, float]:
        """The probability of each action at a state where the actor is to act, by the actions' texts."""


@dataclass(frozen=True)
class FunctionActor:
    """A function as `opponents.opponent` takes it: of so many texts of an infoset, and of its actions' names if it takes
    them."""

    name: str
    function: Callable[..., Any]
    texts: int = 1

    def odds(self, game: Game, state: Any) -> dict[str, float]:
        """The function's probabilities."""
        infoset = game.infoset(state, game.player(state))
        names = tuple(action_name(game, state, action) for action in game.actions(state))
        row = self.row(infoset, (infoset,), names)
        for action in row:
            if action not in names:
                raise InputError(
                    f"{self.name} plays '{action}' at {quoted(infoset)}, where the actions are {', '.join(names)}"
                )
        odds = {action: float(odd) for action, odd in row.items()}
        if not (all(odd >= 0.0 for odd in odds.values()) and abs(sum(odds.values()) - 1.0) <= _ROUNDING):
            raise InputError(f"the probabilities of {self.name} at {quoted(infoset)} must be at least 0 and sum to 1")
        return odds

    def row(self, infoset: str, known: tuple[str, ...], actions: tuple[str, ...]) -> Mapping[str, float]:
        """The function's answer to the known texts of an infoset; a sequence is in the order of the actions."""
        try:
            row = self.function(*known, actions) if self._takes_actions else self.function(*known)
        except Exception as error:
            raise InputError(f"{self.name} failed at {quoted(infoset)}: {reason(error)}") from None
        if isinstance(row, Mapping):
            return row
        try:
            numbers = list(row)
        except TypeError:
            raise InputError(f"the opponent must return probabilities at {quoted(infoset)}, not {row!r}") from None
        if len(numbers) != len(actions):
            raise InputError(
                f"the opponent returned {len(numbers)} probabilities for {len(actions)} actions at {quoted(infoset)}"
            )
        return dict(zip(actions, numbers, strict=True))

    @cached_property
    def _takes_actions(self) -> bool:
        try:
            inspect.signature(self.function).bind(*[""] * self.texts, ())
        except (TypeError, ValueError):
            return False
        return True


@dataclass(frozen=True)
class Bot:
    """An object with `sample(state, rng)`, which returns an action (or its text) without probabilities: these are the
    relative frequencies of `draws` calls, each with its own random numbers."""

    name: str
    sample: Callable[[Any, random.Random], Any]
    draws: int = DRAWS
    seed: int = 0

    def odds(self, game: Game, state: Any) -> dict[str, float]:
        """The relative frequency of each action; actions never taken are missing."""
        actions = list(game.actions(state))
        names = [action_name(game, state, action) for action in actions]
        infoset = game.infoset(state, game.player(state))
        stream = random.Random(f"{self.seed} {infoset}")
        count = Counter[str]()
        for _ in range(self.draws):
            try:
                action = self.sample(state, stream)
            except Exception as error:
                raise InputError(f"{self.name} failed at {quoted(infoset)}: {reason(error)}") from None
            if not (isinstance(action, str) and action in names):
                if action not in actions:
                    raise InputError(
                        f"{self.name} answered {action!r} at {quoted(infoset)}, where the actions are {', '.join(names)}"
                    )
                action = names[actions.index(action)]
            count[action] += 1
        return {name: number / self.draws for name, number in count.items()}
