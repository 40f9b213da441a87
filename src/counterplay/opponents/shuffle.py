"""Shuffled opponents: another opponent with some probabilities scaled at random (Liu et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.strategies.drawn_strategies import Floats, by_infoset
from counterplay.texts.readers import Share, Whole
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Shuffle(OpponentModel):
    """With probability `share` an infoset's probabilities are multiplied by uniform draws from (0, 1) and normalised.

    Attributes:
        share: expected share of shuffled infosets.
        to: the opponent that is changed.
        seed: seed of the draws; None takes the caller's.
    """

    HEAD = "shuffle"
    share: Annotated[float, Share(what="the share", example="0.2")]
    to: Annotated[OpponentModel, MODELS.nested(CHANGED)]
    seed: Annotated[int | None, Whole(what="the seed")] = None

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        inner = self.to.strategy(game, player, seed)
        seed = seed if self.seed is None else self.seed
        rng, behaviour = np.random.default_rng(seed), np.asarray(inner.behaviour)

        def row(n: int, where: slice) -> Floats:
            chosen, factors = rng.random() < self.share, 1.0 - rng.random(n)
            changed: Floats = behaviour[where] * factors
            return changed / changed.sum() if chosen else behaviour[where]

        return Strategy(inner.tree, by_infoset(inner.tree, row), {"seed": seed}, inner.counts)
