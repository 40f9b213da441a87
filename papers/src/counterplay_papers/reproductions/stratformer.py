"""Caen et al. 2026: what is won beyond an equilibrium from six kinds of Leduc players at two strengths each, in big blinds.

The paper trains a transformer; here a model is made of 1,000 hands with cards seen at showdowns only, by EM from an
equilibrium, and answered by a data-biased and by a safe response. The paper does not say how its opponents play; these are
of its kinds and of about its exploitability (0.15 to 1.26 big blinds). A big blind is two chips.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from counterplay.opponents.counting.terminal_infosets import SHOWDOWN
from counterplay.solvers.best_response import best_response
from counterplay_papers.cells.model_cells import matchup
from counterplay_papers.experiment import Cell, Experiment, printed
from counterplay_papers.paper_sources import STRATFORMER
from counterplay_papers.reproductions.models_from_hands_cells import HandsSeen, true_gain

SPEC, HANDS, BIG_BLIND = "leduc", 1000, 2.0
KINDS = {
    "folds": ("bias:Fold=3:nash", "bias:Fold=20:nash"),
    "calls": ("bias:Call=3,Fold=0.3:nash", "bias:Call=20,Fold=0.05:nash"),
    "raises": ("bias:Raise=3:nash", "bias:Raise=20:nash"),
    "never raises": ("bias:Raise=0.3:nash", "bias:Raise=0.02:nash"),
    "errs": ("noise:0.25:nash", "noise:0.6:nash"),
    "plays every hand": ("bias:Fold=0.3,Raise=3:nash", "bias:Fold=0.02,Raise=20:nash"),
}
STRENGTHS = ("slightly", "strongly")
METHODS = {"DBR": "dbr:p=0.9", "safe": "safe:max_exploitability=1%"}
_EDGE, _RISK = "edge", "exploitability"
_PAPER = {"mean": 0.106, "best": 0.821}
_OTHERS = "the opponents are of the same kinds, not the same players, and a tabular response is exact"


def experiment() -> Experiment:
    """A row for each opponent; edge over an equilibrium of ours against the same opponent, and exploitability."""
    cells, sources = list[Cell](), dict[str, str]()
    for kind, texts in KINDS.items():
        for strength, source in zip(STRENGTHS, texts, strict=True):
            row = f"{strength} {kind}"
            sources[row] = source
            cells.append(Cell(row, "exploitable by", None, False, partial(_exploitable, source)))
            cells.append(Cell(row, "best response", None, False, partial(_most, source)))
            for name, method in METHODS.items():
                cells.append(Cell(row, f"{name} {_EDGE}", None, False, partial(_edge, source, method)))
                cells.append(Cell(row, f"{name} {_RISK}", None, False, partial(_risk, source, method)))
    for name, method in METHODS.items():
        for row, fold in (("mean", _mean), ("best", max)):
            edges = partial(_folded, fold, [partial(_edge, source, method) for source in sources.values()])
            cells.append(Cell(row, f"{name} {_EDGE}", printed(_PAPER[row]), False, edges, _OTHERS))
        risks = partial(_folded, max, [partial(_risk, source, method) for source in sources.values()])
        cells.append(Cell("largest", f"{name} {_RISK}", None, False, risks))
    title = f"big blinds a hand beyond an equilibrium, after {HANDS:,} hands with showdowns"
    return Experiment("stratformer", title, f"{STRATFORMER}, abstract", 3, cells, measure="big blinds a hand")


def _equilibrium_gain(source: str) -> float:
    pair = matchup(SPEC, source)
    return pair.value_against_model(pair.equilibrium().plan) - pair.game_value


def _edge(source: str, method: str) -> float:
    seen = HandsSeen(SPEC, source, SHOWDOWN, HANDS)
    return (true_gain(seen, "em", method).gain - _equilibrium_gain(source)) / BIG_BLIND


def _risk(source: str, method: str) -> float:
    return true_gain(HandsSeen(SPEC, source, SHOWDOWN, HANDS), "em", method).exploitability / BIG_BLIND


def _exploitable(source: str) -> float:
    pair = matchup(SPEC, source)
    return (best_response(pair.game.subgame, 0, pair.model.plan).value - pair.game_value) / BIG_BLIND


def _most(source: str) -> float:
    return _exploitable(source) - _equilibrium_gain(source) / BIG_BLIND


def _folded(fold: Callable[[list[float]], float], numbers: list[Callable[[], float]]) -> float:
    return fold([number() for number in numbers])


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)
