"""Strategies in files as opponents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from counterplay.endings import BLUEPRINT, FLOP_BLUEPRINT, RESPONSE, SPOT, STRATEGY, TEXT_STRATEGY
from counterplay.errors import InputError, quoted
from counterplay.files import check_readable
from counterplay.opponents.given_strategy import GivenStrategy
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.spots.solution import load_spot
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import load

WHOLE_GAMES = (BLUEPRINT, FLOP_BLUEPRINT, RESPONSE)
FILES = (TEXT_STRATEGY, STRATEGY, SPOT, *WHOLE_GAMES)
"""Endings of files that hold strategies."""


def names_file(text: str) -> bool:
    """Whether a text is that of a strategy in a file."""
    return text.endswith(FILES) or f"{RESPONSE}:" in text


@dataclass(frozen=True)
class StrategyFile(OpponentModel):
    """The strategy in a `.json` or `.cps` file; in a spot, a player of another solved one in a `.spot` file; in a whole game
    of hold'em, a blueprint in a `.cpb` or `.fhp` file, or a response in a `.cpr` file.

    Attributes:
        path: path of the file.
        to: of a response to a model that is no table, as a bot, the text of that model: `best.cpr:mybot:Bot`.
    """

    path: str
    to: str = ""

    @classmethod
    def from_text(cls, text: str) -> Self:
        path, mark, to = text.partition(f"{RESPONSE}:")
        return cls(path + RESPONSE, to) if mark else cls(text)

    def __str__(self) -> str:
        return f"{self.path}:{self.to}" if self.to else self.path

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        if self.path.endswith(SPOT):
            return GivenStrategy(load_spot(self.path)).strategy(game, player, seed)
        if self.path.endswith(WHOLE_GAMES):
            raise InputError(f"{quoted(self.path)} is an opponent in a whole game of hold'em, not in {game.name}")
        return load(game.trees[player], Path(self.path), game.name)

    def check(self) -> None:
        check_readable(self.path)

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False
