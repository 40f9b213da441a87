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
from functools import cache, partial
from math import log10
from typing import NamedTuple

from counterplay.opponents.counts import EM
from counterplay.opponents.tilting.tilted_model import TENDENCIES
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.walks.flop_draw import Interval
from counterplay_papers.cells.hands_of_bot import (
    NO_HANDS,
    TRUTH,
    HandsSetting,
    Learned,
    best_in_cards,
    nats,
    restricted,
    share_in_cards,
)
from counterplay_papers.cells.true_model_share import GAIN, RISK, share_of_curve
from counterplay_papers.experiment import AIM, Cell, Derived, Experiment, Reference
from counterplay_papers.panels import DialPanel, Panel
from counterplay_papers.paper_sources import CDRNR
from counterplay_papers.reproductions.slumbot_hands_settings import (
    AS_SEEN,
    BOLD,
    BY_CATEGORY,
    BY_LINE,
    BY_STRENGTH,
    BY_TENDENCY,
    CERTAIN,
    DEEP,
    EXACT,
    FEWER,
    FULL,
    GOALS,
    HANDS,
    INFORMED,
    MANY,
    ON_TENDENCIES,
    SHORT,
    SMALL,
    SOME,
    Bot,
    Trusts,
    Variant,
    bot_file,
    is_slow,
    leaky,
    name_of,
    toy,
)
from counterplay_papers.slumbot_files import BOT, GAME, VALUES

_SHARE = "% of the true model's"
_BEST, _ACROSS = "% of the best response", "hands (log 10)"


class Bounded(NamedTuple):
    """What rows with a bound are about: their name, the setting, the bot, the trusts in a model, and those in the true one
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


def experiment() -> Experiment:
    """For each game, the best response in real cards, then restricted ones to the bot and to the player with a leak."""
    cells: list[Cell | Derived] = []
    panels: list[list[Panel]] = []
    cells += _in_cards(SHORT, SMALL, toy)
    cells += _with_bound(Bounded(f"{SHORT}leak", SMALL, partial(leaky, toy)))
    cells += _with_bound(Bounded(f"{SHORT}bot", SMALL, toy), HANDS[-1:], share=False)
    exact = Bounded(f"{SHORT}all flops, leak", EXACT, partial(leaky, toy), MANY)
    cells += _with_bound(exact)
    cells += _varied(exact, AS_SEEN, HANDS[-2:])
    cells += _in_cards(DEEP, FULL, bot_file)
    deep = Bounded(f"{DEEP}leak", FEWER, partial(leaky, bot_file), certain=CERTAIN)
    cells += _with_bound(deep, ways=_learned_by_row)
    for variant in (BY_CATEGORY, BY_STRENGTH, *BOLD):
        cells += _varied(deep, variant, HANDS)
    for variant in (BY_LINE, BY_CATEGORY):
        told = variant._replace(words=f"{variant.words} and a better prior")
        cells += _varied(deep._replace(setting=INFORMED), told, HANDS)
    for at in (exact, deep):
        cells += _varied(at, BY_TENDENCY, HANDS)
    panels += [_panels(SHORT), [_bounded(exact.name, way) for way in MANY.ways], _panels(DEEP)]
    title = f"{GAME}: responses to models of a SlumBot-class bot from N hands; mbb/h, inside the betting tree"
    return Experiment("slumbot-hands", title, CDRNR, 0, cells, panels, files=(BOT, VALUES))


def _panels(name: str) -> list[Panel]:
    """Shares of the true model's gain over the number of hands."""
    rows = {f"{name}real cards, {name_of(hands)}": log10(hands) for hands in HANDS}
    found: list[Panel] = [DialPanel(f"{name}real cards", _ACROSS, _SHARE, rows, {_BEST: "best response"})]
    return found + [_bounded(f"{name}leak", way) for way in SOME.ways]


