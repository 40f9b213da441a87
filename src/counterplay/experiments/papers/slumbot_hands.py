"""Models of a SlumBot-class bot from 300 to 100,000 of its hands, and what responses to them win from it.

The hands are those of the bot against the second blueprint of `cdbr-slumbot`, which is the prior, too; the cards of both are
seen, as a SlumBot server shows them. Two questions, each on drawn flops and exact there:

- *Real cards.* The best response to the model, hand by hand, against the bot as it is. Its exploitability is not bounded.
  The best response to the bot itself is the same method with the true model.
- *With a bound.* Restricted Nash and data-biased responses in buckets, against the bot and against a player with a
  leak, who folds three tenths as often. Gain is beside what the blueprint wins, exploitability beside its own. At 200 big
  blinds the buckets are 500, 500 and 100, and solves begin where a blueprint of 16,000 iterations was left: with 5,000 a
  street, responses of a few thousand iterations win less than the blueprint, and hardly a row is seen often enough to be
  trusted.
  "% of the true model's" divides the gain by that of responses to the true player at equal exploitability, read off the
  concave curve through their points and the blueprint's; beyond the blueprint's own exploitability at 0 there is none.

The bot is near an equilibrium of the game with these buckets: a restricted response to it in the same buckets gains about
nothing with the true model either, so that there is nothing to have a share of; only the player with a leak has that column.
`--quick` does the same with 20 cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import log10
from typing import NamedTuple

import numpy as np

from counterplay.experiments.cells.hands_of_bot import (
    COVERED,
    NO_HANDS,
    TRUTH,
    HandsSetting,
    Learned,
    best_in_cards,
    nats,
    restricted,
    share_in_cards,
)
from counterplay.experiments.experiment import Cell, Derived, Experiment
from counterplay.experiments.panels import DialPanel, Panel
from counterplay.experiments.paper_sources import CDRNR
from counterplay.experiments.slumbot_files import BOT, BUCKETS, GAME, VALUES
from counterplay.opponents.counts import EM
from counterplay.opponents.tilting.tilted_model import CATEGORIES, ROW_STRENGTH, ROWS
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.walks.flop_draw import ALL, Interval

HANDS = (300, 1000, 10_000, 100_000)


class Trusts(NamedTuple):
    """Trusts in a model, rising: of restricted Nash responses, and of data-biased ones, which trust each row as far as hands
    were seen there."""

    restricted: tuple[float, ...]
    by_row: tuple[float, ...]

    @property
    def ways(self) -> dict[str, tuple[float, bool]]:
        """By name: the trust, and whether it is by row."""
        return {
            **{f"RNR, p = {p:g}": (p, False) for p in self.restricted},
            **{f"DBR, p = {p:g}": (p, True) for p in self.by_row},
        }

    def of(self, by_row: bool) -> tuple[float, ...]:
        """Those of one kind."""
        return self.by_row if by_row else self.restricted


class Variant(NamedTuple):
    """Another way from hands to a response. words: its rows are named so. by, trust, weight: as of `Learned`."""

    words: str
    by: str = EM
    trust: str = ROWS
    weight: float = ROW_STRENGTH


_AS_SEEN, _BY_CATEGORY = (
    Variant("true model as seen in {}, DBR", COVERED),
    Variant("{}, DBR by category", EM, CATEGORIES),
)
_BOLD = (Variant("{}, bold DBR", weight=3.0), Variant("{}, bold DBR by category", EM, CATEGORIES, 3.0))
"""Models near what was observed in a row: of the weights 1, 3, 10, 30 and 100 that which predicts best."""
_FIVE = (0.1, 0.25, 0.5, 0.75, 0.9)
_SOME, _MANY = Trusts((0.5, 0.9), (0.9,)), Trusts(_FIVE, _FIVE)
_GAIN, _RISK, _SHARE = "gain", "exploitability", "% of the true model's"
_BEST, _ACROSS = "% of the best response", "hands (log 10)"
_GOALS = {1000: 50.0, 10_000: 70.0, 100_000: 85.0}
"""Per cent of the gain with the true model that were aimed at."""
_LEAK = "bias:fold=0.3:{}"
_TOY = "holdem:deck=20,stack=10bb,bets=fcpa,buckets=30"
_TOY_BOT, _TOY_VALUES = (
    f"blueprint:method={method},iterations={count},buckets=30"
    for method, count in (("external", 20000), ("public", 1000))
)
_SHORT = "20 cards: "
_FEW = (300, 1000)
"""Numbers of hands that `--quick` has, of 20 cards."""
_FULL = HandsSetting(f"{GAME},{BUCKETS}", lambda: str(VALUES.path()), 4000, 8)
_DEEP = "200 big blinds: "
_FEWER = HandsSetting(f"{GAME},buckets=moments:500/500/100", lambda: "", 4000, 8, training=16_000)
_SMALL = HandsSetting(_TOY, lambda: _TOY_VALUES, 500, 40, 300)
_EXACT = replace(_SMALL, iterations=2000, draws=ALL)
Bot = Callable[[], str]


def experiment() -> Experiment:
    """For each game, the best response in real cards, then restricted ones to the bot and to the player with a leak."""
    cells: list[Cell | Derived] = []
    panels: list[list[Panel]] = []
    cells += _in_cards(_SHORT, _SMALL, _toy)
    cells += _with_bound(f"{_SHORT}leak", _SMALL, partial(_leaky, _toy))
    cells += _with_bound(f"{_SHORT}bot", _SMALL, _toy, HANDS[-1:], share=False)
    exact = f"{_SHORT}all flops, leak"
    cells += _with_bound(exact, _EXACT, partial(_leaky, _toy), trusts=_MANY)
    cells += _varied(exact, _EXACT, partial(_leaky, _toy), _MANY, _AS_SEEN, HANDS[-2:])
    cells += _in_cards(_DEEP, _FULL, _bot)
    cells += _with_bound(f"{_DEEP}leak", _FEWER, partial(_leaky, _bot), ways=_learned_by_row)
    cells += _varied(f"{_DEEP}leak", _FEWER, partial(_leaky, _bot), _SOME, _BY_CATEGORY, HANDS)
    for bold in _BOLD:
        cells += _varied(f"{_DEEP}leak", _FEWER, partial(_leaky, _bot), _SOME, bold, HANDS)
    panels += [_panels(_SHORT), [_bounded(exact, way) for way in _MANY.ways], _panels(_DEEP)]
    title = f"{GAME}: responses to models of a SlumBot-class bot from N hands; mbb/h, inside the betting tree"
    return Experiment("slumbot-hands", title, CDRNR, 0, cells, panels, files=(BOT, VALUES))


def _panels(name: str) -> list[Panel]:
    """Shares of the true model's gain over the number of hands."""
    rows = {f"{name}real cards, {_name(hands)}": log10(hands) for hands in HANDS}
    found: list[Panel] = [DialPanel(f"{name}real cards", _ACROSS, _SHARE, rows, {_BEST: "best response"})]
    return found + [_bounded(f"{name}leak", way) for way in _SOME.ways]


