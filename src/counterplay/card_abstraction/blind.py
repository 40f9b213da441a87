"""One bucket on every street."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.card_abstraction.abstraction_record import Abstraction
from counterplay.card_abstraction.card_abstraction import CardAbstraction, OneLane, Watch
from counterplay.poker.whole_game.boards.board import GameBoards


@dataclass(frozen=True)
class Blind(Abstraction):
    """All hands share one bucket."""

    HEAD = "blind"

    def make(self, boards: GameBoards, watch: Watch) -> CardAbstraction:  # noqa: ARG002 - it takes no time
        return OneLane(boards.classes)

    def buckets_of(self, last: int) -> tuple[int, ...]:
        return (1,) * last
