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

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean

from counterplay.blueprints.whole_game.sampled_measure import SampledMeasure
from counterplay_papers.experiment import Cell, Derived, Experiment
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.paper_sources import SES
from counterplay_papers.reproductions.ses_fhp_runs import (
    FULL,
    KINDS,
    SEEDS,
    SMALL,
    RunLength,
    refined_by_search,
    restricted,
    unrefined,
)

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


def experiment() -> Experiment:
    """Figure 3's two rows of panels, figure 4's two, and the small ones."""
    cells: list[Cell | Derived] = []
    small = _small(cells)
    drawn: dict[tuple[int, str], list[Panel]] = {(figure, m): [] for figure in (3, 4) for m in MEASURES}
    for kind in KINDS:
        rows: dict[str, float] = {}
        for seed in SEEDS:
            for alpha in ALPHAS:
                row = _name(kind, seed, alpha)
                rows[row] = alpha
                cells += _row(row, FULL, kind, seed, alpha)
        for measure in MEASURES:
            drawn[3, measure].append(_errors(kind, measure, rows))
            drawn[4, measure].append(_budgets(kind, measure, rows))
    cells += [_rise(kind, error, measure) for kind in KINDS for error in ERRORS for measure in MEASURES]
    for alpha in (0.0, 1.0):
        cells += _searched(f"all flops, shuffle {_KIND}, seed {_SEED}, alpha={alpha:g}", FULL.whole, alpha, True)
    title = f"SES in flop hold'em by L1 error e of the estimate, and RNR; {_UNIT} a hand, means over both seats"
    return Experiment("ses-fhp", title, f"{SES}, figures 3 and 4", 2, cells, [*drawn.values(), small])


def _name(kind: str, seed: int, alpha: float) -> str:
    return f"shuffle {kind}, seed {seed}, alpha={alpha:g}"


def _rise(kind: str, error: float, measure: str) -> Derived:
    """By how much a measure is higher at alpha 1 than at 0, in the mean over the opponents of a kind."""
    ends, column = (ALPHAS[0], ALPHAS[-1]), f"e={error:g} {measure}"

    def compute(found: Mapping[str, Sequence[float]]) -> float:
        numbers = found[column]
        return fmean(numbers[len(SEEDS) :]) - fmean(numbers[: len(SEEDS)])

    of = [_name(kind, seed, alpha) for alpha in ends for seed in SEEDS]
    return Derived(f"shuffle {kind}, alpha 1 less 0", column, of, (column,), compute)


def _small(cells: list[Cell | Derived]) -> list[Panel]:
    """One opponent, few buckets and few flops."""
    rows = {f"small, shuffle {_KIND}, seed {_SEED}, alpha={alpha:g}": alpha for alpha in _FEW}
    names = ("e=0", "e=1.2", "RNR (same time)")
    for row, alpha in rows.items():
        cells += _plain(row, SMALL, _KIND, _SEED, slow=False)
        cells += _searched(row, SMALL, alpha, False, errors=(0.0, 1.2))
        cells += _restricted(row, SMALL, _KIND, _SEED, alpha, {names[-1]: False})
    columns = (_LEVEL, *names)
    return [
        DialPanel(
            f"small: {m}", "alpha or p", f"{m} ({_UNIT})", rows, {f"{name} {m}": name for name in columns}, _LEVEL
        )
        for m in MEASURES
    ]


def _row(row: str, size: RunLength, kind: str, seed: int, alpha: float) -> list[Cell]:
    budgets = {name: True for name in BUDGETS if name != _LARGE or seed == SEEDS[0]}
    return [
        *_plain(row, size, kind, seed, slow=True),
        *_searched(row, size, alpha, True, kind, seed),
        *_restricted(row, size, kind, seed, alpha, budgets),
    ]


def _plain(row: str, size: RunLength, kind: str, seed: int, *, slow: bool) -> list[Cell]:
    """The blueprint's numbers."""
    return [
        Cell(row, f"{_LEVEL} {m}", None, slow, partial(_number, partial(unrefined, size, kind, seed), m))
        for m in MEASURES
    ]


def _searched(
    row: str, size: RunLength, alpha: float, slow: bool, kind: str = _KIND, seed: int = _SEED,
    errors: tuple[float, ...] = (),
) -> list[Cell]:  # fmt: skip
    """The numbers of the search and their standard errors."""
    made = []
    for error in errors or (ERRORS if size.flops else ERRORS[:1]):
        find = partial(
            refined_by_search, size, kind, seed, alpha, error if alpha else 0.0
        )  # without alpha it is not used
        every = *MEASURES, f"{EVALUATION} error", f"{EXPLOITABILITY} error"
        made += [Cell(row, f"e={error:g} {m}", None, slow, partial(_number, find, m)) for m in every]
    return made


def _restricted(row: str, size: RunLength, kind: str, seed: int, p: float, budgets: dict[str, bool]) -> list[Cell]:
    """The numbers of restricted Nash responses."""
    made = []
    for name, slow in budgets.items():
        find = partial(restricted, size, kind, seed, p, *BUDGETS[name])
        made += [Cell(row, f"{name} {m}", None, slow, partial(_number, find, m)) for m in MEASURES]
    return made


def _errors(kind: str, measure: str, rows: dict[str, float]) -> DialPanel:
    columns = {f"{_LEVEL} {measure}": _LEVEL} | {f"e={e:g} {measure}": f"e={e:g}" for e in ERRORS}
    return DialPanel(f"shuffle {kind}: {measure}", "alpha", f"{measure} ({_UNIT})", rows, columns, _LEVEL)


def _budgets(kind: str, measure: str, rows: dict[str, float]) -> DialPanel:
    columns = {f"e=0 {measure}": "SES"} | {f"{name} {measure}": name for name in BUDGETS}
    return DialPanel(f"shuffle {kind}: {measure}", "alpha or p", f"{measure} ({_UNIT})", rows, columns)


def _number(find: Callable[[], SampledMeasure], measure: str) -> float:
    return float(getattr(find(), measure.replace(" ", "_")))
