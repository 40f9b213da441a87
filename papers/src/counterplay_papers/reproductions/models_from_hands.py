"""Models from hands, by what was revealed: how well they predict, and the true gain of responses to them.

Hands of an opponent are drawn, a model is made of them, and responses to it are measured against the opponent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from math import log10
from statistics import fmean
from typing import NamedTuple

import numpy as np

from counterplay import Counts, Strategy, opponent, respond
from counterplay.opponents.counting.estimate import Observations
from counterplay.opponents.counting.terminal_infosets import HIDDEN, REVEALS, SHOWDOWN, SHOWN, TerminalInfosets
from counterplay.opponents.counts import EM, ESTIMATORS, FREQUENCIES
from counterplay.responses.method import METHOD
from counterplay.solvers.best_response import best_response
from counterplay_papers.bot_hands import (
    NO_HANDS,
    TRUTH,
    BotRisk,
    HandsSetting,
    Learned,
    forget_bot,
    nats,
    restricted,
    search_flops,
)  # fmt: skip
from counterplay_papers.experiment import AnyCell, Cell, Derived, Experiment, Numbers, average, field, grid, printed
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.refined_flops import ses_search
from counterplay_papers.responses import MEASURES, ResponseCell, game, matchup

_OBSERVER, _PRIOR = "noise:0.2:nash", "nash"
"""What the observing seat plays while hands are drawn, and toward what models tend."""
_EXACT = 1e9


class HandsSeen(NamedTuple):
    """Hands that were seen: game, opponent (seat 1), revealed cards, number of hands, and seed."""

    spec: str
    source: str
    reveal: str
    hands: int
    seed: int = 0


@cache
def _odds(spec: str, source: str, reveal: str) -> tuple[TerminalInfosets, np.ndarray]:
    """The sight of seat 0, and the probability of each end."""
    tree = game(spec)
    sight, truth, own = TerminalInfosets(tree, 0, reveal), opponent(tree, source, 1), opponent(tree, _OBSERVER, 0)
    ends = sight.ends
    odds = tree.histories.reach[ends] * own.plan[tree.sequences[0][ends]] * truth.plan[tree.sequences[1][ends]]
    return sight, odds / odds.sum()


@lru_cache(maxsize=8)
def seen_hands(seen: HandsSeen) -> Counts:
    """The hands, counted."""
    sight, odds = _odds(seen.spec, seen.source, seen.reveal)
    counts = Counts(game(seen.spec), 1)
    counts.see_sampled(sight, np.random.default_rng([seen.seed, seen.hands]).multinomial(seen.hands, odds))
    return counts


@lru_cache(maxsize=8)
def model_of(seen: HandsSeen, by: str) -> Strategy:
    """The model that an estimator makes of them."""
    return seen_hands(seen).strategy(_PRIOR, by=by)


@lru_cache(maxsize=64)
def true_gain(seen: HandsSeen, by: str, method: str) -> ResponseCell:
    """A response to the model, measured against the opponent."""
    answer = respond(game(seen.spec), model_of(seen, by), METHOD.parse(method))
    if answer.interrupted:
        raise KeyboardInterrupt
    pair = matchup(seen.spec, seen.source)
    return ResponseCell(pair.value_against_model(answer.strategy.plan) - pair.game_value, answer.exploitability)


def nats_behind(seen: HandsSeen, by: str) -> float:
    """Nats by which the model predicts a decision of the opponent worse than the opponent's own strategy does; all hands
    weighted by their probability, all cards shown. Each strategy has 1 % of uniform play.
    """
    data = _all_hands(seen.spec, seen.source)
    truth = opponent(game(seen.spec), seen.source, 1)
    return data.score(truth.behaviour)[0] - data.score(model_of(seen, by).behaviour)[0]


@lru_cache(maxsize=4)
def _all_hands(spec: str, source: str) -> Observations:
    sight, odds = _odds(spec, source, SHOWN)
    counts = Counts(game(spec), 1)
    counts.see_sampled(sight, _EXACT * odds)
    return counts.observations


_GAMES = {"leduc": "Leduc", "liars_dice:1,5": "Liar's dice 1x5"}
_OPPONENTS = (
    *(f"random:{seed}" for seed in range(1, 6)),
    *(f"cfr+:{iterations}" for iterations in (2, 5, 10, 20, 40)),
    *(f"noise:{weight}:nash" for weight in (0.1, 0.2, 0.4, 0.6, 0.8)),
    *(f"shuffle:{share},{seed}:nash" for share, seed in ((0.3, 1), (0.3, 2), (0.7, 1), (0.7, 2), (1.0, 1))),
)
HANDS = (100, 1000, 10_000, 100_000)
_METHODS = {
    "BR": "br", "RNR": "rnr:p=0.75", "DBR": "dbr:p=0.9", "safe": "safe:max_exploitability=1%", "SES": "ses:alpha=0.5",
}  # fmt: skip
_DEPTHS = {"leduc": "round", "liars_dice:1,5": "2"}
"""Of the look-ahead of SES; Liar's dice has no rounds."""
_QUICK, _QUICK_HANDS = ("random:1", "cfr+:5", "noise:0.4:nash"), (100, 1000, 10_000)
_NATS = "nats behind"


