"""Milec et al. 2024, table 1: share of the best response's gain that each method reaches.

Column ABR has learned responses. The paper's are learned as in Timbers et al. 2022, with a tree search; ours by policy
gradient (`counterplay learn response`), three seeds of each game, which are in the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean

from counterplay import BNE, BR, CDBR, LookAhead, opponent
from counterplay_papers.cells.learned_files import LearnedFile, interval_margin, response_file
from counterplay_papers.cells.model_cells import matchup, measure_response
from counterplay_papers.experiment import Cell, Derived, Experiment, printed
from counterplay_papers.paper_sources import CDRNR

_PRINTED = {
    "leduc": {"ABR": 98.0, "CDBR1": 74.4, "CDBR3": 96.0, "CDBR5": 97.1, "BNE": 32.6},
    "goofspiel:4": {"ABR": 97.0, "CDBR1": 98.5, "CDBR3": 100.0, "CDBR5": 100.0, "BNE": 77.1},
    "goofspiel:5": {"ABR": 95.0, "CDBR1": 93.5, "CDBR3": 100.0, "CDBR5": 100.0, "BNE": 50.4},
    "goofspiel:6": {"ABR": 97.0, "CDBR1": 90.7, "CDBR3": 100.0, "CDBR5": 100.0, "BNE": 45.9},
}
_SLOW = ("goofspiel:6",)
_ABR = {"leduc": (60, 64), "goofspiel:4": (30, 32), "goofspiel:5": (30, 32), "goofspiel:6": (30, 32)}
"""Rounds of playing and updating, and the width of the layers."""
_SEEDS = range(3)
_LEARNED = "learned by policy gradient, not as in the paper; percent are printed without decimals"


def experiment() -> Experiment:
    """The table: percent of the best response's gain against the uniform player, player 0 responding."""
    cells: list[Cell | Derived] = []
    for spec, numbers in _PRINTED.items():
        seeds = [f"ABR seed {seed}" for seed in _SEEDS]
        shares = [partial(_learned_share, spec, seed) for seed in _SEEDS]
        cells += [Cell(spec, seed, None, spec in _SLOW, share) for seed, share in zip(seeds, shares, strict=True)]
        cells.append(Cell(spec, "BR gain (chips)", None, spec in _SLOW, partial(_best, spec)))
        cells.append(Derived(spec, "ABR", (spec,), seeds, _mean, printed(numbers["ABR"]), _LEARNED))
        cells.append(Derived(spec, "ABR ±", (spec,), seeds, _margin))
        for column, paper in numbers.items():
            if column != "ABR":
                cells.append(Cell(spec, column, printed(paper), spec in _SLOW, _share(spec, column)))
    title = "percent of the best response's gain against uniform"
    files = [response_network(spec, seed) for spec in _PRINTED for seed in _SEEDS]
    return Experiment("cdbr-table1", title, f"{CDRNR}, table 1", 1, cells, measure="share of the gain (%)", files=files)


def response_network(spec: str, seed: int) -> LearnedFile:
    """The learned response of a game and seed."""
    rounds, width = _ABR[spec]
    return response_file(f"abr-{spec.replace(':', '')}-{seed}.cpn", spec, rounds=rounds, width=width, seed=seed)


def _learned_share(spec: str, seed: int) -> float:
    """The exact gain of a learned response, in percent of the best response's."""
    pair = matchup(spec, "uniform")
    learned = opponent(pair.game, f"net:{response_network(spec, seed).path()}", player=0)
    gain = pair.value_against_model(learned.plan) - pair.game_value
    return 100.0 * gain / _best(spec)


def _best(spec: str) -> float:
    return measure_response(spec, "uniform", BR()).gain


def _mean(found: Mapping[str, Sequence[float]]) -> float:
    return fmean(number for numbers in found.values() for number in numbers)


def _margin(found: Mapping[str, Sequence[float]]) -> float:
    return interval_margin([number for numbers in found.values() for number in numbers])


def _share(spec: str, column: str) -> Callable[[], float]:
    depth = int(column.removeprefix("CDBR")) if column.startswith("CDBR") else None
    request = BNE() if depth is None else CDBR(look=LookAhead(depth))

    def compute() -> float:
        return 100.0 * measure_response(spec, "uniform", request).gain / _best(spec)

    return compute
