"""Estimates: value functions that give each history a value whatever the ranges, by user code or by rollouts; and random
games by the rules, compiled if both players are policies, decision by decision if one is user code."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError, reason
from counterplay.games.game import CHANCE, TERMINAL, action_name
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.build.rollouts import rollouts
from counterplay.opponents.model import Actor, Bot
from counterplay.subgames.cut_game import Border
from counterplay.texts.readers import Whole
from counterplay.value_functions.leaf_value import LeafValue


@dataclass(frozen=True, eq=False)
class Heuristic:
    """A user function from a state to chips of player 0."""

    function: Callable[[Any], float]
    name: str = "heuristic"

    def chips(self, border: Border) -> F64:
        """(n,) the function's value at each history."""
        out = np.zeros(len(border.histories))
        for i, history in enumerate(border.histories.tolist()):
            try:
                out[i] = float(self.function(border.game.state(history)))
            except Exception as error:
                raise InputError(f"the value function {self.name} failed: {reason(error)}") from None
        if not np.isfinite(out).all():
            raise InputError(f"the value function {self.name} returned something that is not a number")
        return out


@dataclass(frozen=True)
class Rollouts(LeafValue):
    """The mean of random continuations of each history, both players uniform; for games written as rules.

    Attributes:
        samples: continuations per history.
    """

    HEAD = "rollout"
    on_way: ClassVar[bool] = True
    samples: Annotated[int, Whole(least=1, digits=9)]
    seed: Annotated[int, Whole(digits=9)] = 0

    def chips(self, border: Border) -> F64:
        """(n,) means; equal seeds give equal means.

        Raises:
            InputError: the game is not written as rules.
        """
        from counterplay.gametree.build.partial_tree import rollouts, states_at

        rules = border.game.rules
        if not isinstance(rules, FastGame):
            raise InputError(f"{self.name} needs a game written as rules, not {border.game.name}")
        states = states_at(rules, border.game.histories, border.histories)
        return np.asarray(rollouts(rules, states, self.samples, self.seed)[0], np.float64)


def playouts(game: FastGame, states: I64, players: tuple[Actor, Actor], samples: int, seed: int) -> tuple[F64, F64]:
    """Mean utility of random continuations of states (n, size) by the players of seats 0 and 1: (n,) means in chips of
    player 0, and (n,) their standard errors; infinite from one sample. The random numbers depend on the seed and on the
    state."""
    first, second = players
    if isinstance(first, Policy) and isinstance(second, Policy):
        return rollouts(game, states, samples, seed, (first, second))
    asked: dict[tuple[int, str], Mapping[str, float]] = {}
    worth = np.zeros((len(states), samples))
    for i, state in enumerate(states):
        stream = random.Random(f"{seed} {state.tobytes().hex()}")
        for sample in range(samples):
            worth[i, sample] = _played(game, state, players, stream, asked)
    error = worth.std(axis=1, ddof=1) / samples**0.5 if samples > 1 else np.full(len(states), np.inf)
    return worth.mean(axis=1), np.asarray(error, np.float64)


def _played(game: FastGame, state: Any, players: tuple[Actor, Actor], stream: random.Random, asked: Any) -> float:
    while (who := game.player(state)) != TERMINAL:
        codes = game.actions(state)
        if who == CHANCE:
            action = stream.choices(codes, game.chance(state))[0]
        else:
            names = [action_name(game, state, code) for code in codes]
            action = codes[names.index(_drawn(game, state, players[who], stream, asked))]
        state = game.child(state, action)
    return game.utility(state)


def _drawn(game: FastGame, state: Any, who: Actor, stream: random.Random, asked: Any) -> str:
    """The text of a drawn action. A bot draws itself; other actors are called once per infoset."""
    if isinstance(who, Bot):
        return next(iter(Bot(who.name, who.sample, 1, stream.getrandbits(32)).odds(game, state)))
    key = id(who), game.infoset(state, game.player(state))
    if key not in asked:
        asked[key] = who.odds(game, state)
    return str(stream.choices(list(asked[key]), list(asked[key].values()))[0])
