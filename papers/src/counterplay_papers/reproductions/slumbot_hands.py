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
  Tendencies are frequencies by street; RNR answers what they change in the prior, and not the prior.
  "% of the true model's" divides the gain by that of responses to the true player at equal exploitability, read off the
  concave curve through their points and the blueprint's; beyond the blueprint's own exploitability at 0 there is none.

The bot is near an equilibrium of the game with these buckets: a restricted response to it in the same buckets gains about
nothing with the true model either, so that there is nothing to have a share of; only the player with a leak has that column.
`--quick` does the same with 20 cards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import log10
from typing import Any, NamedTuple

from counterplay.opponents.counts import EM
from counterplay.opponents.tilting.tilted_model import CATEGORIES, HELD, LINES, ROW_STRENGTH, ROWS, TENDENCIES
from counterplay.poker.whole_game.walks.response_on_flops import ALL, Interval
from counterplay_papers.bot_hands import (
    COVERED,
    GAIN,
    NO_HANDS,
    RISK,
    TRUTH,
    HandsSetting,
    Learned,
    best_in_cards,
    milli_of,
    nats,
    restricted,
    share_in_cards,
    share_of_curve,
)  # fmt: skip
from counterplay_papers.experiment import AIM, MILEC_2024, AnyCell, Cell, Derived, Experiment, Reference
from counterplay_papers.files import BOT, BUCKETS, GAME, TOY_BOT, VALUES
from counterplay_papers.panels import DialPanel, Panel

Bot = Callable[[], str]
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


USUAL = Variant("")
AS_SEEN = Variant("true model as seen in {}, DBR", COVERED)
BY_CATEGORY, BY_LINE = Variant("{}, DBR by category", EM, CATEGORIES), Variant("{}, DBR by line", EM, LINES)
BY_STRENGTH = Variant("{}, DBR by line and strength", EM, HELD)
BY_TENDENCY = Variant("{}, tendencies, RNR", TENDENCIES)
BOLD = (Variant("{}, bold DBR", weight=3.0), Variant("{}, bold DBR by category", EM, CATEGORIES, 3.0))
"""Models near what was observed in a row: of the weights 1, 3, 10, 30 and 100 that which predicts best."""
_FIVE = (0.1, 0.25, 0.5, 0.75, 0.9)
SOME, MANY = Trusts((0.5, 0.9), (0.9,)), Trusts(_FIVE, _FIVE)
ON_TENDENCIES = (0.9, 0.97, 0.99)
"""Trusts of restricted responses to tendencies, which only what differs from the prior moves."""
GOALS = {1000: 50.0, 10_000: 70.0, 100_000: 85.0}
"""Per cent of the gain with the true model that were aimed at."""
_LEAK = "bias:fold=0.3:{}"
_TOY = "holdem:deck=20,stack=10bb,bets=fcpa,buckets=30"
_TOY_VALUES = "blueprint:method=public,iterations=1000,buckets=30"
SHORT = "20 cards: "
FEW = (300, 1000)
"""Numbers of hands that `--quick` has, of 20 cards."""
FULL = HandsSetting(f"{GAME},{BUCKETS}", lambda: str(VALUES.path()), 4000, 8)
DEEP = "200 big blinds: "
FEWER = HandsSetting(f"{GAME},buckets=moments:500/500/100", lambda: "", 4000, 8, training=16_000)
INFORMED = replace(FEWER, prior=lambda: str(VALUES.path()))
"""The same with a better prior: a blueprint of three times the iterations and ten times the buckets."""
CERTAIN = (1.0,)
"""The trust of restricted responses to the true player that ends the curve at 200 big blinds."""
SMALL = HandsSetting(_TOY, lambda: _TOY_VALUES, 500, 40, 300)
EXACT = replace(SMALL, iterations=2000, draws=ALL)


def toy() -> str:
    """Text of the bot of 20 cards."""
    return TOY_BOT


def bot_file() -> str:
    """Text of the bot at 200 big blinds."""
    return str(BOT.path())


def leaky(bot: Bot) -> str:
    """Text of the player with a leak that is made of a bot."""
    return _LEAK.format(bot())