def _bounded(name: str, way: str) -> Panel:
    """Gain over the number of hands."""
    rows = {f"{name}, {name_of(hands)}, {way}": log10(hands) for hands in HANDS}
    return DialPanel(f"{name}, {way}", _ACROSS, "gain (mbb/h)", rows, {GAIN: "gain"})


def _every_way(hands: int, by_row: bool) -> bool:  # noqa: ARG001 - as `_learned_by_row`
    return True


def _learned_by_row(hands: int, by_row: bool) -> bool:
    """Whether a model has responses of a kind: the true one both, one from hands those that know what it has seen."""
    return hands == TRUTH or by_row == (hands != NO_HANDS)


def _in_cards(name: str, setting: HandsSetting, bot: Bot) -> list[Cell]:
    cells = []
    for hands in (TRUTH, NO_HANDS, *HANDS):
        slow = is_slow(setting, hands)
        row = f"{name}real cards, {name_of(hands)}"
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
    at: Bounded, every: Sequence[int] = HANDS, *, share: bool = True, ways: Callable[[int, bool], bool] = _every_way
) -> list[Cell | Derived]:
    cells: list[Cell | Derived] = []
    for hands in (TRUTH, NO_HANDS, *every):
        for way, (p, by_row) in at.trusts.ways.items():
            if not ways(hands, by_row):
                continue
            row = f"{at.name}, {name_of(hands)}, {way}"
            cells += _measured(at, row, hands, AskedRisk(at.trusts.of(by_row), p, by_row))
            if share and hands != TRUTH:
                cells.append(_share_of_truth(at, row, GOALS.get(hands)))
        if hands == TRUTH:
            for way, (p, _) in Trusts(at.certain, ()).ways.items():
                cells += _measured(at, f"{at.name}, {name_of(hands)}, {way}", hands, AskedRisk(at.certain, p, False))
    return cells


def _varied(at: Bounded, variant: Variant, every: Sequence[int]) -> list[Cell | Derived]:
    """Responses to another model of the hands, or with another trust: data-biased ones, or to tendencies restricted ones."""
    cells: list[Cell | Derived] = []
    by_row = variant.by != TENDENCIES
    trusts = at.trusts.by_row if by_row else ON_TENDENCIES
    for hands in every:
        for p in trusts:
            row = f"{at.name}, {variant.words.format(name_of(hands))}, p = {p:g}"
            cells += _measured(at, row, hands, AskedRisk(trusts, p, by_row), variant)
            cells.append(_share_of_truth(at, row, GOALS.get(hands) if variant.by in (EM, TENDENCIES) else None))
    return cells


def _measured(at: Bounded, row: str, hands: int, asked: AskedRisk, variant: Variant | None = None) -> list[Cell]:
    """Gain and exploitability of a response."""
    slow = variant is not None or is_slow(at.setting, hands)
    return [
        cell
        for measure in (GAIN, RISK)
        for cell in _interval(
            row, measure, slow, partial(_risk, at.setting, at.bot, hands, asked._replace(measure=measure), variant)
        )
    ]


def _share_of_truth(at: Bounded, row: str, goal: float | None) -> Derived:
    read = partial(share_of_curve, at.truth)
    return Derived(row, _SHARE, [row, *at.truth], (GAIN, RISK), read, None if goal is None else Reference(goal, AIM))


class AskedRisk(NamedTuple):
    """A measure of the response with trust p, one of the trusts that are solved in turn."""

    trusts: tuple[float, ...]
    p: float
    by_row: bool
    measure: str = GAIN


def _risk(setting: HandsSetting, bot: Bot, hands: int, asked: AskedRisk, variant: Variant | None = None) -> Interval:
    learned = Learned(bot(), "all", hands, *(variant or Variant(""))[1:])
    every = restricted(setting, learned, asked.trusts, by_row=asked.by_row)
    found: Interval = getattr(every[asked.trusts.index(asked.p)], asked.measure)
    return Interval(_milli(setting.game) * found.value, _milli(setting.game) * found.error)


@cache
def _milli(game: str) -> float:
    return 1000.0 / float(read_holdem(game).stakes.big_blind or 1.0)
