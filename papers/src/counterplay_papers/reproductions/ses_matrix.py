"""Liu et al. 2022, figure 2: safe exploitation search and plain mixing in the paper's matrix game, over alpha.

The columns respond to a player who always plays R; their blueprint is U or O, half each, against L or M, half each. The
scan of the payoffs is damaged: R pays the columns 9 for O and D and 10 for F, or 99 and 100. Both are shown. Figure 2 is a
picture, without numbers; the exploitabilities that ours are compared with follow from table 1 and section 4.3: SES finds an
equilibrium until F pays, and mixing plays F with probability alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from counterplay import GameTree, Resolution, opponent, resolve
from counterplay.games.matrix import MatrixGame, matrix_game
from counterplay.gametree.compile.load import load
from counterplay_papers.experiment import Average, Cell, Experiment, follows
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.paper_sources import SES

_SEAT = 1
_BLUEPRINT: tuple[dict[str, float], dict[str, float]] = (
    {"L": 0.5, "M": 0.5, "R": 0.0},
    {"U": 0.5, "O": 0.5, "D": 0.0, "F": 0.0},
)
_MODEL = {"L": 0.0, "M": 0.0, "R": 1.0}
_READINGS = {"R pays 9 and 10": {}, "R pays 99 and 100": {9.0: 99.0, 10.0: 100.0}}
"""What R pays for O and D, and for F, in each reading; by what the library's own game pays."""

_LOSS = 100.5
"""What F costs of safety, chips."""
_ALPHAS = (*(step / 20 for step in range(20)), 0.97, 0.98, 0.985, 0.99, 0.991, 0.995, 1.0)
_FEW = (0.0, 0.25, 0.5, 0.75, 0.99, 0.991, 1.0)
TURN = _LOSS / (_LOSS + 1.0)
"""From this alpha on F pays: it wins 1 more than O and D in both readings."""


def experiment() -> Experiment:
    """A row of panels for each reading: payoff on the left, exploitability on the right."""
    cells: list[Cell | Average] = []
    panels: list[list[Panel]] = []
    for reading in _READINGS:
        rows = {f"{reading}, alpha={alpha:g}": alpha for alpha in _ALPHAS}
        for row, alpha in rows.items():
            cells += _row(row, reading, alpha)
        panels.append(
            [
                DialPanel(reading, "alpha", f"{measure} (chips)", rows, {f"{way} {measure}": way for way in _WAYS})
                for measure in ("payoff", "exploitability")
            ]
        )
    title = "payoff against a player who always plays R, and exploitability, over alpha"
    return Experiment("ses-matrix", title, f"{SES}, figure 2", 2, cells, panels)


def _row(row: str, reading: str, alpha: float) -> list[Cell]:
    slow = alpha not in _FEW
    expected = {"SES": 0.0 if alpha < TURN else _LOSS, "mixing": _LOSS * alpha}
    return [
        *(Cell(row, f"{way} payoff", None, slow, partial(_payoff, reading, way, alpha)) for way in _WAYS),
        *(
            Cell(row, f"{way} exploitability", follows(expected[way]), slow, partial(_risk, reading, way, alpha))
            for way in _WAYS
        ),
    ]


_WAYS: dict[str, Callable[[Resolution], tuple[float | None, float | None]]] = {
    "SES": lambda found: (found.gain_after, found.after),
    "mixing": lambda found: (found.gain_mixing, found.mixing) if found.alpha else (found.gain_before, found.before),
}
"""Gain and exploitability of each; at alpha 0 mixing is the blueprint."""


@cache
def _game(reading: str) -> GameTree:
    rules = load("ses_matrix").rules
    other = _READINGS[reading]
    if not other or not isinstance(rules, MatrixGame):
        return load("ses_matrix")
    payoffs = [[-other.get(-chips, -chips) for chips in row] for row in rules.payoffs.tolist()]
    return load(matrix_game(payoffs, *rules.labels, name="ses_matrix, R pays 99 and 100"))


@cache
def _resolved(reading: str, alpha: float) -> Resolution:
    game = _game(reading)
    blueprint = tuple(opponent(game, _always(part), player) for player, part in enumerate(_BLUEPRINT))
    model = opponent(game, _always(_MODEL), 1 - _SEAT)
    return resolve(
        game, blueprint, "moves:1", seat=_SEAT, alpha=alpha, model=model, solver="lp", gadget="max-margin",
        normalised=True, values="profile",
    )  # fmt: skip


def _always(odds: dict[str, float]) -> Callable[[str], dict[str, float]]:
    return lambda _: odds


def _payoff(reading: str, way: str, alpha: float) -> float:
    found = _resolved(reading, alpha)
    return found.game_value + (_WAYS[way](found)[0] or 0.0)


def _risk(reading: str, way: str, alpha: float) -> float:
    return _WAYS[way](_resolved(reading, alpha))[1] or 0.0
