"""Shuffled opponents: another opponent with some probabilities scaled at random (Liu et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.strategies.decision_rows import rows_at_once
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
        rows, draws = rows_at_once(inner.tree, spare=1)  # the first draw of a row decides whether it is shuffled
        drawn, behaviour = np.random.default_rng(seed).random(draws), np.array(inner.behaviour)
        for sequences, last in rows:
            n = sequences.shape[1]
            chosen = drawn[last - n - 1] < self.share
            where, own = sequences[chosen], last[chosen][:, None] - n + np.arange(n)
            changed = behaviour[where] * (1.0 - drawn[own])
            behaviour[where] = changed / changed.sum(axis=1, keepdims=True)
        return Strategy(inner.tree, behaviour, {"seed": seed}, inner.counts)
