"""Sampled gain and risk of a re-solved strategy in the whole game, from some of its flops.

Before the flop a refined strategy is its blueprint, whose values are known exactly. Each drawn flop gives the changes
against the blueprint: of the opponent's values, and of the strategy's value against an opponent. The mean over the
drawn flops estimates that over all; a best response before the flop is then taken to the sum. With all flops this is
exact. With few, exploitability is biased slightly upwards, since a best response also exploits sampling errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.blueprints.whole_game.as_strategy import RefinedBlueprint
from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach, reaches
from counterplay.poker.whole_game.values.measure import entry_values, hand_values, preflop_values, value
from counterplay.work.executor import Executor
from counterplay.work.run_work import complete_work
from counterplay.work.work_record import WorkRecord


@dataclass(frozen=True, eq=False)
class FlopSample:
    """Drawn flops with their multiplicities; `of` is the number of draws, or None for all flops."""

    flops: I64
    times: I64
    of: int | None

    def weights(self, boards: GameBoards) -> F64:
        """(flops,) the weight of each: the number of flops it represents."""
        share = 1.0 if self.of is None else boards.choices(boards.root)[1].sum() / self.of
        return np.asarray(self.times * share, np.float64)


def draw_flops(boards: GameBoards, count: int | None, seed: int = 0) -> FlopSample:
    """A sample of flops, each drawn by its probability of being dealt; all of them without a count.

    Raises:
        InputError: fewer than two, which give no standard error.
    """
    counts = boards.choices(boards.root)[1]
    if count is None:
        return FlopSample(np.arange(len(counts)), counts, None)
    if count < 2:
        raise InputError(f"flops: at least 2 must be drawn, not {count}")
    ends = np.cumsum(counts)
    picks = np.searchsorted(ends, np.random.default_rng(seed).integers(0, ends[-1], count), side="right")
    found, times = np.unique(picks, return_counts=True)
    return FlopSample(found, times, count)


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
    below = [entry_values(game, 1 - me, blueprint) for me in (0, 1)]
    early = []
    for me in (0, 1):
        reach = reaches(game.sides[me], blueprint.preflop[me])
        early.append(preflop_values(game, 1 - me, reach, np.zeros_like(below[me])))
    values = value(game, blueprint, model), -value(game, model, blueprint)
    return SampleBasis(values, (below[0], below[1]), (early[0], early[1]))


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
    facts: SampleBasis,
    plays: tuple[RefinedBlueprint, RefinedBlueprint],
    model: BlueprintStrategy,
    flops: FlopSample,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
) -> SampledMeasure:
    """The measure of a blueprint that was refined for each seat.

    Args:
        game: a game of hold'em that ends on the flop.
        facts: basis of the blueprint against the model.
        plays: strategies refined for players 0 and 1 on the drawn flops.
        model: the opponent.
        flops: the drawn flops.
        record: keeps what each of them tells.
        executor: measures them; this process unless given.

    Raises:
        KeyboardInterrupt: Ctrl-C; the record has the flops so far.
    """
    work = FlopGains(game, plays, model, flops.flops)
    told = complete_work(work, record=record, executor=executor)
    more = [work.gathered(told, me) for me in (0, 1)]

    def found(times: I64, of: int | None) -> tuple[float, float]:
        weights = FlopSample(flops.flops, times, of).weights(game.boards)
        won = sum(facts.value[me] + float(weights @ more[me][0]) / game.deals for me in (0, 1))
        lost = sum(_best(game, facts, me, np.tensordot(weights, more[me][1], 1)) for me in (0, 1))
        return won / 2 * game.milli, lost / 2 * game.milli

    won, lost = found(flops.times, flops.of)
    if flops.of is None:
        return SampledMeasure(float(won), 0.0, float(lost), 0.0)
    without = np.array([found(flops.times - row, flops.of - 1) for row in np.eye(len(flops.times), dtype=int)])
    mean = np.average(without, axis=0, weights=flops.times)
    errors = np.sqrt((flops.of - 1) / flops.of * (flops.times @ (without - mean) ** 2))  # the jackknife's
    return SampledMeasure(float(won), float(errors[0]), float(lost), float(errors[1]))


class FlopGains:
    """What refining changes on each flop, as work: a piece for each flop and resolver.

    Args:
        game: the game.
        plays: refined for player 0 and for player 1.
        model: the opponent.
        flops: their numbers.
    """

    def __init__(
        self, game: HoldemGame, plays: Sequence[RefinedBlueprint], model: BlueprintStrategy, flops: I64
    ) -> None:
        self._game, self._plays, self._model = game, plays, model
        self._pieces = {f"player {me}, flop {f}": (me, f) for me in (0, 1) for f in flops.tolist()}
        self._mine = [entry_reach(game, me, play).astype(float) for me, play in enumerate(plays)]

    def identity(self) -> dict[str, Any]:
        """None of its own: whoever keeps the flops knows what they depend on."""
        return {}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def compute(self, key: str) -> dict[str, Any]:
        """`won`: how much more the resolver wins than the blueprint; `lost`: (entries, classes) how much more the best
        responder gets."""
        me, f = self._pieces[key]
        game, play = self._game, self._plays[me]
        group = game.flops[f].up
        now, before = (hand_values(game, me, self._model, f, one).astype(float) for one in (play, play.base))
        best, was = (hand_values(game, 1 - me, one, f).astype(float) for one in (play, play.base))
        lost = np.zeros((len(game.entries), game.boards.classes))
        np.add.at(lost.T, group, (best - was).T)
        return {"won": float((self._mine[me][:, group] * (now - before)).sum()), "lost": lost}

    def gathered(self, results: dict[str, Any], me: int) -> tuple[F64, F64]:
        """(flops,) and (flops, entries, classes) of a resolver, in the order of the flops."""
        told = [results[key] for key, (player, _) in self._pieces.items() if player == me]
        return np.array([one["won"] for one in told]), np.array([one["lost"] for one in told])


def _best(game: HoldemGame, facts: SampleBasis, me: int, more: F64) -> float:
    """The value of the best responder to a resolver, in chips per hand."""
    side, worth = game.sides[1 - me], facts.early[me].copy()
    np.add.at(worth, side.entry, facts.below[me] + more)
    for _, before, first, count in side.preflop[::-1]:
        worth[before] += worth[first : first + count].max(axis=0)
    return float(worth[0].sum() / game.deals)