def _bounded(name: str, way: str) -> Panel:
    """Gain over the number of hands."""
    rows = {f"{name}, {_name(hands)}, {way}": log10(hands) for hands in HANDS}
    return DialPanel(f"{name}, {way}", _ACROSS, "gain (mbb/h)", rows, {_GAIN: "gain"})


def _toy() -> str:
    return _TOY_BOT


def _bot() -> str:
    return str(BOT.path())


def _every_way(hands: int, by_row: bool) -> bool:  # noqa: ARG001 - as `_learned_by_row`
    return True


def _learned_by_row(hands: int, by_row: bool) -> bool:
    """Whether a model has responses of a kind: the true one both, one from hands those that know what it has seen."""
    return hands == TRUTH or by_row == (hands != NO_HANDS)


def _leaky(bot: Bot) -> str:
    return _LEAK.format(bot())


def _name(hands: int) -> str:
    return {TRUTH: "true model", NO_HANDS: "no hands"}.get(hands, f"{hands:,} hands")


def _is_slow(setting: HandsSetting, hands: int) -> bool:
    """Whether `--quick` leaves it out."""
    return setting is not _SMALL or hands not in (TRUTH, NO_HANDS, *_FEW)


def _in_cards(name: str, setting: HandsSetting, bot: Bot) -> list[Cell]:
    cells = []
    for hands in (TRUTH, NO_HANDS, *HANDS):
        slow = _is_slow(setting, hands)
        row = f"{name}real cards, {_name(hands)}"
        cells += _interval(row, "won", slow, partial(_best, setting, bot, hands))
        cells += _interval(row, _BEST, slow, partial(_share, setting, bot, hands))
        cells.append(Cell(row, "nats", None, slow, partial(_nats, setting, bot, hands)))
    return cells


def _interval(row: str, column: str, slow: bool, find: Callable[[], Interval]) -> list[Cell]:
    return [
        Cell(row, column, None, slow, lambda: find().value),
        Cell(row, f"{column} ±", None, slow, lambda: find().error),
    ]


def _best(setting: HandsSetting, bot: Bot, hands: int) -> Interval:
    found, milli = best_in_cards(setting, Learned(bot(), "all", hands)), _milli(setting.game)
    return Interval(milli * found.value, milli * found.error)