def name_of(hands: int) -> str:
    """A number of hands in the name of a row."""
    return {TRUTH: "true model", NO_HANDS: "no hands"}.get(hands, f"{hands:,} hands")


def is_slow(setting: HandsSetting, hands: int) -> bool:
    """Return whether `--quick` leaves it out."""
    return setting is not SMALL or hands not in (TRUTH, NO_HANDS, *FEW)


_SHARE = "% of the true model's"
_BOLD_FROM = 0.9
_TOO_BOLD = (
    "the whole model is trusted more than so few hands support; trust by row, or less of it, wins more at less risk"
)
"""Trust in a whole model from which on a goal may be missed, and why."""
_BEST, _ACROSS = "% of the best response", "hands (log 10)"


class Bounded(NamedTuple):
    """Subject of rows with a bound: their name, the setting, the bot, the trusts in a model, and those in the true one
    alone, which are solved by themselves."""

    name: str
    setting: HandsSetting
    bot: Bot
    trusts: Trusts = SOME
    certain: tuple[float, ...] = ()

    @property
    def truth(self) -> list[str]:
        """The rows of the true model."""
        ways = [*self.trusts.ways, *Trusts(self.certain, ()).ways]
        return [f"{self.name}, {name_of(TRUTH)}, {way}" for way in ways]


def slumbot_hands() -> Experiment:
    """For each game, the best response in real cards, then restricted ones to the bot and to the player with a leak."""
    cells: list[AnyCell] = []
    panels: list[list[Panel]] = []
    cells += _in_cards(SHORT, SMALL, toy)
    cells += _with_bound(Bounded(f"{SHORT}leak", SMALL, partial(leaky, toy)))
    cells += _with_bound(Bounded(f"{SHORT}bot", SMALL, toy), HANDS[-1:], share=False)
    exact = Bounded(f"{SHORT}all flops, leak", EXACT, partial(leaky, toy), MANY)
    cells += _with_bound(exact)
    cells += _varied(exact, AS_SEEN, HANDS[-2:])
    cells += _in_cards(DEEP, FULL, bot_file)
    deep = Bounded(f"{DEEP}leak", FEWER, partial(leaky, bot_file), certain=CERTAIN)
    cells += _with_bound(deep, by_row_alone=True)
    for variant in (BY_CATEGORY, BY_STRENGTH, *BOLD):
        cells += _varied(deep, variant, HANDS)
    for variant in (BY_LINE, BY_CATEGORY):
        told = variant._replace(words=f"{variant.words} and a better prior")
        cells += _varied(deep._replace(setting=INFORMED), told, HANDS)
    for at in (exact, deep):
        cells += _varied(at, BY_TENDENCY, HANDS)
    panels += [_panels(SHORT), [_bounded(exact.name, way) for way in MANY.ways], _panels(DEEP)]
    title = f"{GAME}: responses to models of a SlumBot-class bot from N hands; mbb/h, inside the betting tree"
    return Experiment("slumbot-hands", title, MILEC_2024, 0, cells, panels, files=(BOT, VALUES))


def _panels(name: str) -> list[Panel]:
    """Shares of the true model's gain over the number of hands."""
    rows = {f"{name}real cards, {name_of(hands)}": log10(hands) for hands in HANDS}
    columns = {_BEST: "best response"}
    found: list[Panel] = [DialPanel(f"{name}real cards", rows, columns, across=_ACROSS, measure=_SHARE)]
    return found + [_bounded(f"{name}leak", way) for way in SOME.ways]


def _bounded(name: str, way: str) -> Panel:
    """Gain over the number of hands."""
    rows = {f"{name}, {name_of(hands)}, {way}": log10(hands) for hands in HANDS}
    return DialPanel(f"{name}, {way}", rows, {GAIN: "gain"}, across=_ACROSS, measure="gain (mbb/h)")


def _in_cards(name: str, setting: HandsSetting, bot: Bot) -> list[Cell]:
    """The best response in real cards, and how well the model predicts."""
    cells = []
    for hands in (TRUTH, NO_HANDS, *HANDS):
        slow, row = is_slow(setting, hands), f"{name}real cards, {name_of(hands)}"
        asked = setting, bot, hands
        won, share, predicted = (partial(_of_model, find, *asked) for find in (_won, share_in_cards, nats))
        cells += _interval(row, "won", slow, won)
        cells += [*_interval(row, _BEST, slow, share), Cell(row, "nats", None, slow, predicted)]
    return cells