def models_from_hands() -> Experiment:
    """For each game, prediction and each method's gain over the number of hands, a column for each kind of sight.

    The question is that of Ganzfried 2025, whose tables are of Kuhn poker; the games, opponents and methods are ours.
    """
    cells: list[AnyCell] = []
    panels: list[list[Panel]] = []
    columns = _columns(ESTIMATORS)
    across = "hands (log 10)"
    for spec, name in _GAMES.items():
        drawn: list[list[Panel]] = [[] for _ in range(1 + len(_METHODS))]
        for reveal in REVEALS:
            dials: dict[str, float] = {}
            for hands in HANDS:
                seen = {
                    f"{name}, shown {reveal}, {hands} hands, {source}": HandsSeen(spec, source, reveal, hands)
                    for source in _OPPONENTS
                }
                dials |= dict.fromkeys(seen, log10(hands))
                cells += grid(seen, columns, _number, _is_slow)
                mean = f"{name}, shown {reveal}, {hands} hands, average"
                cells += [average(mean, column, tuple(seen)) for column in columns]
            title, unit = f"{name}, shown: {reveal}", "nats a decision behind the truth"
            shown = {f"{by} {_NATS}": by for by in ESTIMATORS}
            drawn[0].append(DialPanel(title, dials, shown, across=across, measure=unit))
            for row, method in zip(drawn[1:], _METHODS, strict=True):
                shown = {f"{by} {method} gain": by for by in ESTIMATORS}
                row.append(DialPanel(f"{title}: {method}", dials, shown, across=across, measure="gain (chips)"))
        panels += drawn
    cells += fhp_rows()
    title = "models from hands, by EM, the convex program and frequencies of shown hands; means over 20 opponents"
    return Experiment("models-from-hands", title, "Ganzfried 2025", 4, cells, panels)


Column = tuple[str, str, str]
"""Estimator, method, and measure; prediction without a method."""


def _columns(estimators: Sequence[str]) -> dict[str, Column]:
    """All columns of a row."""
    predictions = {f"{by} {_NATS}": (by, "", _NATS) for by in estimators}
    responses = {
        f"{by} {name} {measure}": (by, name, measure) for by in estimators for name in _METHODS for measure in MEASURES
    }
    return {**predictions, **responses}


def _is_slow(seen: HandsSeen, column: Column) -> bool:
    quick = seen.spec == "leduc" and seen.source in _QUICK and seen.hands in _QUICK_HANDS
    return not quick or column[1] == "SES"


def _number(seen: HandsSeen, column: Column) -> float:
    by, name, measure = column
    if not name:
        return nats_behind(seen, by)
    method = f"{_METHODS[name]},depth={_DEPTHS[seen.spec]}" if name == "SES" else _METHODS[name]
    return field(measure, true_gain, seen, by, method)


