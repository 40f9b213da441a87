"""Every hand that two strategies may play, with its probability."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from counterplay import CHANCE, TERMINAL, Game
from counterplay.games.game import action_name
from counterplay.measure.play_hand import Hand

Policy = Callable[[str], Mapping[str, float]]


def every_hand(game: Game, policies: tuple[Policy, Policy]) -> Iterator[tuple[Hand, float]]:
    """Hands that have a positive probability."""

    def walk(state: Any, odds: float, moves: tuple[tuple[int, str], ...]) -> Iterator[tuple[Hand, float]]:
        who = game.player(state)
        if who == TERMINAL:
            yield Hand(float(game.utility(state)), moves, (0, 0), (0.0, 0.0), (0.0, 0.0)), odds
            return
        actions = game.actions(state)
        names = [action_name(game, state, action) for action in actions]
        row = game.chance(state) if who == CHANCE else [policies[who](game.infoset(state, who))[n] for n in names]
        for action, name, p in zip(actions, names, row, strict=True):
            if p > 0.0:
                yield from walk(game.child(state, action), odds * p, (*moves, (who, name)))

    yield from walk(game.root(), 1.0, ())


def mean_and_variance(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Of values with their probabilities."""
    mean = sum(value * odds for value, odds in values)
    return mean, sum(odds * (value - mean) ** 2 for value, odds in values)
