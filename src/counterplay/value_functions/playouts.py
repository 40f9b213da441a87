"""Playouts by the rules: compiled if both players are policies, decision by decision if one is user code."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.games.game import CHANCE, TERMINAL, action_name
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.build.rollouts import rollouts
from counterplay.opponents.model import Actor, Bot


def playouts(game: FastGame, states: I64, players: tuple[Actor, Actor], samples: int, seed: int) -> tuple[F64, F64]:
    """Mean utility of random continuations of each state by these players.

    Args:
        game: a game written as rules.
        states: (n, size) rows.
        players: those of seats 0 and 1.
        samples: playouts per state.
        seed: the random numbers depend on it and on the state only.

    Returns:
        (n,) means in chips of player 0, and (n,) their standard errors; infinite from one sample.
    """
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
