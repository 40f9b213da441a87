"""A player of whom is known only what they do otherwise than a reference strategy."""

from __future__ import annotations

from dataclasses import dataclass

from counterplay.arrays import F64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.strategy import BucketedStrategy


@dataclass(frozen=True, eq=False)
class Deviation:
    """A strategy that is the reference, changed. Restricted Nash responses to it count what they earn from the change alone
    (`ModelMixture.reference`): the reference stands in for an equilibrium, and its own errors are not the player's.

    Attributes:
        play: the changed strategy.
        reference: the strategy without the change, in the same buckets.
    """

    play: BucketedStrategy
    reference: BucketedStrategy

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        return self.play.on(player, board)
