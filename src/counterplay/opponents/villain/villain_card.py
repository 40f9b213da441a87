"""The villain card of a player: every statistic as k of n with its interval, beside the figure of a known strategy; and the
report on a player, with coverage and mapped bet sizes.

Rows are ranked by `worth`: opportunities per 100 hands × the difference to the known figure × the mean pot at these
decisions, in big blinds. That is how much of the pots is decided otherwise, in bb/100: a guide to where the player differs
most, not a gain that is promised (`respond` says that). `sure` is the same with the end of the interval that is nearer to
the known figure: 0 where the hands do not tell the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.villain.coverage import VillainCoverage, villain_coverage
from counterplay.opponents.villain.mapped_sizes import MappedSize, map_sizes
from counterplay.opponents.villain.observed_share import ENOUGH, ObservedShare
from counterplay.opponents.villain.seen_decisions import LATER, STATISTICS, has_unknown_result, seen_decisions
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.spots.solution import SolvedSpot


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
            found.append(f"W$SD leaves out {self.unknown:,} of the showdowns: the files do not say who collected.")
        return tuple(found)

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {
            "player": self.player, "hands": self.hands, "spread_after_flop": self.spread,
            "notes": list(self.notes), "unknown_showdowns": self.unknown, "rows": [row.facts() for row in self.rows],
        }  # fmt: skip


def villain_card(hands: Iterable[HoldemHand], player: str, known: Mapping[str, float] | None = None) -> VillainCard:
    """The card of a player; hands of others are passed over. known: figures of a strategy, as of `StrategyFigures`."""
    own = [hand for hand in hands if player in hand.players]
    sums: dict[str, tuple[int, int, float]] = dict.fromkeys(STATISTICS, (0, 0, 0.0))
    for hand in own:
        for one in seen_decisions(hand, hand.players.index(player)):
            for name, hit in one.counted:
                k, n, pots = sums[name]
                sums[name] = k + hit, n + 1, pots + one.pot
    rows = [
        _row(name, ObservedShare(k, n), pots / n if n else 0.0, len(own), known) for name, (k, n, pots) in sums.items()
    ]
    if known is not None:
        rows.sort(key=lambda row: (-(row.sure or 0.0), -(row.worth or 0.0)))
    return VillainCard(player, len(own), tuple(rows), sum(map(has_unknown_result, own)))


def _row(name: str, counted: ObservedShare, pot: float, hands: int, known: Mapping[str, float] | None) -> CardRow:
    base = None if known is None else known.get(name)
    figure, basis = counted.estimate(base)
    worth = sure = None
    if base is not None and counted.n:
        chances = 100.0 * counted.n / hands * pot
        worth = chances * abs(counted.k / counted.n - base)
        sure = chances * abs(counted.nearest(base) - base)
    return CardRow(name, counted, base, figure, basis, pot, worth, sure)


@dataclass(frozen=True)
class VillainReport:
    """What hands say. card: statistics. coverage: of the places of decisions. sizes: empty without a betting tree."""

    card: VillainCard
    coverage: VillainCoverage
    sizes: tuple[MappedSize, ...]

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {**self.card.facts(), "coverage": self.coverage.facts(), "sizes": [one.facts() for one in self.sizes]}


def report_villain(
    hands: Sequence[HoldemHand],
    player: str,
    known: Mapping[str, float] | None = None,
    solved: SolvedSpot | None = None,
    seat: int | None = None,
    tree: BettingTree | None = None,
) -> VillainReport:
    """The report on a player."""
    tree = tree if solved is None else solved.tree.betting
    return VillainReport(
        villain_card(hands, player, known),
        villain_coverage(hands, player, solved, seat),
        tuple(map_sizes(tree, hands, player, seat)) if tree is not None else (),
    )
