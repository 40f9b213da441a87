"""Random strategies as opponents, drawn infoset by infoset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.readers import Positive, Whole
from counterplay.treeplex.strategy import Strategy

_LARGEST = 1e9
"""The largest alpha of a Dirichlet distribution; beyond it sums overflow."""


@dataclass(frozen=True)
class Random(OpponentModel):
    """Every infoset's probabilities drawn from a symmetric Dirichlet distribution.

    Attributes:
        seed: seed of the draws; None takes the caller's.
        alpha: 1 is uniform over strategies; smaller values give purer ones.
    """

    HEAD = "random"
    seed: Annotated[int | None, Whole(what="the seed")] = None
    alpha: Annotated[float, Positive(most=_LARGEST)] = 1.0

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        seed = seed if self.seed is None else self.seed
        return strategies_of(game).random(player, seed, self.alpha)  # type: ignore[no-any-return]
