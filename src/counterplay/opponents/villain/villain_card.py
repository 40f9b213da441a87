"""The villain card of a player: every statistic as k of n with its interval, beside the figure of a known strategy.

Rows are ranked by `worth`: opportunities per 100 hands × the difference to the known figure × the mean pot at these
decisions, in big blinds. That is how much of the pots is decided otherwise, in bb/100: a guide to where the player differs
most, not a gain that is promised (`respond` says that). `sure` is the same with the end of the interval that is nearer to
the known figure: 0 where the hands do not tell the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.villain.observed_share import ENOUGH, ObservedShare
from counterplay.opponents.villain.seen_decisions import has_unknown_result, seen_decisions
from counterplay.opponents.villain.statistics import LATER, STATISTICS


@dataclass(frozen=True)
class CardRow:
    """A statistic of a player.

    Attributes:
        name: of the statistic.
        counted: k of n.
        known: the figure of the known strategy; None without one.
        figure: the figure to use, and `basis` where it is from (see `ObservedShare.estimate`).
        pot: mean pot at these decisions, in big blinds.
        worth, sure: in bb/100; None without a known strategy.
    """

    name: str
    counted: ObservedShare
    known: float | None
    figure: float | None
    basis: str
    pot: float
    worth: float | None
    sure: float | None

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        low, high = self.counted.interval
        return {
            "statistic": self.name, "k": self.counted.k, "n": self.counted.n, "share": self.counted.share, "low": low,
            "high": high, "known": self.known, "figure": self.figure, "basis": self.basis, "pot_bb": self.pot,
            "worth_bb100": self.worth, "sure_bb100": self.sure,
        }  # fmt: skip


@dataclass(frozen=True)
class VillainCard:
    """The statistics of a player.

    Attributes:
        player: name.
        hands: number of hands.
        rows: statistics, the most certain difference first; without a known strategy in the usual order.
        unknown: showdowns that W$SD leaves out, since the file does not say who collected.
    """

    player: str
    hands: int
    rows: tuple[CardRow, ...]
    unknown: int = 0

    @property
    def _after_flop(self) -> list[ObservedShare]:
        """Frequencies after the flop that were seen: those of `ENOUGH` observations if there are any."""
        after = [row.counted for row in self.rows if row.name.endswith(LATER) and row.counted.n]
        return [one for one in after if one.n >= ENOUGH] or after

    @property
    def spread(self) -> float | None:
        """The median half width of the intervals of frequencies after the flop; None if none was seen."""
        halves = sorted((high - low) / 2.0 for low, high in (one.interval for one in self._after_flop))
        return halves[len(halves) // 2] if halves else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how much the hands say."""
        found, after, spread = list[str](), self._after_flop, self.spread
        if spread is not None:
            width = "±1 point" if spread < 0.015 else f"±{100 * spread:.0f} points"
            most = max(one.n for one in after)
            if most >= ENOUGH:
                part = f"Of the frequencies after the flop with {ENOUGH} observations"
                found.append(f"{part} half are known to {width} or better.")
            else:
                part = f"No frequency after the flop has {ENOUGH} observations; the most is {most}"
                found.append(f"{part}, and half are wider than {width}.")
        if self.unknown:
            showdowns = "1 showdown" if self.unknown == 1 else f"{self.unknown:,} showdowns"
            found.append(f"W$SD leaves out {showdowns}, where the hand history does not say who collected.")
        return tuple(found)

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {
            "player": self.player, "hands": self.hands, "spread_after_flop": self.spread,
            "notes": list(self.notes), "unknown_showdowns": self.unknown, "rows": [row.facts() for row in self.rows],
        }  # fmt: skip


def villain_card(hands: Iterable[HoldemHand], player: str, known: Mapping[str, float] | None = None) -> VillainCard:
    """The card of a player.

    Args:
        hands: those of the player; others are passed over.
        player: name.
        known: figures of a strategy, as `strategy_figures.StrategyFigures` gives them.
    """
    own = [hand for hand in hands if player in hand.players]
    tally = _Tally()
    for hand in own:
        tally.add(hand, hand.players.index(player))
    rows = [_row(name, tally, len(own), known) for name in STATISTICS]
    if known is not None:
        rows.sort(key=lambda row: (-(row.sure or 0.0), -(row.worth or 0.0)))
    return VillainCard(player, len(own), tuple(rows), sum(map(has_unknown_result, own)))


def _row(name: str, tally: _Tally, hands: int, known: Mapping[str, float] | None) -> CardRow:
    counted, pot = tally.frequency(name), tally.mean_pot(name)
    base = None if known is None else known.get(name)
    figure, basis = counted.estimate(base)
    worth = sure = None
    if base is not None and counted.n:
        chances = 100.0 * counted.n / hands * pot
        worth = chances * abs(counted.k / counted.n - base)
        sure = chances * abs(counted.nearest(base) - base)
    return CardRow(name, counted, base, figure, basis, pot, worth, sure)


class _Tally:
    """Sums over hands, by statistic: in favour, counted, and pots in big blinds."""

    def __init__(self) -> None:
        self._sums = {name: [0, 0, 0.0] for name in STATISTICS}

    def add(self, hand: HoldemHand, seat: int) -> None:
        """Count a hand of the player in a seat."""
        for one in seen_decisions(hand, seat):
            for name, hit in one.counted:
                self._count(name, hit, one.pot)

    def _count(self, name: str, hit: bool, pot: float) -> None:
        sums = self._sums[name]
        sums[0] += hit
        sums[1] += 1
        sums[2] += pot

    def frequency(self, name: str) -> ObservedShare:
        """k of n."""
        k, n, _ = self._sums[name]
        return ObservedShare(int(k), int(n))

    def mean_pot(self, name: str) -> float:
        """In big blinds; 0 without observations."""
        _, n, pots = self._sums[name]
        return pots / n if n else 0.0
