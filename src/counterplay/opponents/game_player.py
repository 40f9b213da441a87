"""Opponents that the game itself provides, by its own words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self
from weakref import WeakKeyDictionary

from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, policy_of
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.opponents.user_code import strategy_of_actor
from counterplay.treeplex.strategy import Strategy

_MADE: WeakKeyDictionary[AnyGame, dict[tuple[str, int], Strategy]] = WeakKeyDictionary()
"""Strategies by text and player: portfolios ask for the same ones again and again."""


@dataclass(frozen=True)
class GamePlayer(OpponentModel):
    """An opponent of one game: `even`, `odd` and `last:CELL[,SHARE]` of battleships, and those of a user's game.

    Attributes:
        text: as the game reads it.
    """

    text: str

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(text)

    def __str__(self) -> str:
        return self.text

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        known = self.policy(game.rules) if isinstance(game.rules, FastGame) else None
        if known is None:
            self.check()
            raise InputError(f"{self.text} plays battleships, not {game.name}")
        made = _MADE.setdefault(game, {})
        if (self.text, player) not in made:
            made[self.text, player] = strategy_of_actor(game, known, player)
        return made[self.text, player]

    def policy(self, game: FastGame) -> Policy | None:
        return policy_of(game, self.text)

    def check(self) -> None:
        if self.text.partition(":")[0] not in MODELS.registry:
            raise MODELS.unknown(self.text)

    def is_fixed(self, rules: Any) -> bool:
        return isinstance(rules, FastGame) and self.policy(rules) is not None
