"""One flop behind a max-margin gadget that is tilted toward a model (SES), solved by vectors of hands.

Once the flop is dealt, every way in which the betting may have ended before it is a subgame of its own. All of them are
solved at once, for they fill the same arrays. In front of each the opponent has one decision: with which hand to come. Who
comes with a hand meets the resolver's hands in proportion to the resolver's range, and is paid less by what the hand got
from the blueprint (normalised margins, in chips). With probability alpha the opponent comes as the model says instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.lookahead.priors import corrupt_estimate
from counterplay.poker.cards.compatible_hands import compatible_weight
from counterplay.poker.whole_game.blueprints.street_regrets import StreetRegrets
from counterplay.poker.whole_game.board_kernels import add_lanes, add_ranges, add_up_entries, values_against
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.measure import hand_values
from counterplay.poker.whole_game.regrets import Rates, rates
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.solvers.minimiser import Minimiser

BEST_RESPONSE, PROFILE = VALUES = ("best-response", "profile")
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
    range: Floats
    weight: Floats
    shift: Floats


def flop_root(
    game: HoldemGame, blueprint: BlueprintStrategy, flop: int, resolver: int, values: str = BEST_RESPONSE
) -> FlopRoot:
    """The beginning of a flop that a blueprint led to.

    Args:
        values: alternative values are those of a best response to the blueprint, or of the blueprint's other half.
    """
    hands = game.flops.deck.hands[game.flops.hand[flop]]
    came = entry_reach(game, resolver, blueprint).astype(float)[:, game.flops.at[flop]]
    weight = np.array([compatible_weight(hands, row) for row in came])
    weight[weight <= 1e-9 * weight.max(axis=1, keepdims=True)] = 0.0  # what is left of a difference
    ours = blueprint if values == PROFILE else None
    claims = hand_values(game, 1 - resolver, blueprint, flop, ours)
    return FlopRoot(flop, resolver, came, weight, _over(claims, weight))


def estimate_range(
    game: HoldemGame, at: FlopRoot, model: BlueprintStrategy, error: float = 0.0, seed: int = 0
) -> Floats:
    """(entries, places) with which hands the opponent comes; each row sums to 1, or to 0 where nobody can come.

    Args:
        at: the beginning.
        model: of the opponent.
        error: the L1 distance by which the estimate is wrong: so much of it is moved to one infoset, drawn for each entry.
        seed: of the draws.
    """
    flops = game.flops
    came = entry_reach(game, 1 - at.resolver, model).astype(float)[:, flops.at[at.flop]] * at.weight
    total = came.sum(axis=1, keepdims=True)
    share = _over(came, np.broadcast_to(total, came.shape))
    if error == 0.0:
        return share
    draw, lane = np.random.default_rng((seed, at.flop, at.resolver)), flops.lane[at.flop]
    for row, weight in zip(share, at.weight, strict=True):
        if row.any():  # hands that differ by the names of suits only are one infoset
            by_lane, room = (np.bincount(lane, one).astype(float) for one in (row, weight))
            moved = corrupt_estimate(by_lane, error, draw, room > 0.0)
            row[:] = moved[lane] * weight / np.where(room > 0.0, room, 1.0)[lane]
    return share


def solve_flop(
    game: HoldemGame, at: FlopRoot, estimate: Floats, alpha: float, iterations: int, method: Minimiser
) -> NDArray[Any]:
    """(sequences, lanes) the resolver's strategy on the flop, by the lanes of `Flops.lane`.

    Args:
        at: the beginning.
        estimate: from `estimated`.
        alpha: how much it counts, from 0 to 1.
        iterations: of both players.
        method: a setting without prediction.
    """
    here, other = _OneFlop(game, at.flop), 1 - at.resolver
    possible = at.weight > 0.0
    scale = at.range.max(axis=1, keepdims=True)
    mine = _over(at.range, np.broadcast_to(scale, at.range.shape))
    regrets = np.zeros_like(at.weight)
    chosen = _matched(regrets, possible)
    reach: list[Any] = [mine.astype(game.dtype)] * 2
    for t in range(1, iterations + 1):
        rate = rates(method, t)
        reach[other] = _over((1 - alpha) * chosen + alpha * estimate, at.weight / scale).astype(game.dtype)
        for player in (at.resolver, other):
            below = here.move(player, reach, rate)
        worth = np.where(possible, _over(below * scale, at.weight) - at.shift, 0.0)
        regrets += worth - (chosen * worth).sum(axis=1, keepdims=True)
        regrets *= np.where(regrets > 0.0, rate.up, 0.0 if rate.floor else rate.down)
        chosen = _matched(regrets, possible)
    return here.regrets.average(at.resolver)[0]


def margins(game: HoldemGame, at: FlopRoot, play: BlueprintStrategy) -> Floats:
    """(entries, places) by how much less than the alternative a best responder gets with each hand, in chips; infinite where
    nobody can be."""
    now = _over(hand_values(game, 1 - at.resolver, play, at.flop), at.weight)
    return np.where(at.weight > 0.0, at.shift - now, np.inf)


class _OneFlop:
    """Regrets on one flop, on which every place is a class of its own."""

    def __init__(self, game: HoldemGame, flop: int) -> None:
        self._game, self._board = game, game.flops.listed[flop]
        self._places = np.arange(game.flops.places, dtype=np.uint32)
        self.regrets = StreetRegrets(game, 1, np.array([self._board.lanes]))
        self._room = game.room()

    def move(self, player: int, reach: list[Any], rate: Rates) -> Floats:
        """One player's new regrets; (entries, places) what the flop is worth by the strategy before.

        Args:
            reach: of each player, (entries, places).
        """
        game, board, places = self._game, self._board, self._places
        tables, side = [self.regrets.table(p, 0) for p in (0, 1)], game.sides[player]
        values_against(
            board.layout, game.terminals[player], game.sides[1 - player].flop, reach[1 - player], places,
            tables[1 - player], board.lane, game.run, self._room,
        )  # fmt: skip
        worth, own = self.regrets.nothing(player)
        below = np.zeros((len(game.entries), len(places)))
        add_lanes(side.flop, 1.0, tables[player], board.lane, game.run, self._room, worth)
        add_up_entries(1.0, places, game.run, self._room, below)
        add_ranges(reach[player], 1.0, places, board.lane, own)
        self.regrets.move(player, 0, worth, own, tables[player], rate)
        return below


def _over(numbers: NDArray[Any], weight: Floats) -> Floats:
    """Divided, and 0 where there is nothing to divide by."""
    out: Floats = np.divide(numbers, weight, out=np.zeros(weight.shape), where=weight > 0.0)
    return out


def _matched(regrets: Floats, possible: NDArray[np.bool_]) -> Floats:
    """Regret matching over the hands that can come."""
    above = np.where(possible, np.maximum(regrets, 0.0), 0.0)
    rows = above.sum(axis=1) <= 0.0
    above[rows] = possible[rows]
    total = np.maximum(above.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(above / total, np.float64)
