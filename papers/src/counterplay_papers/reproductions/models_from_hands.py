"""Models from hands, by what was revealed: how well they predict, and what responses to them win from the opponent itself.

The question is that of Ganzfried 2025, whose tables are of Kuhn poker; the games, opponents and methods are ours.
"""

from __future__ import annotations

from functools import partial
from math import log10

from counterplay.opponents.counting.terminal_infosets import REVEALS
from counterplay.opponents.counts import ESTIMATORS
from counterplay_papers.experiment import Average, Cell, Derived, Experiment
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.reproductions.models_from_fhp_hands import fhp_rows
from counterplay_papers.reproductions.models_from_hands_cells import HandsSeen, nats_behind, true_gain

GAMES = {"leduc": "Leduc", "liars_dice:1,5": "Liar's dice 1x5"}
OPPONENTS = (
    *(f"random:{seed}" for seed in range(1, 6)),
    *(f"cfr+:{iterations}" for iterations in (2, 5, 10, 20, 40)),
    *(f"noise:{weight}:nash" for weight in (0.1, 0.2, 0.4, 0.6, 0.8)),
    *(f"shuffle:{share},{seed}:nash" for share, seed in ((0.3, 1), (0.3, 2), (0.7, 1), (0.7, 2), (1.0, 1))),
)
HANDS = (100, 1000, 10_000, 100_000)
METHODS = {
    "BR": "br",
    "RNR": "rnr:p=0.75",
    "DBR": "dbr:p=0.9",
    "safe": "safe:max_exploitability=1%",
    "SES": "ses:alpha=0.5",
}
_DEPTHS = {"leduc": "round", "liars_dice:1,5": "2"}
"""Of the look-ahead of SES; Liar's dice has no rounds."""
_QUICK = ("random:1", "cfr+:5", "noise:0.4:nash")
_QUICK_HANDS = (100, 1000, 10_000)
_SLOW_METHODS = ("SES",)
_NATS = "nats behind"
_MEASURES = ("gain", "exploitability")


def experiment() -> Experiment:
    """For each game, prediction and each method's gain over the number of hands, a column for each kind of sight."""
    cells: list[Cell | Average | Derived] = []
    panels: list[list[Panel]] = []
    for spec, name in GAMES.items():
        drawn: list[list[Panel]] = [[] for _ in range(1 + len(METHODS))]
        for reveal in REVEALS:
            rows = {}
            for hands in HANDS:
                of = {source: f"{name}, shown {reveal}, {hands} hands, {source}" for source in OPPONENTS}
                for source, row in of.items():
                    rows[row] = log10(hands)
                    cells += _row(row, HandsSeen(spec, source, reveal, hands))
                average = f"{name}, shown {reveal}, {hands} hands, average"
                cells += [Average(average, column, tuple(of.values())) for column in _columns()]
            title = f"{name}, shown: {reveal}"
            columns = {f"{by} {_NATS}": by for by in ESTIMATORS}
            drawn[0].append(DialPanel(title, "hands (log 10)", "nats a decision behind the truth", rows, columns))
            for panel, method in zip(drawn[1:], METHODS, strict=True):
                columns = {f"{by} {method} gain": by for by in ESTIMATORS}
                panel.append(DialPanel(f"{title}: {method}", "hands (log 10)", "gain (chips)", rows, columns))
        panels += drawn
    cells += fhp_rows()
    title = "models from hands, by EM, the convex program and frequencies of shown hands; means over 20 opponents"
    return Experiment("models-from-hands", title, "Ganzfried 2025", 4, cells, panels)


def _columns() -> list[str]:
    """All columns of a row."""
    measures = [f"{by} {name} {measure}" for by in ESTIMATORS for name in METHODS for measure in _MEASURES]
    return [*(f"{by} {_NATS}" for by in ESTIMATORS), *measures]


def _row(row: str, seen: HandsSeen) -> list[Cell]:
    quick = seen.spec == "leduc" and seen.source in _QUICK and seen.hands in _QUICK_HANDS
    cells = [Cell(row, f"{by} {_NATS}", None, not quick, partial(nats_behind, seen, by)) for by in ESTIMATORS]
    for by in ESTIMATORS:
        for name, method in METHODS.items():
            slow = not quick or name in _SLOW_METHODS
            for place, measure in enumerate(_MEASURES):
                text = f"{method},depth={_DEPTHS[seen.spec]}" if name in _SLOW_METHODS else method
                cells.append(Cell(row, f"{by} {name} {measure}", None, slow, partial(_number, seen, by, text, place)))
    return cells


def _number(seen: HandsSeen, by: str, method: str, place: int) -> float:
    return true_gain(seen, by, method)[place]
