"""No two different hands share a bucket: the game itself."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.poker.whole_game.abstraction.abstraction_record import Abstraction
from counterplay.poker.whole_game.abstraction.card_abstraction import CardAbstraction, lossless
from counterplay.poker.whole_game.abstraction.tables.hand_features import Watch
from counterplay.poker.whole_game.boards.flops import AnyBoards


@dataclass(frozen=True)
class Lossless(Abstraction):
    """Only hands that renaming suits turns into each other are played alike; all boards are listed."""

    HEAD = "lossless"

    def make(self, boards: AnyBoards, watch: Watch) -> CardAbstraction:  # noqa: ARG002 - it takes no time
        return lossless(boards)