def _won(setting: HandsSetting, learned: Learned) -> Interval:
    return _in_milli(setting, best_in_cards(setting, learned))


def _of_model(find: Callable[[HandsSetting, Learned], Any], setting: HandsSetting, bot: Bot, hands: int) -> Any:
    return find(setting, Learned(bot(), "all", hands))


def _interval(row: str, column: str, slow: bool, find: Callable[[], Interval]) -> list[Cell]:
    return [
        Cell(row, column, None, slow, lambda: find().value), Cell(row, f"{column} ±", None, slow, lambda: find().error)
    ]  # fmt: skip


def _in_milli(setting: HandsSetting, found: Interval) -> Interval:
    milli = milli_of(setting.game)
    return Interval(milli * found.value, milli * found.error)


def _with_bound(
    at: Bounded, every: Sequence[int] = HANDS, *, share: bool = True, by_row_alone: bool = False
) -> list[AnyCell]:
    """Responses to the model, with trust in the whole or by row.

    Args:
        at: game, bot and trusts.
        every: numbers of hands beside the true model and the prior.
        share: whether there are shares of the true model's gain.
        by_row_alone: responses to models from hands trust rows alone, and those to the prior none.
    """
    cells: list[AnyCell] = []
    for hands in (TRUTH, NO_HANDS, *every):
        for way, (p, by_row) in at.trusts.ways.items():
            if by_row_alone and hands != TRUTH and by_row != (hands != NO_HANDS):
                continue
            row = f"{at.name}, {name_of(hands)}, {way}"
            cells += _measured(at, row, hands, (at.trusts.of(by_row), p, by_row))
            if share and hands != TRUTH:
                reason = "" if by_row or p < _BOLD_FROM else _TOO_BOLD
                cells.append(_share_of_truth(at, row, GOALS.get(hands), reason))
        if hands == TRUTH:
            for way, (p, _) in Trusts(at.certain, ()).ways.items():
                cells += _measured(at, f"{at.name}, {name_of(hands)}, {way}", hands, (at.certain, p, False))
    return cells


def _varied(at: Bounded, variant: Variant, every: Sequence[int]) -> list[AnyCell]:
    """Responses to another model of the hands, or with another trust: data-biased ones, or to tendencies restricted ones."""
    cells: list[AnyCell] = []
    by_row = variant.by != TENDENCIES
    trusts = at.trusts.by_row if by_row else ON_TENDENCIES
    for hands in every:
        for p in trusts:
            row = f"{at.name}, {variant.words.format(name_of(hands))}, p = {p:g}"
            cells += _measured(at, row, hands, (trusts, p, by_row), variant)
            cells.append(_share_of_truth(at, row, GOALS.get(hands) if variant.by in (EM, TENDENCIES) else None))
    return cells


Trust = tuple[tuple[float, ...], float, bool]
"""The trusts that are solved in turn, the one that is measured, and whether they are by row."""


def _measured(at: Bounded, row: str, hands: int, trust: Trust, variant: Variant = USUAL) -> list[Cell]:
    """Gain and exploitability of a response."""
    slow = variant is not USUAL or is_slow(at.setting, hands)
    return [
        cell
        for measure in (GAIN, RISK)
        for cell in _interval(row, measure, slow, partial(_risk, at.setting, at.bot, hands, trust, variant, measure))
    ]


def _risk(setting: HandsSetting, bot: Bot, hands: int, trust: Trust, variant: Variant, measure: str) -> Interval:
    trusts, p, by_row = trust
    every = restricted(setting, Learned(bot(), "all", hands, *variant[1:]), trusts, by_row=by_row)
    return _in_milli(setting, getattr(every[trusts.index(p)], measure))


def _share_of_truth(at: Bounded, row: str, goal: float | None, reason: str = "") -> Derived:
    read, aim = partial(share_of_curve, at.truth), None if goal is None else Reference(goal, AIM)
    return Derived(row, _SHARE, [row, *at.truth], (GAIN, RISK), read, aim, reason)
