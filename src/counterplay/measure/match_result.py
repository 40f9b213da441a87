"""The result of a match: mean and intervals over pairs of mirrored hands, AIVAT, and speeds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterplay.about import version
from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.intervals import anytime_interval, mean_interval
from counterplay.jit.clock import run_time
from counterplay.measure.play_hand import Hand
from counterplay.poker.betting.stakes import Stakes

BLOCKS = 10
"""The most blocks of a match whose means are given."""


@dataclass(frozen=True)
class CorrectedMean:
    """The result of a match by AIVAT.

    Attributes:
        known: "A" or "B", the side whose strategy is known, or "A and B".
        mean: chips per hand that A won.
        interval: the 95 % interval of `mean`; None for fewer than two pairs of hands.
        variance: as a share of that of the plain results, both over pairs of hands; None where it is not known.
        anytime: as that of `MatchResult`.
    """

    known: str
    mean: float
    interval: tuple[float, float] | None
    variance: float | None
    anytime: tuple[float, float] | None = None


@dataclass(frozen=True)
class MatchResult:
    """The result of a match. Pairs are of A and B.

    Attributes:
        game: name of the game.
        agents: names of the agents.
        hands: hands played.
        mean: chips per hand that A won.
        interval: the 95 % interval of `mean`; None for fewer than two pairs of hands.
        decisions: number of decisions of each.
        decisions_per_second: in each one's own time; 0 without decisions.
        slowest_ms: the slowest decision of each, in milliseconds.
        seconds: time of all hands.
        seed: seed of the deals.
        interrupted: whether Ctrl-C ended the match before its last hand.
        version: version of the library.
        rake: chips per hand that neither won.
        pot, big_blind: those of a spot or game of hold'em, in chips; None in other games.
        aivat: the same result by AIVAT; None where it was not asked for.
        anytime: the interval of a confidence sequence: it holds however often one looks, and whatever one stops for.
        blocks: means of consecutive parts of the match, in chips per hand of A.
        seat: that of A in all hands; None where seats alternate.
    """

    game: str
    agents: tuple[str, str]
    hands: int
    mean: float
    interval: tuple[float, float] | None
    decisions: tuple[int, int]
    decisions_per_second: tuple[float, float]
    slowest_ms: tuple[float, float]
    seconds: float
    seed: int
    interrupted: bool
    version: str
    rake: float = 0.0
    pot: float | None = None
    big_blind: float | None = None
    aivat: CorrectedMean | None = None
    anytime: tuple[float, float] | None = None
    blocks: tuple[float, ...] = ()
    seat: int | None = None

    @property
    def stakes(self) -> Stakes:
        """The stakes of the game."""
        return Stakes(self.pot, self.big_blind)

    def __repr__(self) -> str:
        spread = "" if self.interval is None else f"95 % from {self.interval[0]:.4g} to {self.interval[1]:.4g}"
        names = " against ".join(self.agents)
        return brief(
            self, self.game, f"{self.hands:,} hands", labelled("chips per hand of A", self.mean), spread, names
        )

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        means = {"mean": self.mean} | ({} if self.aivat is None else {"aivat_mean": self.aivat.mean})
        return asdict(self) | self.stakes.facts(means)


class MatchTally:
    """The record of a match so far: A's chips in each hand, corrected ones too, and both sides' decisions and times."""

    def __init__(self) -> None:
        self.won: list[float] = []
        self.corrected: list[float] = []
        self.house = 0.0
        self.decisions = [0, 0]
        self.seconds = [0.0, 0.0]
        self.slowest = [0.0, 0.0]
        self.shown = run_time()

    def add_pair(self, played: list[tuple[int, Hand, float]]) -> None:
        """Both hands of a pair enter together, each with the seat of A and A's corrected chips."""
        for seat_of_a, hand, corrected in played:
            self.won.append(hand.won(seat_of_a))
            self.house += hand.house
            self.corrected.append(corrected)
            for side in (0, 1):
                seat = side ^ seat_of_a
                self.decisions[side] += hand.decisions[seat]
                self.seconds[side] += hand.seconds[seat]
                self.slowest[side] = max(self.slowest[side], hand.slowest[seat])


def result_of(
    name: str, agents: tuple[str, str], tally: MatchTally, seed: int, seconds: float, interrupted: bool
) -> MatchResult:
    """The result of what was played, without AIVAT and stakes."""
    pairs = _means_of_pairs(tally.won)
    speeds = [n / t if t else 0.0 for n, t in zip(tally.decisions, tally.seconds, strict=True)]
    return MatchResult(
        game=name,
        agents=agents,
        hands=len(tally.won),
        mean=float(pairs.mean()),
        interval=mean_interval(pairs),
        decisions=(tally.decisions[0], tally.decisions[1]),
        decisions_per_second=(speeds[0], speeds[1]),
        slowest_ms=(1e3 * tally.slowest[0], 1e3 * tally.slowest[1]),
        seconds=seconds,
        seed=seed,
        interrupted=interrupted,
        version=version(),
        anytime=anytime_interval(pairs),
        blocks=tuple(float(block.mean()) for block in np.array_split(pairs, min(BLOCKS, len(pairs)))),
    )


def corrected_mean(tally: MatchTally, known: int, *, both: bool = False) -> CorrectedMean:
    """The result by AIVAT, which knows the strategy of side `known`, or of both."""
    pairs, plain = _means_of_pairs(tally.corrected), float(_means_of_pairs(tally.won).var())
    interval = mean_interval(pairs)
    share = None if interval is None or not plain else float(pairs.var()) / plain
    return CorrectedMean(
        "A and B" if both else "AB"[known], float(pairs.mean()), interval, share, anytime_interval(pairs)
    )


def _means_of_pairs(won: list[float]) -> F64:
    means: F64 = np.array(won[: len(won) // 2 * 2] or won * 2).reshape(-1, 2).mean(axis=1)
    return means
