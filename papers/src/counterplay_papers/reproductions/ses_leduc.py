"""Liu et al. 2022, figure 3, the rows of Leduc: safe exploitation search over alpha, by the error of the estimate.

Raises are 1 and 2 chips, and subgames begin when the board card is dealt. The blueprint is an average of many iterations, as
in the paper, and so are the opponents of the first kind, by other methods; the others are the blueprint with shuffled
probabilities. Every subgame is solved exactly, by linear program, which takes as long as some thousand iterations of CFR+.
The equilibrium that a linear program finds of the whole game would be a bad blueprint: the opponent's part of it need not
play well where the equilibrium never comes, so that its values there are far from those of a best response (the Δ of the
paper's theorems is large). The paper prints no numbers.
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

from counterplay import GameTree, Resolution, Strategy, opponent, resolve
from counterplay.gametree.compile.load import load
from counterplay_papers.experiment import Average, Cell, Experiment
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.paper_sources import SES

SPEC, BLUEPRINT, PLACE = "leduc:bets=1/2", "dcfr:10000", "round"
KINDS = {
    "0": ("cfr+:2000", "dcfr:5000", "pcfr+:5000"),
    "0.3": tuple(f"shuffle:0.3,{seed}:{BLUEPRINT}" for seed in (1, 2, 3)),
    "0.7": tuple(f"shuffle:0.7,{seed}:{BLUEPRINT}" for seed in (1, 2, 3)),
}
"""The opponents of each kind, one for each seed from 1; by the share of infosets that is shuffled."""

EVALUATION, EXPLOITABILITY = MEASURES = ("evaluation", "exploitability")
ALPHAS = tuple(step / 10 for step in range(11))
FEW, SEEDS = (0.0, 0.5, 1.0), (1,)
"""What `--quick` computes."""
_ERRORS = (0.0, 0.3, 0.6, 0.9, 1.2)
_SEATS = (0, 1)
_LEVEL = "blueprint"


class SesCell(NamedTuple):
    """Milli-chips: what a strategy wins from the opponent, and what it may lose beyond the value of the game."""

    evaluation: float
    exploitability: float


def experiment() -> Experiment:
    """For each seat evaluation above and exploitability below, a panel for each kind of opponent."""
    cells: list[Cell | Average] = []
    panels: list[list[Panel]] = []
    for seat in _SEATS:
        drawn: tuple[list[Panel], list[Panel]] = ([], [])
        for kind in KINDS:
            rows: dict[str, float] = {}
            for seed in range(1, 1 + len(KINDS[kind])):
                for alpha in ALPHAS:
                    row = f"seat {seat}, shuffle {kind}, seed {seed}, alpha={alpha:g}"
                    rows[row] = alpha
                    cells += _row(row, seat, kind, seed, alpha)
            for measure, panel in zip(MEASURES, drawn, strict=True):
                columns = {f"{_LEVEL} {measure}": _LEVEL} | {f"e={e:g} {measure}": f"e={e:g}" for e in _ERRORS}
                title = f"seat {seat}, shuffle {kind}: {measure}"
                panel.append(DialPanel(title, "alpha", f"{measure} (milli-chips)", rows, columns, _LEVEL))
        panels += drawn
    title = "SES in Leduc by L1 error e of the estimate; means over three opponents with standard errors"
    return Experiment("ses-leduc", title, f"{SES}, figure 3, rows 1 and 2", 2, cells, panels)


def _row(row: str, seat: int, kind: str, seed: int, alpha: float) -> list[Cell]:
    slow = seat != _SEATS[0] or seed not in SEEDS or alpha not in FEW
    made = []
    for place, measure in enumerate(MEASURES):
        plain = partial(_plain, seat, kind, seed, place)
        made.append(Cell(row, f"{_LEVEL} {measure}", None, slow, plain))
        for error in _ERRORS:
            compute = partial(_number, seat, kind, seed, alpha, error, place)
            made.append(Cell(row, f"e={error:g} {measure}", None, slow, compute))
    return made


def _plain(seat: int, kind: str, seed: int, place: int) -> float:
    found = refined(seat, kind, seed, 0.0)
    return milli(found, found.gain_before, found.before)[place]


def _number(seat: int, kind: str, seed: int, alpha: float, error: float, place: int) -> float:
    found = refined(seat, kind, seed, alpha, error if alpha else 0.0)  # without alpha the estimate is not used
    return milli(found, found.gain_after, found.after)[place]


def milli(found: Resolution, gain: float | None, exploitability: float) -> SesCell:
    """The numbers of a gain in the game of a resolution."""
    return SesCell(1e3 * (found.game_value + (gain or 0.0)), 1e3 * exploitability)


@cache
def game() -> GameTree:
    """Leduc as the paper has it."""
    return load(SPEC)


@cache
def model(seat: int, kind: str, seed: int) -> Strategy:
    """The opponent of a resolver in a seat."""
    return opponent(game(), KINDS[kind][seed - 1], 1 - seat)


@cache
def _blueprint() -> tuple[Strategy, Strategy]:
    return opponent(game(), BLUEPRINT, 0), opponent(game(), BLUEPRINT, 1)


@cache
def refined(seat: int, kind: str, seed: int, alpha: float, error: float = 0.0) -> Resolution:
    """The blueprint after safe exploitation search.

    Raises:
        KeyboardInterrupt: the search was cut short, and its numbers must not be kept.
    """
    found = resolve(
        game(), _blueprint(), PLACE, seat=seat, alpha=alpha, model=model(seat, kind, seed), error=error, solver="lp",
        gadget="max-margin", normalised=True, values="profile", seed=seed,
    )  # fmt: skip
    if found.interrupted:
        raise KeyboardInterrupt
    return found
