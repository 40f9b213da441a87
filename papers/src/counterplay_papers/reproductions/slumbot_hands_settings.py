"""What `slumbot-hands` plays and asks: games, bots, trusts, and ways from hands to a response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from counterplay.opponents.counts import EM
from counterplay.opponents.tilting.row_counts import ROW_STRENGTH
from counterplay.opponents.tilting.tilted_model import CATEGORIES, HELD, LINES, ROWS, TENDENCIES
from counterplay.poker.whole_game.walks.flop_draw import ALL
from counterplay_papers.cells.hands_of_bot import COVERED, NO_HANDS, TRUTH, HandsSetting
from counterplay_papers.slumbot_files import BOT, BUCKETS, GAME, TOY_BOT, VALUES

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
    """How rows name a number of hands."""
    return {TRUTH: "true model", NO_HANDS: "no hands"}.get(hands, f"{hands:,} hands")


def is_slow(setting: HandsSetting, hands: int) -> bool:
    """Whether `--quick` leaves it out."""
    return setting is not SMALL or hands not in (TRUTH, NO_HANDS, *FEW)
