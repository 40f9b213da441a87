"""Liu et al. 2022, figures 2 to 4: safe exploitation search (SES) over alpha, in the paper's matrix game and in Leduc.

The paper prints no numbers. Subgames of Leduc, where raises are 1 and 2 chips, begin when the board card is dealt. The
blueprint is an average of many iterations, as in the paper, and so are the opponents of the first kind, by other methods;
the others are the blueprint with shuffled probabilities. Every subgame is solved exactly, by linear program, which takes as
long as some thousand iterations of CFR+. The equilibrium that a linear program finds of the whole game would be a bad
blueprint: the opponent's part of it need not play well where the equilibrium never comes, so that its values there are far
from those of a best response (the Δ of the paper's theorems is large).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from counterplay import GameTree, MatrixGame, Resolution, Stop, Strategy, matrix_game, opponent, resolve
from counterplay.gametree.compile.load import load
from counterplay.responses.matchup import Matchup
from counterplay_papers.experiment import LIU_2022, Cell, Experiment, field, follows, grid
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.responses import game

_EXACTLY: dict[str, Any] = {"solver": "lp", "gadget": "max-margin", "normalised": True, "values": "profile"}
"""Options of every search."""

LEDUC, BLUEPRINT = "leduc:bets=1/2", "dcfr:10000"
LEDUC_KINDS = {
    "0": ("cfr+:2000", "dcfr:5000", "pcfr+:5000"),
    **{share: tuple(f"shuffle:{share},{seed}:{BLUEPRINT}" for seed in (1, 2, 3)) for share in ("0.3", "0.7")},
}
"""The opponents of each kind, one for each seed from 1; by the share of infosets that is shuffled."""
LEDUC_ALPHAS = tuple(step / 10 for step in range(11))
_LEDUC_FEW, _LEDUC_SEEDS = (0.0, 0.5, 1.0), (1,)
"""What `--quick` computes."""
LEDUC_ERRORS, LEDUC_SEATS = (0.0, 0.3, 0.6, 0.9, 1.2), (0, 1)
_LEVEL, _MEASURES = "blueprint", ("evaluation", "exploitability")


class SesCell(NamedTuple):
    """Milli-chips that a strategy wins from the opponent, and that it may lose beyond the value of the game; seconds of one
    decision, wall clock."""

    evaluation: float
    exploitability: float
    seconds: float = 0.0


def ses_leduc() -> Experiment:
    """Figure 3, rows 1 and 2, by the error of the estimate; for each seat evaluation above and exploitability below."""
    cells: list[Cell] = []
    panels: list[list[Panel]] = []
    for seat in LEDUC_SEATS:
        drawn: tuple[list[Panel], list[Panel]] = ([], [])
        for kind, sources in LEDUC_KINDS.items():
            seeds = range(1, 1 + len(sources))
            title = f"seat {seat}, shuffle {kind}"
            rows = {f"{title}, seed {seed}, alpha={alpha:g}": (seed, alpha) for seed in seeds for alpha in LEDUC_ALPHAS}
            for measure, panel in zip(_MEASURES, drawn, strict=True):
                names = {f"{_LEVEL} {measure}": _LEVEL} | {f"e={e:g} {measure}": f"e={e:g}" for e in LEDUC_ERRORS}
                dials = {row: alpha for row, (_, alpha) in rows.items()}
                panel.append(
                    DialPanel(
                        f"{title}: {measure}",
                        dials,
                        names,
                        across="alpha",
                        measure=f"{measure} (milli-chips)",
                        level=_LEVEL,
                    )
                )
            columns = {
                f"{name} {measure}": (measure, error)
                for measure in _MEASURES
                for name, error in {_LEVEL: None, **{f"e={e:g}": e for e in LEDUC_ERRORS}}.items()
            }
            cells += grid(rows, columns, partial(_leduc_number, seat, kind), partial(_is_slow, seat))
        panels += drawn
    title = "SES in Leduc by L1 error e of the estimate; means over three opponents with standard errors"
    return Experiment("ses-leduc", title, f"{LIU_2022}, figure 3, rows 1 and 2", 2, cells, panels)


def _is_slow(seat: int, row: tuple[int, float], column: object) -> bool:  # noqa: ARG001 - as of `grid`
    return seat != LEDUC_SEATS[0] or row[0] not in _LEDUC_SEEDS or row[1] not in _LEDUC_FEW


def _leduc_number(seat: int, kind: str, row: tuple[int, float], column: tuple[str, float | None]) -> float:
    (seed, alpha), (measure, error) = row, column
    if error is None:
        found = refined(seat, kind, seed, 0.0)
        return field(measure, _milli, found, found.gain_before, found.before)
    found = refined(seat, kind, seed, alpha, error if alpha else 0.0)  # without alpha the estimate is not used
    return field(measure, _milli, found, found.gain_after, found.after)


def _milli(found: Resolution, gain: float | None, exploitability: float, seconds: float = 0.0) -> SesCell:
    """The numbers of a gain in the game of a resolution."""
    return SesCell(1e3 * (found.game_value + (gain or 0.0)), 1e3 * exploitability, seconds)


@cache
def leduc_model(seat: int, kind: str, seed: int) -> Strategy:
    """The opponent of a resolver in a seat."""
    return opponent(game(LEDUC), LEDUC_KINDS[kind][seed - 1], 1 - seat)


_player = cache(opponent)


@cache
def refined(seat: int, kind: str, seed: int, alpha: float, error: float = 0.0) -> Resolution:
    """The blueprint after safe exploitation search."""
    model = leduc_model(seat, kind, seed)
    both = _player(game(LEDUC), BLUEPRINT, 0), _player(game(LEDUC), BLUEPRINT, 1)
    found = resolve(game(LEDUC), both, "round", seat=seat, alpha=alpha, model=model, error=error, seed=seed, **_EXACTLY)
    if found.interrupted:
        raise KeyboardInterrupt
    return found


_RNR_SEAT, _SOLVER = 0, "dcfr"
"""The seat, and the quickest minimiser on Leduc."""
_BUDGETS: dict[str, float | None] = {"RNR (same time)": 1.0, "RNR (19 times)": 19.0, "RNR (exact)": None}
"""How many times the seconds that the search takes for a subgame; None for the linear program, however long it takes."""
_LEAST = 1e-9
"""In place of p = 0, whose answer is an equilibrium that the game has known since its value was asked for."""


def ses_vs_rnr() -> Experiment:
    """Figure 4, with Leduc in place of flop hold'em: evaluation above and exploitability below, a panel for each kind of
    opponent; alpha and p are one axis.

    The search solves one subgame when the board card is dealt; a restricted Nash response is computed for the whole game. It
    gets the time that the search took for its subgame, or 19 times as much (the paper's 10 and 190 seconds), or as long as
    the exact answer needs. Seconds depend on the machine, and so do the numbers of the first two.
    """
    cells: list[Cell] = []
    drawn: dict[str, list[Panel]] = {measure: [] for measure in _MEASURES}
    for kind, sources in LEDUC_KINDS.items():
        seeds = range(1, 1 + len(sources))
        rows = {f"shuffle {kind}, seed {seed}, dial={dial:g}": (seed, dial) for seed in seeds for dial in LEDUC_ALPHAS}
        names = ("SES", *_BUDGETS)
        columns = {f"{name} {measure}": (name, measure) for measure in (*_MEASURES, "seconds") for name in names}
        cells += grid(rows, columns, partial(_timed_number, kind), partial(_is_slow, LEDUC_SEATS[0]))
        for measure, panels in drawn.items():
            shown = {f"{name} {measure}": name for name in names}
            dials = {row: dial for row, (_, dial) in rows.items()}
            title, unit = f"shuffle {kind}: {measure}", f"{measure} (milli-chips)"
            panels.append(DialPanel(title, dials, shown, across="alpha or p", measure=unit))
    title = "SES and RNR in Leduc, seat 0; means over three opponents with standard errors"
    return Experiment("ses-vs-rnr", title, f"{LIU_2022}, figure 4 (there flop hold'em)", 4, cells, list(drawn.values()))


def _timed_number(kind: str, row: tuple[int, float], column: tuple[str, str]) -> float:
    name, measure = column
    find = _searched if name == "SES" else partial(_restricted, _BUDGETS[name])
    return field(measure, find, kind, *row)


@cache
def _warm() -> None:
    """Everything once, so that no compiling is timed."""
    refined(_RNR_SEAT, "0", 1, 0.5)
    for solver in (_SOLVER, "lp"):
        Matchup(game(LEDUC), leduc_model(_RNR_SEAT, "0", 1), solver, Stop(iterations=10)).restricted_nash(0.5)


@cache
def _searched(kind: str, seed: int, alpha: float) -> SesCell:
    _warm()
    found = refined(_RNR_SEAT, kind, seed, alpha)
    return _milli(found, found.gain_after, found.after, found.seconds / (found.states + found.skipped))


@cache
def _restricted(times: float | None, kind: str, seed: int, p: float) -> SesCell:
    _warm()
    model = leduc_model(_RNR_SEAT, kind, seed)
    if times is None:
        match = Matchup(game(LEDUC), model, "lp")
    else:
        match = Matchup(game(LEDUC), model, _SOLVER, Stop(seconds=times * _searched(kind, seed, p).seconds))
    match.game_value, match.rewards  # noqa: B018 - of the game and of the opponent: not timed
    begin = time.perf_counter()
    outcome = match.restricted_nash(max(p, _LEAST))
    seconds = time.perf_counter() - begin
    if outcome.interrupted:
        raise KeyboardInterrupt
    risk = max(0.0, match.exploitability(outcome.plan))
    return SesCell(1e3 * match.value_against_model(outcome.plan), 1e3 * risk, seconds)


_MATRIX_SEAT = 1
_MATRIX_BLUEPRINT = {"L": 0.5, "M": 0.5, "R": 0.0}, {"U": 0.5, "O": 0.5, "D": 0.0, "F": 0.0}
_MATRIX_MODEL = {"L": 0.0, "M": 0.0, "R": 1.0}
_READINGS = {"R pays 9 and 10": {}, "R pays 99 and 100": {9.0: 99.0, 10.0: 100.0}}
"""What R pays for O and D, and for F, in each reading; by what the library's own game pays."""
_LOSS = 100.5
"""What F costs of safety, chips."""
_TURN = _LOSS / (_LOSS + 1.0)
"""From this alpha on F pays: it wins 1 more than O and D in both readings."""
MATRIX_ALPHAS = (*(step / 20 for step in range(20)), 0.97, 0.98, 0.985, 0.99, 0.991, 0.995, 1.0)
_MATRIX_FEW = (0.0, 0.25, 0.5, 0.75, 0.99, 0.991, 1.0)
_WAYS: dict[str, Callable[[Resolution], tuple[float | None, float | None]]] = {
    "SES": lambda found: (found.gain_after, found.after),
    "mixing": lambda found: (found.gain_mixing, found.mixing) if found.alpha else (found.gain_before, found.before),
}
"""Gain and exploitability of each; at alpha 0 mixing is the blueprint."""


def ses_matrix() -> Experiment:
    """Figure 2: SES and plain mixing in the paper's matrix game; a row of panels for each reading, payoff on the left.

    The columns respond to a player who always plays R; their blueprint is U or O, half each, against L or M, half each. The
    scan of the payoffs is damaged: R pays the columns 9 for O and D and 10 for F, or 99 and 100. Both are shown. Figure 2 is
    a picture, without numbers; the exploitabilities that ours are compared with follow from table 1 and section 4.3: SES
    finds an equilibrium until F pays, and mixing plays F with probability alpha.
    """
    cells: list[Cell] = []
    panels: list[list[Panel]] = []
    for reading in _READINGS:
        rows = {f"{reading}, alpha={alpha:g}": alpha for alpha in MATRIX_ALPHAS}
        columns = {f"{way} {what}": (way, what) for what in ("payoff", "exploitability") for way in _WAYS}
        cells += grid(
            rows, columns, partial(_matrix_number, reading), lambda alpha, _: alpha not in _MATRIX_FEW,
            lambda alpha, column: None if column[1] == "payoff" else follows(_expected(column[0], alpha)),
        )  # fmt: skip
        panels.append(
            [
                DialPanel(reading, rows, {f"{w} {what}": w for w in _WAYS}, across="alpha", measure=f"{what} (chips)")
                for what in ("payoff", "exploitability")
            ]
        )
    title = "payoff against a player who always plays R, and exploitability, over alpha"
    return Experiment("ses-matrix", title, f"{LIU_2022}, figure 2", 2, cells, panels)


def _expected(way: str, alpha: float) -> float:
    """Exploitability by the text."""
    return _LOSS * alpha if way == "mixing" else 0.0 if alpha < _TURN else _LOSS


def _matrix_number(reading: str, alpha: float, column: tuple[str, str]) -> float:
    way, what = column
    found = _resolved(reading, alpha)
    gain, risk = _WAYS[way](found)
    return found.game_value + (gain or 0.0) if what == "payoff" else risk or 0.0


@cache
def _matrix(reading: str) -> GameTree:
    rules = load("ses_matrix").rules
    other = _READINGS[reading]
    if not other or not isinstance(rules, MatrixGame):
        return load("ses_matrix")
    payoffs = [[-other.get(-chips, -chips) for chips in row] for row in rules.payoffs.tolist()]
    return load(matrix_game(payoffs, *rules.labels, name="ses_matrix, R pays 99 and 100"))


@cache
def _resolved(reading: str, alpha: float) -> Resolution:
    tree = _matrix(reading)

    def always(odds: dict[str, float], player: int) -> Strategy:
        return opponent(tree, lambda _: odds, player)

    blueprint = tuple(always(part, player) for player, part in enumerate(_MATRIX_BLUEPRINT))
    model = always(_MATRIX_MODEL, 1 - _MATRIX_SEAT)
    return resolve(tree, blueprint, "moves:1", seat=_MATRIX_SEAT, alpha=alpha, model=model, **_EXACTLY)
