"""Liu et al. 2022, figure 4, with Leduc in place of flop hold'em: safe exploitation search and restricted Nash responses.

The search solves one subgame when the board card is dealt; a restricted Nash response is computed for the whole game. It
gets the time that the search took for its subgame, or 19 times as much (the paper's 10 and 190 seconds), or as long as the
exact answer needs. Seconds depend on the machine, and so do the numbers of the first two. The paper prints no numbers.
"""

from __future__ import annotations

import time
from functools import cache, partial
from typing import NamedTuple

from counterplay import Stop
from counterplay.responses.matchup.matchup import Matchup
from counterplay_papers.experiment import Average, Cell, Experiment
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.paper_sources import SES
from counterplay_papers.reproductions.ses_leduc import (
    ALPHAS,
    FEW,
    KINDS,
    MEASURES,
    SEEDS,
    game,
    milli,
    model,
    refined,
)

_SEAT = 0
_SOLVER = "dcfr"
"""The quickest minimiser on Leduc."""
_BUDGETS: dict[str, float | None] = {"RNR (same time)": 1.0, "RNR (19 times)": 19.0, "RNR (exact)": None}
"""How many times what the search takes for a subgame; None for the linear program, however long it takes."""
_LEAST = 1e-9
"""In place of p = 0, whose answer is an equilibrium that the game has known since its value was asked for."""

_SES = "SES"
_NAMES = (_SES, *_BUDGETS)
_SECONDS = "seconds"


class _Timed(NamedTuple):
    """evaluation and exploitability: milli-chips. seconds: of one decision, wall clock."""

    evaluation: float
    exploitability: float
    seconds: float


def experiment() -> Experiment:
    """Evaluation above and exploitability below, a panel for each kind of opponent; alpha and p are one axis."""
    cells: list[Cell | Average] = []
    drawn: dict[str, list[Panel]] = {measure: [] for measure in MEASURES}
    for kind in KINDS:
        rows: dict[str, float] = {}
        for seed in range(1, 1 + len(KINDS[kind])):
            for dial in ALPHAS:
                row = f"shuffle {kind}, seed {seed}, dial={dial:g}"
                rows[row] = dial
                cells += _row(row, kind, seed, dial)
        for measure, panels in drawn.items():
            columns = {f"{name} {measure}": name for name in _NAMES}
            panels.append(
                DialPanel(f"shuffle {kind}: {measure}", "alpha or p", f"{measure} (milli-chips)", rows, columns)
            )
    title = "SES and RNR in Leduc, seat 0; means over three opponents with standard errors"
    return Experiment("ses-vs-rnr", title, f"{SES}, figure 4 (there flop hold'em)", 4, cells, list(drawn.values()))


def _row(row: str, kind: str, seed: int, dial: float) -> list[Cell]:
    slow = seed not in SEEDS or dial not in FEW
    return [
        Cell(row, f"{name} {measure}", None, slow, partial(_number, name, kind, seed, dial, place))
        for place, measure in enumerate((*MEASURES, _SECONDS))
        for name in _NAMES
    ]


def _number(name: str, kind: str, seed: int, dial: float, place: int) -> float:
    found = _searched(kind, seed, dial) if name == _SES else _restricted(_BUDGETS[name], kind, seed, dial)
    return found[place]


@cache
def _warm() -> None:
    """Everything once, so that no compiling is timed."""
    refined(_SEAT, "0", 1, 0.5)
    for solver in (_SOLVER, "lp"):
        Matchup(game(), model(_SEAT, "0", 1), solver, Stop(iterations=10)).restricted_nash(0.5)


@cache
def _searched(kind: str, seed: int, alpha: float) -> _Timed:
    _warm()
    found = refined(_SEAT, kind, seed, alpha)
    return _Timed(*milli(found, found.gain_after, found.after), found.seconds / (found.states + found.skipped))


@cache
def _restricted(times: float | None, kind: str, seed: int, p: float) -> _Timed:
    _warm()
    who = model(_SEAT, kind, seed)
    if times is None:
        match = Matchup(game(), who, "lp")
    else:
        match = Matchup(game(), who, _SOLVER, Stop(seconds=times * _searched(kind, seed, p).seconds))
    match.game_value, match.rewards  # noqa: B018 - of the game and of the opponent: not timed
    begin = time.perf_counter()
    outcome = match.restricted_nash(max(p, _LEAST))
    seconds = time.perf_counter() - begin
    if outcome.interrupted:
        raise KeyboardInterrupt
    risk = max(0.0, match.exploitability(outcome.plan))
    return _Timed(1e3 * match.value_against_model(outcome.plan), 1e3 * risk, seconds)