_FHP = "Flop Hold'em"
_BASE = "blueprint:method=public,iterations={},buckets=200,seed={}"
_FHP_PRIOR = _BASE.format(1000, 0)
_FAMILIES = (
    [(f"{count} iterations", _BASE.format(count, 1)) for count in (30, 100, 10, 300, 1000)],
    [(f"noise {weight}", f"noise:{weight}:{_FHP_PRIOR}") for weight in (0.4, 0.2, 0.6, 0.1, 0.8)],
    [(f"shuffle {share}, {seed}", f"shuffle:{share},{seed}:{_FHP_PRIOR}") for share, seed in (
        (0.7, 1), (0.3, 1), (1.0, 1), (0.3, 2), (0.7, 2),
    )],
    [(words, f"bias:{words}:{_FHP_PRIOR}") for words in ("fold=0.3", "call=3", "raise=3", "fold=3", "raise=0.3")],
)  # fmt: skip
FHP_OPPONENTS = dict(one for several in zip(*_FAMILIES, strict=True) for one in several)
"""One of each family in turn, so that the averages of a run that was interrupted are over all families."""
_FHP_BY = (EM, FREQUENCIES)
"""Expectation maximisation over all hands, and the same from hands alone whose cards were seen."""
_SETTING = HandsSetting("holdem:flop,buckets=200", lambda: _FHP_PRIOR, 1000, 20)
_TRUSTS = (0.25, 0.5, 0.75, 0.9, 1.0)
_SES = ses_search(0.5)


def fhp_rows() -> list[AnyCell]:
    """Rows of Flop Hold'em, opponent by opponent, and averages over the opponents that are done; `--quick` has none of them.

    Models are tilted blueprints. Opponents are blueprints of few iterations, and the prior with noise, with shuffled rows
    and with preferred actions. Gain and exploitability, in chips, are beside the prior's, on drawn flops and exact there.
    In the buckets of the game: the best response, restricted Nash with p = 0.75, data-biased with p = 0.9, and of the
    restricted Nash responses at five p the boldest whose measured exploitability is at most 1 % of the span. Of SES every
    flop is solved again, alpha = 0.5.
    """
    columns = _columns(_FHP_BY)
    rows: dict[tuple[str, int], dict[str, tuple[str, str, int]]] = {}
    cells: list[AnyCell] = []
    for name, source in FHP_OPPONENTS.items():
        for reveal in REVEALS:
            for hands in HANDS:
                row = {f"{_FHP}, shown {reveal}, {hands} hands, {name}": (source, reveal, hands)}
                rows.setdefault((reveal, hands), {}).update(row)
                cells += grid(row, columns, _fhp_number, True)
    for (reveal, hands), of in rows.items():
        mean, needs = f"{_FHP}, shown {reveal}, {hands} hands, average", list(columns)
        counted = partial(_folded, len, needs[0])
        cells.append(Derived(mean, "opponents", list(of), needs, counted, so_far=True))
        cells += [
            Derived(mean, column, list(of), needs, partial(_folded, fmean, column), so_far=True) for column in needs
        ]
    return cells


def _folded(fold: Callable[[Sequence[float]], float], column: str, found: Numbers) -> float:
    return float(fold(found[column]))


def _fhp_number(seen: tuple[str, str, int], column: Column) -> float:
    by, method, measure = column
    learned = fhp_learned(*seen, by)
    if method:
        return float(getattr(_fhp_risk(learned, method), measure).value)
    return _fhp_truth(learned.bot) - nats(_SETTING, learned)


def fhp_learned(bot: str, reveal: str, hands: int, by: str) -> Learned:
    """A model that is computed once: where all cards are seen, both estimates are one, and where none are, no hand's cards
    were seen."""
    if by == FREQUENCIES and reveal == HIDDEN:
        return Learned(bot, SHOWN, NO_HANDS)
    return Learned(bot, reveal, hands, EM if reveal == SHOWN else by)


@cache
def _fhp_truth(bot: str) -> float:
    forget_bot()  # rows come opponent by opponent: what was kept of the one before is not asked for again
    return nats(_SETTING, Learned(bot, SHOWN, TRUTH))


def _fhp_risk(learned: Learned, method: str) -> BotRisk:
    if method == "SES":
        return search_flops(_SETTING, learned, _SES)
    if method == "DBR":
        return restricted(_SETTING, learned, (0.9,), by_row=True)[0]
    every = dict(zip(_TRUSTS, restricted(_SETTING, learned, _TRUSTS), strict=True))
    if method != "safe":
        return every[{"BR": 1.0, "RNR": 0.75}[method]]
    betting = _SETTING.rules.betting
    allowed = 0.01 * float(betting.win.max() - betting.lose.min())
    within = [p for p, risk in every.items() if risk.exploitability.value <= allowed]
    return every[max(within, default=_TRUSTS[0])]


