"""A game to play: its rules, and the whole game in memory once it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from counterplay.games.game import Game
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.load import load
from counterplay.gametree.table.histories import TooLargeError
from counterplay.poker.spots.load import find_game, spot_of
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game


@dataclass(frozen=True, eq=False)
class PlayableGame:
    """A game to play on; it is compiled when somebody first needs that, if at all.

    Attributes:
        source: anything that `load` takes, or a compiled game; a spot of hold'em, solved or not, or its file.
        memory: refuse to compile what would take more than this many GiB; half of the machine's memory by default.
    """

    source: Any
    memory: float | None = None

    @cached_property
    def spot(self) -> SpotGame | None:
        """The spot of hold'em; None in other games."""
        found: SpotGame | None = as_spot_game(
            spot_of(self.source), None if self.memory is None else self.memory * 2**30
        )
        return found

    @cached_property
    def rules(self) -> Game:
        """The rules alone, which hands are played by."""
        if self.spot is not None:
            return self.spot.rules
        return self.source.rules if isinstance(self.source, GameTree) else find_game(self.source)

    @cached_property
    def compiled(self) -> Any:
        """The whole game in memory, a `GameTree` or a `SpotGame`.

        Raises:
            InputError: it does not fit, or breaks the rules of games.
        """
        if self.spot is not None:
            return self.spot
        return self.source if isinstance(self.source, GameTree) else load(self.source, memory=self.memory)

    @cached_property
    def fits(self) -> bool:
        """Whether the whole game may be in memory."""
        try:
            game: GameTree = (
                self.source if isinstance(self.source, GameTree) else load(self.source, memory=self.memory, say=_mute)
            )
        except TooLargeError:
            return False
        self.__dict__["compiled"] = game  # what `compiled` would find
        return True


def _mute(line: str) -> None:
    """Nobody asked for the size."""
