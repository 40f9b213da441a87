"""Margins of flops by hand, all ways of coming there at once: a second witness of what re-solving a flop does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64
from counterplay.lookahead.tremble import corrupt_estimate
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.poker.whole_game.values.measure import hand_values

BEST_RESPONSE, PROFILE = "best-response", "profile"
"""What the opponent is taken to have had from the blueprint."""


@dataclass(frozen=True, eq=False)
class FlopRoot:
    """How a flop begins, for one resolver. Rows are entries, columns places of hands on the flop.

    Attributes:
        flop: its number.
        resolver: the player whose strategy is sought.
        range: the resolver's reach.
        weight: what the resolver's hands that each hand of the opponent can meet weigh.
        shift: alternative values: chips a hand.
    """

    flop: int
    resolver: int
    range: F64
    weight: F64
    shift: F64


def flop_root(
    game: HoldemGame, blueprint: BlueprintStrategy, flop: int, resolver: int, values: str = BEST_RESPONSE
) -> FlopRoot:
    """The beginning of a flop that a blueprint led to.

    Args:
        values: alternative values are those of a best response to the blueprint, or of the blueprint's other half.
    """
    hands = game.deck.hands[game.flops[flop].hand]
    came = entry_reach(game, resolver, blueprint).astype(float)[:, game.flops[flop].up]
    weight = np.array([compatible_weight(hands, row) for row in came])
    weight[weight <= 1e-9 * weight.max(axis=1, keepdims=True)] = 0.0  # what is left of a difference
    ours = blueprint if values == PROFILE else None
    claims = hand_values(game, 1 - resolver, blueprint, flop, ours)
    return FlopRoot(flop, resolver, came, weight, _over(claims, weight))


def estimate_range(game: HoldemGame, at: FlopRoot, model: BlueprintStrategy, error: float = 0.0, seed: int = 0) -> F64:
    """(entries, places) the opponent's range at each entry; a row sums to 1, or to 0 if no hand can reach it.

    Args:
        at: the beginning.
        model: of the opponent.
        error: the L1 distance by which the estimate is wrong: so much of it is moved to one infoset, drawn for each entry.
        seed: of the draws.
    """
    flop = game.flops[at.flop]
    came = entry_reach(game, 1 - at.resolver, model).astype(float)[:, flop.up] * at.weight
    total = came.sum(axis=1, keepdims=True)
    share = _over(came, np.broadcast_to(total, came.shape))
    if error == 0.0:
        return share
    draw, lane = np.random.default_rng((seed, at.flop, at.resolver)), flop.lane
    for row, weight in zip(share, at.weight, strict=True):
        if row.any():  # hands that differ by the names of suits only are one infoset
            by_lane, room = (np.bincount(lane, one).astype(float) for one in (row, weight))
            moved = corrupt_estimate(by_lane, error, draw, room > 0.0)
            row[:] = moved[lane] * weight / np.where(room > 0.0, room, 1.0)[lane]
    return share


def margins(game: HoldemGame, at: FlopRoot, play: BlueprintStrategy) -> F64:
    """(entries, places) by how much less than the alternative a best responder gets with each hand, in chips; infinite where
    nobody can be."""
    now = _over(hand_values(game, 1 - at.resolver, play, at.flop), at.weight)
    return np.where(at.weight > 0.0, at.shift - now, np.inf)


def _over(numbers: NDArray[Any], weight: F64) -> F64:
    """Divided, and 0 where there is nothing to divide by."""
    out: F64 = np.divide(numbers, weight, out=np.zeros(weight.shape), where=weight > 0.0)
    return out
