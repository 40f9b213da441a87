"""Liu et al. 2022, figures 3 and 4, the rows of flop hold'em: safe exploitation search over alpha, by the error of the
estimate, and restricted Nash responses.

The blueprint is public chance sampling with 200 buckets on the flop, and so are the opponents of the first kind, by other
seeds; the others are the blueprint with shuffled probabilities. Before the flop the searcher keeps to its blueprint; each
flop is solved again when it is dealt. All numbers are means over both seats, in milli-big-blinds a hand, in the game without
buckets. Of the 1,755 flops some are drawn, the same ones for all rows; columns ending in "error" have the standard errors of
that, and two rows have all flops. A restricted Nash response is computed for the whole game, with buckets, in the processor
time of one decision of the search, in 19 times as much (the paper's 10 and 190 seconds), or in 190 seconds. Figures of those
hang on the machine. Rows that begin with "small" are what `--quick` computes.

The paper prints no numbers. What it reads from its figures: the evaluation rises with alpha up to an error of 0.6, and falls
with the error; the exploitability falls with alpha where the error is small, and rises with the error; RNR is worse in both
in the same time, and in 19 times as much wins about as much and is much more exploitable. The rows "alpha 1 less 0" say
which way alpha moves our numbers. At alpha = 1 a margin is worth nothing, and exploitability is several times that of 0.95,
however long a flop is solved; the way there is steep, for at 0.99 a margin of 99 is given for 1 more from the model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from statistics import fmean
from typing import NamedTuple

import numpy as np

from counterplay.blueprints.whole_game.as_strategy import (
    ITERATIONS,
    EstimateError,
    RefinedBlueprint,
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
from counterplay.poker.whole_game.walks.response_on_flops import ALL, FlopDraw, draw_flops
from counterplay_papers.experiment import LIU_2022, AnyCell, Cell, Derived, Experiment, Numbers, field, grid
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.refined_flops import (
    SampleBasis,
    SampledMeasure,
    measure_sample,
    sample_basis,
    search_all_flops,
    ses_search,
)

KINDS = {"0": 0.0, "0.3": 0.3, "0.7": 0.7}
"""The share of infosets that is shuffled, by kind of opponent; with none, the opponent is a blueprint of another seed."""
SEEDS = (1, 2, 3)
EVALUATION, EXPLOITABILITY = MEASURES = ("evaluation", "exploitability")
ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ERRORS = (0.0, 0.3, 0.6, 0.9, 1.2)
BUDGETS: dict[str, tuple[float, float]] = {
    "RNR (same time)": (1.0, 0.0),
    "RNR (19 times)": (19.0, 0.0),
    "RNR (190 s)": (0.0, 190.0),
}
"""How many times the seconds of a decision, and how many more."""
_LEVEL, _UNIT = "blueprint", "milli-big-blinds"
_FEW, _LARGE, _KIND, _SEED = (0.0, 0.5, 1.0), "RNR (190 s)", "0.7", 1


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


def ses_fhp() -> Experiment:
    """Figure 3's two rows of panels, figure 4's two, and the small ones."""
    cells: list[AnyCell] = []
    rows = {f"small, shuffle {_KIND}, seed {_SEED}, alpha={alpha:g}": alpha for alpha in _FEW}
    names = ("e=0", "e=1.2", "RNR (same time)")
    for row, alpha in rows.items():
        cells += _plain(row, SMALL, _KIND, _SEED, slow=False)
        cells += _searched(row, SMALL, alpha, False, errors=(0.0, 1.2))
        cells += _restricted(row, SMALL, _KIND, _SEED, alpha, {names[-1]: False})
    small: list[Panel] = [_panel(f"small: {m}", m, rows, (_LEVEL, *names), "alpha or p") for m in MEASURES]
    drawn: dict[tuple[int, str], list[Panel]] = {(figure, m): [] for figure in (3, 4) for m in MEASURES}
    for kind in KINDS:
        rows = {}
        for seed in SEEDS:
            for alpha in ALPHAS:
                row = _name(kind, seed, alpha)
                rows[row] = alpha
                cells += _plain(row, FULL, kind, seed, slow=True)
                cells += _searched(row, FULL, alpha, True, kind, seed)
                budgets = {name: True for name in BUDGETS if name != _LARGE or seed == SEEDS[0]}
                cells += _restricted(row, FULL, kind, seed, alpha, budgets)
        for measured in MEASURES:
            title = f"shuffle {kind}: {measured}"
            drawn[3, measured].append(_panel(title, measured, rows, (_LEVEL, *(f"e={e:g}" for e in ERRORS)), "alpha"))
            columns = {f"e=0 {measured}": "SES"} | {f"{name} {measured}": name for name in BUDGETS}
            unit = f"{measured} ({_UNIT})"
            drawn[4, measured].append(DialPanel(title, rows, columns, across="alpha or p", measure=unit))
    cells += [_rise(kind, error, measured) for kind in KINDS for error in ERRORS for measured in MEASURES]
    for alpha in (0.0, 1.0):
        cells += _searched(f"all flops, shuffle {_KIND}, seed {_SEED}, alpha={alpha:g}", FULL.whole, alpha, True)
    title = f"SES in flop hold'em by L1 error e of the estimate, and RNR; {_UNIT} a hand, means over both seats"
    return Experiment("ses-fhp", title, f"{LIU_2022}, figures 3 and 4", 2, cells, [*drawn.values(), small])


def _name(kind: str, seed: int, alpha: float) -> str:
    return f"shuffle {kind}, seed {seed}, alpha={alpha:g}"


def _panel(title: str, measured: str, rows: Mapping[str, float], names: tuple[str, ...], across: str) -> DialPanel:
    columns = {f"{name} {measured}": name for name in names}
    return DialPanel(title, rows, columns, across=across, measure=f"{measured} ({_UNIT})", level=_LEVEL)


def _rise(kind: str, error: float, measured: str) -> Derived:
    """By how much a measure is higher at alpha 1 than at 0, in the mean over the opponents of a kind."""
    column = f"e={error:g} {measured}"

    def compute(found: Numbers) -> float:
        numbers = found[column]
        return fmean(numbers[len(SEEDS) :]) - fmean(numbers[: len(SEEDS)])

    of = [_name(kind, seed, alpha) for alpha in (ALPHAS[0], ALPHAS[-1]) for seed in SEEDS]
    return Derived(f"shuffle {kind}, alpha 1 less 0", column, of, (column,), compute)


def _measured(
    row: str, name: str, slow: bool, find: Callable[[], SampledMeasure], measures: tuple[str, ...] = MEASURES
) -> list[Cell]:
    columns = {f"{name} {m}": m.replace(" ", "_") for m in measures}
    return grid({row: find}, columns, lambda found, measured: field(measured, found), slow)


def _plain(row: str, size: RunLength, kind: str, seed: int, *, slow: bool) -> list[Cell]:
    """The blueprint's numbers."""
    return _measured(row, _LEVEL, slow, partial(unrefined, size, kind, seed))


