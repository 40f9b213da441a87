"""Milec et al. 2024, table 1: share of the best response's gain that each method reaches."""

from __future__ import annotations

from collections.abc import Callable

from counterplay.experiments.experiment import Cell, Experiment
from counterplay.experiments.model_cells import measure_response
from counterplay.experiments.paper_sources import CDRNR
from counterplay.lookahead.search import LookAhead
from counterplay.responses.bne import BNE
from counterplay.responses.br import BR
from counterplay.responses.cdbr import CDBR

_PRINTED = {
    "leduc": {"CDBR1": 74.4, "CDBR3": 96.0, "CDBR5": 97.1, "BNE": 32.6},
    "goofspiel:4": {"CDBR1": 98.5, "CDBR3": 100.0, "CDBR5": 100.0, "BNE": 77.1},
    "goofspiel:5": {"CDBR1": 93.5, "CDBR3": 100.0, "CDBR5": 100.0, "BNE": 50.4},
    "goofspiel:6": {"CDBR1": 90.7, "CDBR3": 100.0, "CDBR5": 100.0, "BNE": 45.9},
}
_SLOW = ("goofspiel:6",)


def experiment() -> Experiment:
    """The table: percent of the best response's gain against the uniform player, player 0 responding."""
    cells = []
    for spec, numbers in _PRINTED.items():
        for column, paper in numbers.items():
            cells.append(Cell(spec, column, paper, spec in _SLOW, _share(spec, column)))
    title = "percent of the best response's gain against uniform"
    return Experiment("cdbr-table1", title, f"{CDRNR}, table 1", 1, cells, measure="share of the gain (%)")


def _share(spec: str, column: str) -> Callable[[], float]:
    depth = int(column.removeprefix("CDBR")) if column.startswith("CDBR") else None
    request = BNE() if depth is None else CDBR(look=LookAhead(depth))

    def compute() -> float:
        return 100.0 * measure_response(spec, "uniform", request).gain / measure_response(spec, "uniform", BR()).gain

    return compute
