"""Safe exploitation search in Flop Hold'em (Liu et al. 2022): a blueprint's flops solved again, tilted toward a model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from counterplay.blueprints.whole_game.flop_gadget import BEST_RESPONSE, VALUES, estimate_range, flop_root, solve_flop
from counterplay.errors import InputError, quoted
from counterplay.lookahead.tremble import check_share
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.flops import Flops
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.solvers.minimiser import minimiser

ITERATIONS = 300
"""Of both players: the least margin is then within some 0.01 chips of where it comes to rest."""


@dataclass(frozen=True)
class SesSettings:
    """How a flop is solved again.

    Attributes:
        alpha: how much the model counts; 0 is max-margin, 1 trusts the model's range wholly.
        error: L1 distance, 0 to 2, by which the estimate of the model's range is made wrong.
        seed: of that error.
        iterations, method: of the solver; a method without prediction.
        values: the opponent's alternative values, "best-response" or "profile".
    """

    alpha: float
    error: float = 0.0
    seed: int = 0
    iterations: int = ITERATIONS
    method: str = "dcfr"
    values: str = BEST_RESPONSE

    def __post_init__(self) -> None:
        check_share("alpha", self.alpha)
        if not 0.0 <= self.error < 2.0:
            raise InputError(f"the error of the estimate must be from 0 to below 2, not {self.error:g}")
        if self.iterations < 1:
            raise InputError(f"iterations: at least 1 is needed, not {self.iterations}")
        if self.values not in VALUES:
            raise InputError(f"alternative values are {' or '.join(VALUES)}, not {quoted(self.values)}")
        if minimiser(self.method).predictive:
            raise InputError(f"a flop is solved by cfr, cfr+ or dcfr, not by {self.method}")


@dataclass(frozen=True, eq=False)
class RefinedBlueprint:
    """A blueprint with some flops of one player solved again: a strategy like any other.

    Attributes:
        base: the blueprint.
        player: the resolver.
        flops: those of the game.
        tables: for each flop that was solved, (sequences, lanes) of `Flops.lane`.
        seconds: that a flop took in the mean, processor time.
    """

    base: BlueprintStrategy
    player: int
    flops: Flops
    tables: Mapping[int, NDArray[Any]]
    seconds: float

    @property
    def preflop(self) -> tuple[Floats, Floats]:
        return self.base.preflop

    def on(self, player: int, board: Board) -> tuple[NDArray[Any], Small]:
        if player == self.player and board.number in self.tables:
            return self.tables[board.number], board.lane
        return self.base.on(player, board)


def refine(
    game: HoldemGame,
    blueprint: BlueprintStrategy,
    resolver: int,
    model: BlueprintStrategy,
    flops: Iterable[int],
    search: SesSettings,
) -> RefinedBlueprint:
    """Solve flops again.

    Args:
        blueprint: of both players.
        resolver: the player who searches, 0 or 1.
        model: of the opponent; what it does on the flop is not looked at.
        flops: their numbers in `game.flops`.
        search: how.

    Raises:
        InputError: there is no such player or flop, or the error is more than a range allows.
    """
    if resolver not in (0, 1):
        raise InputError(f"the resolver must be player 0 or 1, not {resolver}")
    tables: dict[int, NDArray[Any]] = {}
    begin = time.process_time()
    for flop in flops:
        if not 0 <= flop < game.flops.flops:
            raise InputError(f"flop {flop} is none of 0 to {game.flops.flops - 1}")
        tables[flop] = decide(game, blueprint, resolver, model, flop, search)
    return RefinedBlueprint(
        blueprint, resolver, game.flops, tables, (time.process_time() - begin) / max(1, len(tables))
    )


def decide(
    game: HoldemGame,
    blueprint: BlueprintStrategy,
    resolver: int,
    model: BlueprintStrategy,
    flop: int,
    search: SesSettings,
) -> NDArray[Any]:
    """(sequences, lanes) the strategy of one flop: what is computed when it is dealt, with no other flop looked at."""
    at = flop_root(game, blueprint, flop, resolver, search.values)
    estimate = estimate_range(game, at, model, search.error if search.alpha else 0.0, search.seed)
    return solve_flop(game, at, estimate, search.alpha, search.iterations, minimiser(search.method))
