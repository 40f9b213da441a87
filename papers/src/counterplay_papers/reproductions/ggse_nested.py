"""Kubíček et al. 2026, section 8.1 and figures 4, 20 and 21: nested depth-limited solving, technique against technique.

The paper plays Goofspiel 7 and Liar's dice 2x4 with ten learned value functions and prints win rates as pictures. Both games
fit in memory: their values are computed to a small NashConv. The techniques are compared where every public state can be
solved, in Goofspiel 5 by win and loss and Liar's dice 1x5, so that results have no error of sampling, and exploitability
is known. Ten value functions take about 35 minutes of one core; each counts as soon as it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from counterplay import Stop, solve
from counterplay.solvers.solve import Equilibrium
from counterplay_papers.cells.model_cells import game
from counterplay_papers.cells.nested_claims import claim_rows, technique_rows
from counterplay_papers.cells.nested_solving import (
    NestedGame,
    NestedResults,
    NestedWork,
    game_of_key,
    nested_results,
)
from counterplay_papers.experiment import Cell, Experiment, LongPieces, Reference, Summary, follows
from counterplay_papers.paper_sources import GGSE

_GOOFSPIEL, _DICE = NestedGame("goofspiel 5", "goofspiel:5,win"), NestedGame("liar's dice 1x5", "liars_dice:1,5")
_SMALL = (NestedGame("goofspiel 4", "goofspiel:4,win"), NestedGame("liar's dice 1x3", "liars_dice:1,3"))
_WHOLE = NestedWork((_GOOFSPIEL, _DICE), 10, 3000)
_QUICK = NestedWork(_SMALL, 1, 100)
_SOLVED = {"liar's dice 2x4": ("liars_dice:2,4", "dcfr", 5e-5), "goofspiel 7": ("goofspiel:7,win", "pdcfr+", 5e-4)}
"""Game, minimiser and exploitability, which is half of NashConv."""
_SECONDS = 7.5
"""Of CPU for a piece on the average, as measured."""
_OTHER = "smaller games, and value functions made otherwise, than in the paper"
Compute = Callable[[NestedResults], float]


def experiment() -> Experiment:
    """Values of the large games; the small games of `--quick`; then Goofspiel 5 and Liar's dice 1x5."""
    cells: list[Cell | Summary] = []
    for name, (spec, minimiser, fine) in _SOLVED.items():
        cells += [
            Cell(name, column, None, True, partial(_solved, spec, minimiser, fine, column))
            for column in ("value", "NashConv")
        ]
    spec, minimiser, fine = _SOLVED["liar's dice 2x4"]
    reason = "the paper did not measure it; by its own rules it is positive (docs/errata.md)"
    sign = partial(_sign, spec, minimiser, fine)
    cells.append(Cell("liar's dice 2x4", "sign of the value", follows(-1.0), True, sign, reason))
    for one in _SMALL:
        for row, column, _, compute in _numbers(one):  # not the paper's games
            cells.append(Cell(row, column, None, False, partial(_of_small, one, compute)))
    for one in _WHOLE.games:
        found = partial(_count, one)
        cells.append(Summary(one.name, "value functions", None, found))
        cells += [
            Summary(row, column, reference, partial(_of_pieces, one, compute), _OTHER)
            for row, column, reference, compute in _numbers(one)
        ]
    title = "techniques in nested solving with limit 1: results against each other and exploitability (chips)"
    long = LongPieces(lambda: _WHOLE, _keep, game_of_key, lambda _: _SECONDS)
    return Experiment(
        "ggse-nested", title, f"{GGSE}, figures 4, 20 and 21", 4, cells, measure="chips", long_pieces=long
    )


def _keep(folder: Path, results: Mapping[str, Any]) -> None:
    """Nothing: the record has the strategies."""
    del folder, results


def _numbers(one: NestedGame) -> list[tuple[str, str, Reference | None, Compute]]:
    """Row, column, the reference and our number: the techniques, the pairs, the claims."""
    made: list[tuple[str, str, Reference | None, Compute]] = []
    for row, column, reference, compute in technique_rows(one.name):
        made.append((row, column, reference, compute))
        if column == "±":
            made.append((row, "exploitability", None, partial(_loss, row.removeprefix(f"{one.name}, "))))
    return made + list(claim_rows(one.name))


def _loss(name: str, found: NestedResults) -> float:
    return found.exploitability[name]


@cache
def _small_results(one: NestedGame) -> NestedResults:
    work = replace(_QUICK, games=(one,))
    return nested_results(one, [0], {key: work.compute(key) for key in list(work.keys())})


def _of_small(one: NestedGame, compute: Compute) -> float:
    return compute(_small_results(one))


_LATEST: dict[str, tuple[Mapping[str, Any], NestedResults | None]] = {}
"""The pieces that a game was last measured from, and its results: every summary asks for the same."""


def _of_pieces(one: NestedGame, compute: Compute, pieces: Mapping[str, Any]) -> float | None:
    known = _LATEST.get(one.name)
    if known is None or known[0] is not pieces:
        numbers = _WHOLE.complete(one, pieces)
        known = _LATEST[one.name] = pieces, nested_results(one, numbers, pieces) if numbers else None
    return None if known[1] is None else compute(known[1])


def _count(one: NestedGame, pieces: Mapping[str, Any]) -> float | None:
    """The value functions that are complete."""
    return float(len(_WHOLE.complete(one, pieces))) or None


@cache
def _equilibrium(spec: str, minimiser: str, fine: float) -> Equilibrium:
    found: Equilibrium = solve(game(spec), solver=minimiser, stop=Stop(exploitability=fine))
    return found


def _solved(spec: str, minimiser: str, fine: float, column: str) -> float:
    found = _equilibrium(spec, minimiser, fine)
    return found.value if column == "value" else 2.0 * found.exploitability


def _sign(spec: str, minimiser: str, fine: float) -> float:
    """Of the value, which lies within NashConv."""
    found = _equilibrium(spec, minimiser, fine)
    return 0.0 if abs(found.value) <= 2.0 * found.exploitability else (1.0 if found.value > 0.0 else -1.0)
