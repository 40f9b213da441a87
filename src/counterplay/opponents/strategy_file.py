"""Strategies in files as opponents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from counterplay.endings import BLUEPRINT, FLOP_BLUEPRINT, RESPONSE, SPOT, STRATEGY, TEXT_STRATEGY
from counterplay.errors import InputError, quoted
from counterplay.files import check_readable
from counterplay.opponents.given_strategy import GivenStrategy
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.poker.spots.solution import load_spot
from counterplay.poker.whole_game.blueprints import response_file
from counterplay.poker.whole_game.blueprints.blueprint_file import load as load_blueprint
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.observed_strategy import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.strategy_file import load

WHOLE_GAMES = (BLUEPRINT, FLOP_BLUEPRINT, RESPONSE)
FILES = (TEXT_STRATEGY, STRATEGY, SPOT, *WHOLE_GAMES)
"""Endings of files that hold strategies."""


def names_file(text: str) -> bool:
    """Return whether a text is that of a strategy in a file."""
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

    @property
    def plays_whole_games(self) -> bool:
        return self.path.endswith(WHOLE_GAMES)

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:
        path = Path(self.path)
        if path.suffix == RESPONSE:
            model = MODELS.parse(self.to) if self.to else None
            if model is not None:
                model.check_whole_game(game)
            return response_file.load(path, game, None if model is None else model.blueprint(game, seed))
        made = load_blueprint(path, game)[1]
        return made.play if made.observed is None else ObservedStrategy(made.play, made.observed.counts)

    def check(self) -> None:
        check_readable(self.path)

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False
