"""Quantal response: an opponent who takes better actions more readily, but not always the best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.expectation import counterfactual_reach
from counterplay.opponents.counting.estimate import Observations
from counterplay.opponents.model import MODELS, AnyGame, OpponentModel
from counterplay.texts.readers import Real
from counterplay.treeplex.strategy import Strategy

PRECISIONS = (0.0, *(0.05 * 1.5**step for step in range(16)))
"""Precisions that hands choose from, per chip."""
_LEAST = 1e-300


@dataclass(frozen=True)
class QuantalResponse(OpponentModel):
    """The logit response to `to` (McKelvey and Palfrey 1998).

    An action's probability is in proportion to exp(precision · its expected chips), where the player responds like this
    afterwards, too.

    Attributes:
        precision: per chip; 0 is uniform play, and a best response is the limit.
        to: the other seat's strategy.
    """

    HEAD = "logit"
    precision: Annotated[float, Real(what="the precision", example="2", most=1e6)]
    to: Annotated[OpponentModel, MODELS.nested("the opponent that it responds to")]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        if not game.lists_histories:
            raise InputError(f"{self.HEAD} needs the histories of a game, and {game.name} is not listed by them")
        other = self.to.strategy(game, 1 - player, seed)
        return Strategy(game.trees[player], logit_response(game, player, other, self.precision))


def logit_response(game: AnyGame, player: int, other: Strategy, precision: float) -> F64:
    """(size,) the behaviour of the logit response."""
    tree = game.trees[player]
    values, behaviour = game.payoff.product(player, other.plan), tree.uniform()
    reaches = counterfactual_reach(game, player, other.plan)  # type: ignore[arg-type]
    for offset, width, n, lane, count in tree.arrays.groups[::-1].tolist():
        # (actions, infosets) values of a group, weighted by chance and by the other player.
        rows = values[offset : offset + n * width].reshape(n, width)[:, :count]
        chips = precision * rows / np.maximum(reaches[lane : lane + count], _LEAST)
        odds = np.exp(chips - chips.max(axis=0))
        odds /= odds.sum(axis=0)
        behaviour[offset : offset + n * width].reshape(n, width)[:, :count] = odds
        np.add.at(values, tree.arrays.parent[lane : lane + count], (odds * rows).sum(axis=0))
    return behaviour


def fit_logit(
    game: AnyGame, player: int, data: Observations, other: Strategy, precisions: Iterable[float] = PRECISIONS
) -> tuple[F64, float]:
    """(size,) the behaviour of the logit response that observations make most likely, and its precision."""
    if not data.hands.any():
        raise InputError("a quantal response is learned from hands, and none were seen")
    compared = list(precisions)
    if not compared or not all(0.0 <= one < float("inf") for one in compared):
        raise InputError(f"precisions are numbers from 0 on, at least one, not {quoted(compared)}")
    fits = [(logit_response(game, player, other, one), one) for one in compared]
    return max(fits, key=lambda fit: data.score(fit[0])[0])