_LEDUC, _LEDUC_HANDS, _BIG_BLIND = "leduc", 1000, 2.0
_PLAYERS = {
    "folds": ("bias:Fold=3:nash", "bias:Fold=20:nash"),
    "calls": ("bias:Call=3,Fold=0.3:nash", "bias:Call=20,Fold=0.05:nash"),
    "raises": ("bias:Raise=3:nash", "bias:Raise=20:nash"),
    "never raises": ("bias:Raise=0.3:nash", "bias:Raise=0.02:nash"),
    "errs": ("noise:0.25:nash", "noise:0.6:nash"),
    "plays every hand": ("bias:Fold=0.3,Raise=3:nash", "bias:Fold=0.02,Raise=20:nash"),
}
_STRENGTHS = ("slightly", "strongly")
_BOUNDED = {"DBR": "dbr:p=0.9", "safe": "safe:max_exploitability=1%"}
_PAPER = {"mean": 0.106, "best": 0.821}


def stratformer() -> Experiment:
    """Caen et al. 2026: edge over an equilibrium from six kinds of Leduc players at two strengths each, in big blinds.

    The paper trains a transformer; here a model is made of 1,000 hands with cards seen at showdowns only, by EM from an
    equilibrium, and answered by a data-biased and by a safe response. The edge counts from an equilibrium of ours against
    the same opponent. The paper does not say how its opponents play; these are of its kinds and of about its exploitability
    (0.15 to 1.26 big blinds). A big blind is two chips.
    """
    rows = {
        f"{strength} {kind}": source
        for kind, texts in _PLAYERS.items()
        for strength, source in zip(_STRENGTHS, texts, strict=True)
    }
    columns: dict[str, Callable[[str], float]] = {
        "exploitable by": _exploitable,
        "best response": lambda source: _exploitable(source) - _equilibrium_gain(source) / _BIG_BLIND,
    }
    for name, method in _BOUNDED.items():
        columns |= {f"{name} edge": partial(_edge, method), f"{name} exploitability": partial(_risk, method)}
    cells = grid(rows, columns, lambda source, compute: compute(source))
    other = "the opponents are of the same kinds, not the same players, and a tabular response is exact"
    sources = list(rows.values())
    folds: dict[str, Callable[[list[float]], float]] = {"mean": lambda each: sum(each) / len(each), "best": max}
    for name, method in _BOUNDED.items():
        for row, fold in folds.items():
            edges = partial(_over_all, fold, partial(_edge, method), sources)
            cells.append(Cell(row, f"{name} edge", printed(_PAPER[row]), False, edges, other))
        risks = partial(_over_all, max, partial(_risk, method), sources)
        cells.append(Cell("largest", f"{name} exploitability", None, False, risks))
    title = f"big blinds a hand beyond an equilibrium, after {_LEDUC_HANDS:,} hands with showdowns"
    return Experiment("stratformer", title, "Caen et al. 2026, abstract", 3, cells, measure="big blinds a hand")


def _equilibrium_gain(source: str) -> float:
    pair = matchup(_LEDUC, source)
    return pair.value_against_model(pair.equilibrium().plan) - pair.game_value


def _answered(method: str, source: str) -> ResponseCell:
    return true_gain(HandsSeen(_LEDUC, source, SHOWDOWN, _LEDUC_HANDS), EM, method)


def _edge(method: str, source: str) -> float:
    return (_answered(method, source).gain - _equilibrium_gain(source)) / _BIG_BLIND


def _risk(method: str, source: str) -> float:
    return _answered(method, source).exploitability / _BIG_BLIND


def _exploitable(source: str) -> float:
    pair = matchup(_LEDUC, source)
    return (best_response(pair.game.subgame, 0, pair.model.plan).value - pair.game_value) / _BIG_BLIND


def _over_all(fold: Callable[[list[float]], float], number: Callable[[str], float], sources: Sequence[str]) -> float:
    return fold([number(source) for source in sources])