def _searched(
    row: str, size: RunLength, alpha: float, slow: bool, kind: str = _KIND, seed: int = _SEED,
    errors: tuple[float, ...] = (),
) -> list[Cell]:  # fmt: skip
    """The numbers of the search and their standard errors; without alpha the estimate is not used."""
    made = []
    for error in errors or (ERRORS if size.flops else ERRORS[:1]):
        find = partial(refined_by_search, size, kind, seed, alpha, error if alpha else 0.0)
        made += _measured(row, f"e={error:g}", slow, find, (*MEASURES, *(f"{m} error" for m in MEASURES)))
    return made


def _restricted(row: str, size: RunLength, kind: str, seed: int, p: float, budgets: dict[str, bool]) -> list[Cell]:
    """The numbers of restricted Nash responses, and whether each is slow."""
    return [
        cell
        for name, slow in budgets.items()
        for cell in _measured(row, name, slow, partial(restricted, size, kind, seed, p, *BUDGETS[name]))
    ]


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
def _drawn(size: RunLength) -> FlopDraw:
    return draw_flops(game().boards, size.flops or ALL)


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
    flops, search = _drawn(size).numbers, ses_search(alpha, size.search)
    first, second = (
        search_all_flops(game(), _base(size), me, model, flops, search, error=EstimateError(error, seed))
        for me in (0, 1)
    )
    return first, second


@cache
def _decision(size: RunLength) -> float:
    """Seconds of a decision of the search, processor time; the second call, so that no compiling is timed."""
    base = _base(size)
    flops = _drawn(size).numbers[:3]
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
