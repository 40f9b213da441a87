"""The players of `ses_fhp`, and each of its numbers: computed once in a process."""

from __future__ import annotations

import time
from functools import cache
from typing import NamedTuple

import numpy as np

from counterplay.blueprints.whole_game.as_strategy import (
    ITERATIONS,
    EstimateError,
    RefinedBlueprint,
    search_all_flops,
    ses_search,
)
from counterplay.blueprints.whole_game.sampled_measure import (
    FlopSample,
    SampleBasis,
    SampledMeasure,
    draw_flops,
    measure_sample,
    sample_basis,
)
from counterplay.card_abstraction.card_abstraction import StreetBuckets
from counterplay.card_abstraction.ochs import cluster
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.whole_game.blueprints.blueprint import blueprint, shuffle_blueprint
from counterplay.poker.whole_game.blueprints.board_split import PUBLIC
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategy import BucketedStrategy, ModelMixture
from counterplay.poker.whole_game.values.measure import best_response_value, measure, value

KINDS = {"0": 0.0, "0.3": 0.3, "0.7": 0.7}
"""The share of infosets that is shuffled, by kind of opponent; with none, the opponent is a blueprint of another seed."""
SEEDS = (1, 2, 3)


class RunLength(NamedTuple):
    """buckets: on the flop. preflop: before it, None for all classes. iterations: of the blueprint. flops: drawn, 0 for all
    of them. search: iterations of a decision."""

    buckets: int
    preflop: int | None
    iterations: int
    flops: int
    search: int = ITERATIONS

    @property
    def whole(self) -> RunLength:
        """With all flops."""
        return self._replace(flops=0)


FULL, SMALL = RunLength(200, None, 4000, 40), RunLength(30, 30, 1000, 4, 100)


@cache
def game() -> HoldemGame:
    """The paper's."""
    return holdem_game(flop_holdem())


@cache
def _buckets(count: int, preflop: int | None) -> StreetBuckets:
    return cluster(game().boards, count, preflop=preflop)


@cache
def _solved(count: int, preflop: int | None, iterations: int, seed: int) -> BucketedStrategy:
    return blueprint(game(), _buckets(count, preflop), method=PUBLIC, iterations=iterations, seed=seed).play


def _base(size: RunLength) -> BucketedStrategy:
    return _solved(size.buckets, size.preflop, size.iterations, 0)


@cache
def _model(size: RunLength, kind: str, seed: int) -> BucketedStrategy:
    """An opponent."""
    if not KINDS[kind]:
        return _solved(size.buckets, size.preflop, size.iterations, seed)
    return shuffle_blueprint(game(), _base(size), KINDS[kind], np.random.default_rng((seed, round(10 * KINDS[kind]))))


@cache
def _facts(size: RunLength, kind: str, seed: int) -> SampleBasis:
    return sample_basis(game(), _base(size), _model(size, kind, seed))


@cache
def _drawn(size: RunLength) -> FlopSample:
    return draw_flops(game().boards, size.flops or None)


@cache
def _exploitability(size: RunLength) -> float:
    return measure(game(), _base(size)).exploitability


def unrefined(size: RunLength, kind: str, seed: int) -> SampledMeasure:
    """The blueprint's numbers, which are exact."""
    won = sum(_facts(size.whole, kind, seed).value) / 2 * game().milli
    return SampledMeasure(won, 0.0, _exploitability(size.whole), 0.0)


@cache
def refined_by_search(size: RunLength, kind: str, seed: int, alpha: float, error: float) -> SampledMeasure:
    """Of the blueprint after safe exploitation search."""
    model = _model(size, kind, seed)
    plays = _refined(size, model, alpha, error, seed) if alpha else _safe(size)
    return measure_sample(game(), _facts(size.whole, kind, seed), plays, model, _drawn(size))


@cache
def _safe(size: RunLength) -> tuple[RefinedBlueprint, RefinedBlueprint]:
    """Max-margin, for which no opponent matters."""
    return _refined(size, _base(size), 0.0)


def _refined(
    size: RunLength, model: BucketedStrategy, alpha: float, error: float = 0.0, seed: int = 0
) -> tuple[RefinedBlueprint, RefinedBlueprint]:
    flops, search = _drawn(size).flops.tolist(), ses_search(alpha, size.search)
    first, second = (
        search_all_flops(game(), _base(size), me, model, flops, search, error=EstimateError(error, seed))
        for me in (0, 1)
    )
    return first, second


@cache
def _decision(size: RunLength) -> float:
    """Seconds of a decision of the search, processor time; the second call, so that no compiling is timed."""
    base = _base(size)
    flops = _drawn(size).flops[:3].tolist()
    search = ses_search(0.5, size.search)
    return [search_all_flops(game(), base, 0, base, flops, search).seconds for _ in range(2)][1]


@cache
def restricted(size: RunLength, kind: str, seed: int, p: float, times: float, more: float) -> SampledMeasure:
    """Of a restricted Nash response for each seat, in so many times the seconds of a decision and so many more."""
    model, limit = _model(size, kind, seed), times * _decision(size) + more
    _respond(size, model, 0, p, 0.0)
    won = lost = 0.0
    for me in (0, 1):
        play = _respond(size, model, me, p, limit)
        won += value(game(), play, model) if me == 0 else -value(game(), model, play)
        lost += best_response_value(game(), play, 1 - me)
    return SampledMeasure(won / 2 * game().milli, 0.0, lost / 2 * game().milli, 0.0)


def _respond(size: RunLength, model: BucketedStrategy, me: int, p: float, seconds: float) -> BucketedStrategy:
    """A restricted Nash response, by public chance sampling for so long."""
    solver = VectorCFR(game(), _buckets(size.buckets, size.preflop), trust=ModelMixture(1 - me, model, p))
    draws, begin = np.random.default_rng(0), time.process_time()
    while not solver.iterations or time.process_time() - begin < seconds:
        solver.sample(2, draws)
    return solver.average()
