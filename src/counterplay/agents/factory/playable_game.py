"""A game to play: its rules, and the compiled game on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from counterplay.games.game import Game
from counterplay.gametree.build.histories import TooLargeError
from counterplay.gametree.compile.load import load
from counterplay.poker.spots.load import find_game, spot_of
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game


@dataclass(frozen=True, eq=False)
class PlayableGame:
    """A game to play; it is compiled on first use, if at all.

    Attributes:
        source: anything that `load` takes, or a compiled game; a spot of hold'em, solved or not, or its file.
        memory: limit in GiB of the compiled game; half of the machine's memory by default.
    """

    source: Any
    memory: float | None = None

    @property
    def bytes(self) -> float | None:
        """The limit in bytes."""
        return None if self.memory is None else self.memory * 2**30

    @cached_property
    def spot(self) -> SpotGame | None:
        """The spot of hold'em; None in other games."""
        return as_spot_game(spot_of(self.source, self.bytes), self.bytes)

    @cached_property
    def rules(self) -> Game:
        """The rules by which hands are played."""
        return find_game(self.source) if self.spot is None else self.spot.rules

    @property
    def is_compiled(self) -> bool:
        """Return whether the game was given compiled."""
        return hasattr(self.source, "trees")

    @cached_property
    def compiled(self) -> Any:
        """The whole game in memory, a `GameTree` or a `SpotGame`; refused if it does not fit, or is malformed."""
        return load(self.source, memory=self.memory) if self.spot is None else self.spot

    @cached_property
    def fits(self) -> bool:
        """Return whether the whole game fits in memory."""
        try:
            game = load(self.source, memory=self.memory, say=lambda _: None)
        except TooLargeError:
            return False
        self.__dict__["compiled"] = game  # what `compiled` would find
        return True
