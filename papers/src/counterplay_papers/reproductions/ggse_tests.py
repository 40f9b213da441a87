"""Kubíček et al. 2026, figures 14 to 18: paired t-tests between all techniques over the blueprints; unsafe against safe.

The numbers are those of `ggse-exploitability` by CFR+, and are taken from its record. A matrix shows the p-value of the test
whose alternative is that the technique of the row is more exploitable than that of the column: near 1 the row's is better,
near 0 the column's. The figures print no numbers in the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from counterplay_papers.cells.ggse_cells import BEFORE, SPOTS, TECHNIQUES, SubgamePlace, cells, rows
from counterplay_papers.experiment import Average, Cell, Derived, Experiment
from counterplay_papers.panels import HeatPanel, Panel, PointPanel
from counterplay_papers.paper_sources import GGSE

_SHORT = {"resolving": "res", "max-margin": "margin", "uniform": "uni", "blueprint": "bp"}
_DIFFERENCE = "unsafe less resolving blueprint"
_SAFE, _UNSAFE = "resolving blueprint CFR+", "unsafe CFR+"


def experiment() -> Experiment:
    """A matrix for each place, and below it the differences ordered by the exploitability of the blueprint."""
    made: list[Cell | Average | Derived] = []
    for spot in SPOTS:
        made += cells(spot, ("CFR+",), (BEFORE,))
        made += [Derived(row, _DIFFERENCE, (row,), (_SAFE, _UNSAFE), _difference) for row in rows(spot)]
        for first in TECHNIQUES:
            for second in TECHNIQUES:
                if first != second:
                    needs = (f"{first} CFR+", f"{second} CFR+")
                    column = f"better than {second}"
                    made.append(Derived(_test(spot, first), column, rows(spot), needs, partial(p_value, *needs)))
    title = "p-values of paired t-tests (near 1: the row is less exploitable), and unsafe less resolving with prior"
    panels: list[list[Panel]] = [[_matrix(spot) for spot in SPOTS], [_differences(spot) for spot in SPOTS]]
    return Experiment("ggse-tests", title, f"{GGSE}, figures 14 to 18", 4, made, panels, "ggse-exploitability")


def _test(spot: SubgamePlace, technique: str) -> str:
    return f"{spot.name}, t-test: {technique}"


def _short(technique: str) -> str:
    return " ".join(_SHORT.get(word, word) for word in technique.split())


def _matrix(spot: SubgamePlace) -> HeatPanel:
    return HeatPanel(
        spot.name,
        {_test(spot, name): _short(name) for name in TECHNIQUES},
        {f"better than {name}": _short(name) for name in TECHNIQUES},
    )


def _differences(spot: SubgamePlace) -> PointPanel:
    across = "blueprints, from the least exploitable"
    columns = {_DIFFERENCE: _DIFFERENCE}
    return PointPanel(spot.name, across, "difference (chips)", rows(spot), BEFORE, columns, ranked=True)


def _difference(found: Mapping[str, Sequence[float]]) -> float:
    return found[_UNSAFE][0] - found[_SAFE][0]


def p_value(first: str, second: str, found: Mapping[str, Sequence[float]]) -> float:
    """Of a one-sided paired t-test; 1/2 where all differences are 0, or there is one alone."""
    from scipy.special import stdtr

    apart = np.subtract(found[second], found[first])
    if len(apart) < 2 or not apart.any():
        return 0.5
    error = apart.std(ddof=1) / np.sqrt(len(apart))
    if error == 0.0:
        return float(apart[0] > 0.0)
    return float(stdtr(len(apart) - 1, apart.mean() / error))