def _share(setting: HandsSetting, bot: Bot, hands: int) -> Interval:
    return share_in_cards(setting, Learned(bot(), "all", hands))


def _nats(setting: HandsSetting, bot: Bot, hands: int) -> float:
    return nats(setting, Learned(bot(), "all", hands))


def _with_bound(
    name: str,
    setting: HandsSetting,
    bot: Bot,
    every: Sequence[int] = HANDS,
    *,
    share: bool = True,
    trusts: Trusts = _SOME,
    ways: Callable[[int, bool], bool] = _every_way,
) -> list[Cell | Derived]:
    cells: list[Cell | Derived] = []
    truth = [f"{name}, {_name(TRUTH)}, {way}" for way in trusts.ways]
    for hands in (TRUTH, NO_HANDS, *every):
        for way, (p, by_row) in trusts.ways.items():
            if not ways(hands, by_row):
                continue
            row, slow = f"{name}, {_name(hands)}, {way}", _is_slow(setting, hands)
            for measure in (_GAIN, _RISK):
                asked = AskedRisk(trusts.of(by_row), p, by_row, measure)
                cells += _interval(row, measure, slow, partial(_risk, setting, bot, hands, asked))
            if share and hands != TRUTH:
                read = partial(_share_of_curve, truth)
                cells.append(Derived(row, _SHARE, [row, *truth], (_GAIN, _RISK), read, _GOALS.get(hands), _MISSED))
    return cells


def _varied(
    name: str, setting: HandsSetting, bot: Bot, trusts: Trusts, variant: Variant, every: Sequence[int]
) -> list[Cell | Derived]:
    """Data-biased responses to another model of the hands, or with another trust."""
    cells: list[Cell | Derived] = []
    truth = [f"{name}, {_name(TRUTH)}, {way}" for way in trusts.ways]
    for hands in every:
        for p in trusts.by_row:
            row = f"{name}, {variant.words.format(_name(hands))}, p = {p:g}"
            for measure in (_GAIN, _RISK):
                asked = AskedRisk(trusts.by_row, p, True, measure)
                cells += _interval(row, measure, True, partial(_risk, setting, bot, hands, asked, variant))
            read, goal = partial(_share_of_curve, truth), _GOALS.get(hands) if variant.by == EM else None
            cells.append(Derived(row, _SHARE, [row, *truth], (_GAIN, _RISK), read, goal, _MISSED if goal else ""))
    return cells


_MISSED = "an aim and no printed number"


class AskedRisk(NamedTuple):
    """A measure of the response with trust p, one of the trusts that are solved in turn."""

    trusts: tuple[float, ...]
    p: float
    by_row: bool
    measure: str


def _risk(setting: HandsSetting, bot: Bot, hands: int, asked: AskedRisk, variant: Variant | None = None) -> Interval:
    learned = Learned(bot(), "all", hands, *(variant or Variant(""))[1:])
    every = restricted(setting, learned, asked.trusts, by_row=asked.by_row)
    found: Interval = getattr(every[asked.trusts.index(asked.p)], asked.measure)
    return Interval(_milli(setting.game) * found.value, _milli(setting.game) * found.error)


def _share_of_curve(truth: Sequence[str], found: Mapping[str, Sequence[float]]) -> float | None:
    """Per cent of the true model's gain at the exploitability of a response; the first number of each column is its own.
    None without it, and where the true model gains nothing at so small an exploitability, or was not asked for it."""
    gain, risk = found[_GAIN], found[_RISK]
    if len(gain) <= len(truth):  # this run has the true model alone
        return None
    most = gain_at(risk[0], list(zip(risk[1:], gain[1:], strict=True)))
    return None if most is None or most <= 0.0 else 100.0 * gain[0] / most


def gain_at(risk: float, points: Sequence[tuple[float, float]]) -> float | None:
    """The gain at an exploitability, on the least concave and rising curve above (0, 0) and some points (exploitability,
    gain); beyond the last of them its gain, and below the first None."""
    hull: list[tuple[float, float]] = []
    for point in sorted([(0.0, 0.0), *points]):
        if hull and point[1] <= hull[-1][1]:
            continue
        while len(hull) > 1 and _slope(hull[-2], point) >= _slope(hull[-2], hull[-1]):
            hull.pop()
        hull.append(point)
    risks, gains = np.array(hull).T
    return None if risk < risks[0] else float(np.interp(risk, risks, gains))


def _slope(one: tuple[float, float], two: tuple[float, float]) -> float:
    return (two[1] - one[1]) / max(two[0] - one[0], 1e-12)


@cache
def _milli(game: str) -> float:
    return 1000.0 / float(read_holdem(game).stakes.big_blind or 1.0)
