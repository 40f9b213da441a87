"""Games for tests, and states by the words of the actions before them."""

from __future__ import annotations

from typing import Any

import counterplay as cp
from counterplay import Game
from counterplay.games import action_name

MORE_GAMES = [
    "leduc:bets=1/2", "leduc:merged=true", "leduc:4,1,cap=3", "goofspiel:4,utility=win", "liars_dice:2,2",
    "liars_dice:1,3,wild=no,top=end", "battleships:2,3,1x2,shots=2", "rps:1,3",
]  # fmt: skip


def state_after(game: Game, words: str) -> Any:
    """The state after actions, by their names."""
    state = game.root()
    for word in words.split():
        state = game.child(state, next(a for a in game.actions(state) if action_name(game, state, a) == word))
    return state


class Coin:
    """One toss, then one guess; subclasses make it wrong."""

    name = "coin"

    def root(self) -> tuple:
        return ()

    def player(self, state: tuple) -> int:
        return (cp.CHANCE, 0, cp.TERMINAL)[len(state)]

    def actions(self, state: tuple) -> list[str]:
        return ["heads", "tails"]

    def chance(self, state: tuple) -> list[float]:
        return [0.5, 0.5]

    def child(self, state: tuple, action: str) -> tuple:
        return (*state, action)

    def infoset(self, state: tuple, player: int) -> str:
        return "guess"

    def utility(self, state: tuple) -> float:
        return 1.0 if state[0] == state[1] else -1.0
