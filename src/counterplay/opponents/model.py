"""Models of the opponent as records: each makes a strategy of either player, in any game that it fits."""

from __future__ import annotations

from typing import Any

from counterplay.catalogue import OPPONENTS
from counterplay.errors import InputError, quoted
from counterplay.games.game import Game
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.actors import Actor
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.texts.kind import RecordKind
from counterplay.texts.record import Record
from counterplay.treeplex.strategy import Strategy

AnyGame = GameTree | SpotGame
CHANGED = "the opponent that it changes"
"""What is missing in a text such as `noise:0.2`."""


class OpponentModel(Record):
    """How somebody plays. Models that change another one have it in the field `to`."""

    def strategy(self, game: AnyGame, player: int, seed: int = 0) -> Strategy:
        """The strategy of `player` in `game`; in a spot, dealt from the player's range.

        Args:
            game: enumerated, or of a spot.
            player: 0 or 1.
            seed: of what is random and has no seed of its own.

        Raises:
            InputError: the model does not fit the game.
        """
        made = self.make(game, player, seed)
        return game.dealt(made) if isinstance(game, SpotGame) else made

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        """The same, whatever it says of the deal."""
        raise NotImplementedError

    def actor(self, game: Game) -> Actor:
        """Who plays so at any state of a game that need not be in memory.

        Raises:
            InputError: that takes the whole game.
        """
        known = self.policy(game) if isinstance(game, FastGame) else None
        if known is None:
            raise InputError(
                f"{quoted(self)} needs all of {game.name} in memory; without, a model is uniform, one that the game "
                "knows, a function or module:function"
            )
        return known

    def policy(self, game: FastGame) -> Policy | None:  # noqa: ARG002 - most have none
        """The same as rules that are compiled, where there are such."""
        return None

    def check(self) -> None:
        """Refuse a model that no game could have: what depends on the game is seen when it is there.

        Raises:
            InputError: naming the word, the file or the module.
        """
        if inner := getattr(self, "to", None):
            inner.check()

    def is_fixed(self, rules: Any) -> bool:
        """Whether it means the same strategy of a game at any time: neither a file nor somebody's code stands in it. That is
        what a model from a file must be: then nothing is opened or imported because of it."""
        inner = getattr(self, "to", None)
        return inner is None or bool(inner.is_fixed(rules))


MODELS = RecordKind(
    "opponent", OpponentModel, listed=OPPONENTS, accepts="a text, a path, a table, a function or a policy"
)
"""All models; the registry is in `opponents/__init__.py`."""
