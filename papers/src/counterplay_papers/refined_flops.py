"""Sampled gain and risk of a re-solved strategy in a whole game that ends on the flop, from some of its flops.

Before the flop a refined strategy is its blueprint, whose values are known exactly. Each drawn flop gives the changes
against the blueprint: of the opponent's values, and of the strategy's value against an opponent. The mean over the
drawn flops estimates that over all; a best response before the flop is then taken to the sum. With all flops this is
exact. With few, exploitability is biased slightly upwards, since a best response also exploits sampling errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay import BlueprintStrategy, Executor, InputError, LookAhead, MaxMargin, Stop, WorkRecord
from counterplay.arrays import F64
from counterplay.blueprints.whole_game.as_strategy import (
    ITERATIONS,
    BoardSearches,
    EstimateError,
    RefinedBlueprint,
    solve_boards,
)
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import entry_reach, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import hand_values, preflop_values, value
from counterplay.poker.whole_game.walks.response_on_flops import FlopDraw
from counterplay.solvers.minimiser import Solver
from counterplay.work.run_work import FunctionWork, complete_work


def ses_search(alpha: float, iterations: int = ITERATIONS, solver: Solver = "dcfr") -> Search:
    """Safe exploitation search (Liu et al. 2022): max-margin with normalised margins, tilted toward the model's
    range."""
    look = LookAhead(Depth(), gadget=MaxMargin(), normalised=True)
    return Search(look, alpha=alpha, solver=solver, stop=Stop(iterations=iterations))


def search_all_flops(
    game: HoldemGame,
    blueprint: BlueprintStrategy,
    me: int,
    model: BlueprintStrategy | None,
    flops: Iterable[int],
    search: Search,
    *,
    profile: bool = False,
    error: EstimateError | None = None,
) -> RefinedBlueprint:
    """`BoardSearches` for flops of a game that ends there, by their numbers in `game.flops`; its arguments."""
    numbers = list(flops)
    for flop in numbers:
        if not 0 <= flop < len(game.flops):
            raise InputError(f"a flop must be from 0 to {len(game.flops) - 1}, not {flop}")
    boards = [game.flops[flop] for flop in numbers]
    return solve_boards(BoardSearches(game, blueprint, me, model, boards, search, profile, error or EstimateError()))


@dataclass(frozen=True, eq=False)
class SampleBasis:
    """Exact values of a blueprint in the whole game, by seat of the resolver.

    Attributes:
        value: chips per hand against the model.
        below: (entries, classes) values of flops to its best responder.
        early: (sequences, classes) values of earlier folds to the best responder.
    """

    value: tuple[float, float]
    below: tuple[F64, F64]
    early: tuple[F64, F64]


def sample_basis(game: HoldemGame, blueprint: BlueprintStrategy, model: BlueprintStrategy) -> SampleBasis:
    """The basis of a blueprint against a model, each of both players."""
    below = BoardWalk(game, 1, blueprint).entry_values(), BoardWalk(game, 0, blueprint).entry_values()
    reach = [reaches(side, blueprint.preflop[me]) for me, side in enumerate(game.sides)]
    early = [preflop_values(game, 1 - me, reach[me], np.zeros_like(below[me])) for me in (0, 1)]
    values = value(game, blueprint, model), -value(game, model, blueprint)
    return SampleBasis(values, below, (early[0], early[1]))


@dataclass(frozen=True)
class SampledMeasure:
    """Milli-big-blinds per hand, means over both seats, with standard errors from the draw of the flops.

    evaluation: value against the opponent. exploitability: value of a best responder.
    """

    evaluation: float
    evaluation_error: float
    exploitability: float
    exploitability_error: float


def measure_sample(
    game: HoldemGame,
    basis: SampleBasis,
    plays: tuple[RefinedBlueprint, RefinedBlueprint],
    model: BlueprintStrategy,
    flops: FlopDraw,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
) -> SampledMeasure:
    """The measure of a blueprint that was refined for each seat.

    Args:
        game: a game of hold'em that ends on the flop.
        basis: of the blueprint against the model.
        plays: strategies refined for players 0 and 1 on the drawn flops.
        model: the opponent.
        flops: the drawn flops.
        record: keeps the changes on each of them; its owner knows what they depend on.
        executor: measures them; this process unless given.

    Raises:
        KeyboardInterrupt: Ctrl-C; the record has the flops so far.
    """
    pieces = {f"player {me}, flop {flop}": (me, flop) for me in (0, 1) for flop in flops.numbers}
    reach = [entry_reach(game, me, play).astype(float) for me, play in enumerate(plays)]

    def change(key: str) -> dict[str, Any]:
        """`won`: how much more the resolver wins than the blueprint; `lost`: (entries, classes) how much more the best
        responder gets."""
        me, flop = pieces[key]
        group, both = game.flops[flop].up, (plays[me], plays[me].base)
        now, before = (hand_values(game, me, model, flop, one).astype(float) for one in both)
        best, best_before = (hand_values(game, 1 - me, one, flop).astype(float) for one in both)
        lost = np.zeros((len(game.entries), game.boards.classes))
        np.add.at(lost.T, group, (best - best_before).T)
        return {"won": float((reach[me][:, group] * (now - before)).sum()), "lost": lost}

    changes = complete_work(FunctionWork(change, list(pieces)), record=record, executor=executor)
    by_seat = [[changes[key] for key, (player, _) in pieces.items() if player == me] for me in (0, 1)]
    won_more = [np.array([one["won"] for one in each]) for each in by_seat]
    lost_more = [np.array([one["lost"] for one in each]) for each in by_seat]
    times, draws = np.array(flops.times), None if flops.seed is None else flops.draws

    def means(times: Any, draws: int | None) -> tuple[float, float]:
        """Both measures where flops were drawn so often; None: each stands for so many flops."""
        weights = times * (1.0 if draws is None else flops.whole / draws)
        won = sum(basis.value[me] + float(weights @ won_more[me]) / game.deals for me in (0, 1))
        lost = 0.0
        for me, side in enumerate(reversed(game.sides)):  # the best responder to each resolver
            worth = basis.early[me].copy()
            np.add.at(worth, side.entry, basis.below[me] + np.tensordot(weights, lost_more[me], 1))
            for _, before, first, count in side.preflop[::-1]:
                worth[before] += worth[first : first + count].max(axis=0)
            lost += float(worth[0].sum() / game.deals)
        return won / 2 * game.milli, lost / 2 * game.milli

    won, lost = means(times, draws)
    if draws is None:
        return SampledMeasure(float(won), 0.0, float(lost), 0.0)
    without = np.array([means(times - row, draws - 1) for row in np.eye(len(times), dtype=int)])
    mean = np.average(without, axis=0, weights=times)
    errors = np.sqrt((draws - 1) / draws * (times @ (without - mean) ** 2))  # the jackknife's
    return SampledMeasure(float(won), float(errors[0]), float(lost), float(errors[1]))
