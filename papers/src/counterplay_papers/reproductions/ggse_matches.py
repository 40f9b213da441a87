"""Kubíček et al. 2026, section 8.1, figures 4, 20 and 21, in its own games: Goofspiel 7 and Liar's dice 2x4.

The paper's ten learned value functions of each game are averages of CFR with nine shuffles of each here; their values at a
limit are exact. Public states that a pair of techniques hardly ever comes to are not solved (see `nested_matches`), and
results are expectations, not means over drawn games. Ten value functions take hours; each counts as soon as it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from counterplay_papers.cells.nested_claims import claim_rows, technique_rows
from counterplay_papers.cells.nested_matches import MatchGame, MatchResults, MatchWork, match_results
from counterplay_papers.cells.nested_solving import game_of_key
from counterplay_papers.experiment import Cell, Experiment, LongPieces, Summary
from counterplay_papers.paper_sources import GGSE

_SINGLE = "cfr+:single"
"""In float32 look-aheads take half of the time; gaps are measured in float64."""
_DICE = MatchGame("liar's dice 2x4", "liars_dice:2,4", 1, 0.02, 3000, _SINGLE)
_GOOFSPIEL = MatchGame("goofspiel 7", "goofspiel:7,win", 3, 0.15, 3000, _SINGLE)
"""Its public states are large: from the fourth bids on a look-ahead begins with 4,000 to 16,000 histories."""
_SMALL = (
    MatchGame("goofspiel 4", "goofspiel:4,win", 1, 0.1, 50), MatchGame("liar's dice 1x3", "liars_dice:1,3", 1, 0.1, 50),
)  # fmt: skip
_WHOLE, _QUICK = MatchWork((_DICE, _GOOFSPIEL), 10), MatchWork(_SMALL, 1)
_SECONDS = {_DICE.name: 432.0, _GOOFSPIEL.name: 343.0}
"""Of CPU for a value function, as measured."""
_OTHER = "value functions made otherwise than in the paper"
Compute = Callable[[MatchResults], float]


def experiment() -> Experiment:
    """Games that are solved as a whole for `--quick`, then those of the paper."""
    cells: list[Cell | Summary] = []
    facts: dict[str, Compute] = {"unsolved": lambda found: found.unsolved, "look-aheads": lambda found: found.solved}
    timed: dict[str, Compute] = {**facts, "gap": lambda found: found.gap, "CPU s": lambda found: found.seconds}
    for one in _SMALL:  # not the paper's games
        cells += [
            Cell(one.name, what, None, False, partial(_of_small, one, compute)) for what, compute in facts.items()
        ]
        for row, column, _, compute in technique_rows(one.name):
            cells.append(Cell(row, column, None, False, partial(_of_small, one, compute)))
    for one in _WHOLE.games:
        cells.append(Summary(one.name, "value functions", None, partial(_count, one)))
        cells += [Summary(one.name, what, None, partial(_of_pieces, one, compute)) for what, compute in timed.items()]
        cells += [
            Summary(row, column, reference, partial(_of_pieces, one, compute), _OTHER)
            for row, column, reference, compute in (*technique_rows(one.name), *claim_rows(one.name))
        ]
    title = "techniques in nested solving with limit 1: results against each other (chips)"
    long = LongPieces(lambda: _WHOLE, _keep, game_of_key, _seconds)
    return Experiment(
        "ggse-matches", title, f"{GGSE}, figures 4, 20 and 21", 4, cells, measure="chips", long_pieces=long
    )


def _keep(folder: Path, results: Mapping[str, Any]) -> None:
    """Nothing: the record has the results."""
    del folder, results


def _seconds(key: str) -> float:
    one = next(one for one in _WHOLE.games if one.name == game_of_key(key))
    return _SECONDS[one.name] / one.parts


@cache
def _small_results(one: MatchGame) -> MatchResults:
    work = replace(_QUICK, games=(one,))
    return match_results([[work.compute(key) for key in work.keys_of(one, 0)]])


def _of_small(one: MatchGame, compute: Compute) -> float:
    return compute(_small_results(one))


def _complete(one: MatchGame, pieces: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """The pieces of each value function that all are there of."""
    wanted = [_WHOLE.keys_of(one, number) for number in range(_WHOLE.value_functions)]
    return [[pieces[key] for key in keys] for keys in wanted if all(key in pieces for key in keys)]


def _of_pieces(one: MatchGame, compute: Compute, pieces: Mapping[str, Any]) -> float | None:
    found = _complete(one, pieces)
    return compute(match_results(found)) if found else None


def _count(one: MatchGame, pieces: Mapping[str, Any]) -> float | None:
    """The value functions that are complete."""
    return float(len(_complete(one, pieces))) or None
