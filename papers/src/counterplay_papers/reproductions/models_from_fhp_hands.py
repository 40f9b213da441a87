"""The rows of `models-from-hands` of Flop Hold'em: tilted blueprints, responses to them in the buckets of the game, and SES.

Opponents are blueprints of few iterations, and the prior with noise, with shuffled rows and with preferred actions. Gain and
exploitability, in chips, are beside the prior's, on drawn flops and exact there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from statistics import fmean

from counterplay.blueprints.whole_game.as_strategy import ses_search
from counterplay.opponents.counting.terminal_infosets import HIDDEN, REVEALS, SHOWN
from counterplay.opponents.counts import EM, FREQUENCIES
from counterplay_papers.cells.hands_of_bot import (
    NO_HANDS,
    TRUTH,
    BotRisk,
    HandsSetting,
    Learned,
    forget_bot,
    nats,
    restricted,
    search_flops,
)
from counterplay_papers.experiment import Cell, Derived

NAME = "Flop Hold'em"
GAME = "holdem:flop,buckets=200"
BY = (EM, FREQUENCIES)
"""Expectation maximisation over all hands, and the same from hands alone whose cards were seen."""
_BASE = "blueprint:method=public,iterations={},buckets=200,seed={}"
PRIOR = _BASE.format(1000, 0)
_FAMILIES = (
    [(f"{count} iterations", _BASE.format(count, 1)) for count in (30, 100, 10, 300, 1000)],
    [(f"noise {weight}", f"noise:{weight}:{PRIOR}") for weight in (0.4, 0.2, 0.6, 0.1, 0.8)],
    [(f"shuffle {share}, {seed}", f"shuffle:{share},{seed}:{PRIOR}") for share, seed in (
        (0.7, 1), (0.3, 1), (1.0, 1), (0.3, 2), (0.7, 2),
    )],
    [(words, f"bias:{words}:{PRIOR}") for words in ("fold=0.3", "call=3", "raise=3", "fold=3", "raise=0.3")],
)  # fmt: skip
OPPONENTS = dict(one for several in zip(*_FAMILIES, strict=True) for one in several)
"""One of each family in turn, so that the averages of a run that was interrupted are over all families."""
HANDS = (100, 1000, 10_000, 100_000)
_SETTING = HandsSetting(GAME, lambda: PRIOR, 1000, 20)
_GRID = (0.25, 0.5, 0.75, 0.9, 1.0)
METHODS = ("BR", "RNR", "DBR", "safe", "SES")
"""In the buckets: the best response, restricted Nash with p = 0.75, data-biased with p = 0.9, and of the restricted Nash
responses at five p the boldest whose measured exploitability is at most 1 % of the span. Of SES every flop is solved again,
alpha = 0.5."""
_SES = ses_search(0.5)
_MEASURES = ("gain", "exploitability")


def fhp_rows() -> list[Cell | Derived]:
    """All rows, opponent by opponent, and averages over the opponents that are done; `--quick` has none of them."""
    cells: list[Cell | Derived] = []
    names: dict[tuple[str, int], list[str]] = {}
    for opponent in OPPONENTS:
        for reveal in REVEALS:
            for hands in HANDS:
                row = f"{NAME}, shown {reveal}, {hands} hands, {opponent}"
                names.setdefault((reveal, hands), []).append(row)
                cells += _row(row, opponent, reveal, hands)
    for (reveal, hands), rows in names.items():
        average, needs = f"{NAME}, shown {reveal}, {hands} hands, average", _columns()
        cells.append(Derived(average, "opponents", rows, needs, partial(_count, needs[0]), so_far=True))
        cells += [Derived(average, column, rows, needs, partial(_mean, column), so_far=True) for column in needs]
    return cells


def _count(column: str, found: Mapping[str, Sequence[float]]) -> float | None:
    return float(len(found[column]))


def _mean(column: str, found: Mapping[str, Sequence[float]]) -> float | None:
    return fmean(found[column])


def _columns() -> list[str]:
    measures = [f"{by} {name} {measure}" for by in BY for name in METHODS for measure in _MEASURES]
    return [*(f"{by} nats behind" for by in BY), *measures]


def _row(row: str, opponent: str, reveal: str, hands: int) -> list[Cell]:
    seen = [_learned(OPPONENTS[opponent], reveal, hands, by) for by in BY]
    cells = [
        Cell(row, f"{by} nats behind", None, True, partial(_behind, one)) for by, one in zip(BY, seen, strict=True)
    ]
    return cells + [
        Cell(row, f"{by} {name} {measure}", None, True, partial(_number, one, name, measure))
        for by, one in zip(BY, seen, strict=True)
        for name in METHODS
        for measure in _MEASURES
    ]


def _learned(bot: str, reveal: str, hands: int, by: str) -> Learned:
    """What is computed once: where all cards are seen, both estimates are one, and where none are, there are no hands whose
    cards were seen."""
    if by == FREQUENCIES and reveal == HIDDEN:
        return Learned(bot, SHOWN, NO_HANDS)
    return Learned(bot, reveal, hands, EM if reveal == SHOWN else by)


def _behind(learned: Learned) -> float:
    """How much worse the model predicts a decision than the opponent's own strategy does."""
    return _truth(learned.bot) - nats(_SETTING, learned)


@cache
def _truth(bot: str) -> float:
    forget_bot()  # rows come opponent by opponent: what was kept of the one before is not asked for again
    return nats(_SETTING, Learned(bot, SHOWN, TRUTH))


def _number(learned: Learned, method: str, measure: str) -> float:
    found = getattr(_risk(learned, method), measure)
    return float(found.value)


def _risk(learned: Learned, method: str) -> BotRisk:
    if method == "SES":
        return search_flops(_SETTING, learned, _SES)
    if method == "DBR":
        return restricted(_SETTING, learned, (0.9,), by_row=True)[0]
    every = dict(zip(_GRID, restricted(_SETTING, learned, _GRID), strict=True))
    if method != "safe":
        return every[{"BR": 1.0, "RNR": 0.75}[method]]
    allowed = 0.01 * _span()
    within = [p for p, risk in every.items() if risk.exploitability.value <= allowed]
    return every[max(within, default=_GRID[0])]


@cache
def _span() -> float:
    betting = _SETTING.rules.betting
    return float(betting.win.max() - betting.lose.min())
