"""What every solve by sampling begins with: a game, who shares a strategy in it, the draws, and the room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.poker.whole_game.holdem import HoldemGame

Lanes = TypeVar("Lanes", bound=CardAbstraction, covariant=True)


@dataclass(frozen=True, eq=False)
class SamplingProblem(Generic[Lanes]):
    """A game to be solved by sampling.

    Attributes:
        game: the game.
        buckets: the lanes that hands share.
        seed: of all draws.
        memory: bytes that may be taken; by default half of the machine's.
    """

    game: HoldemGame
    buckets: Lanes
    seed: int = 0
    memory: float | None = None

    def check_room(self, needed: float, what: str) -> None:
        """Refuse a solve that takes more memory than there may be.

        Args:
            needed: bytes.
            what: is done, such as "sampling".

        Raises:
            InputError: it does not fit.
        """
        said = f"{what} with {self.buckets} takes {needed / 2**30:.3g} GiB"
        check_memory(said, needed, self.memory, "ask for fewer buckets")
