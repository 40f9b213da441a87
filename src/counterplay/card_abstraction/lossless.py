"""The lossless abstraction: the game itself."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.card_abstraction.abstraction_record import Abstraction
from counterplay.card_abstraction.card_abstraction import CardAbstraction, Watch, lossless
from counterplay.poker.whole_game.boards.board import GameBoards


@dataclass(frozen=True)
class Lossless(Abstraction):
    """Only isomorphic hands share a bucket; needs a deck whose boards can all be listed."""

    HEAD = "lossless"

    def make(self, boards: GameBoards, watch: Watch) -> CardAbstraction:  # noqa: ARG002 - it takes no time
        return lossless(boards)
