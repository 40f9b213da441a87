"""Matches of many hands between two agents: mean and intervals over pairs of mirrored hands, AIVAT, and speeds."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from counterplay.about import version
from counterplay.agents.agent import Agent, name_of
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.factory.make_agent import agent
from counterplay.agents.records import AgentRecord
from counterplay.arrays import F64
from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.intervals import anytime_interval, mean_interval
from counterplay.jit.clock import run_time
from counterplay.measure.play_hand import Hand, observer_of, play_hand
from counterplay.opponents.counting.terminal_infosets import SHOWDOWN
from counterplay.opponents.model import OpponentModel
from counterplay.opponents.opponent import played_in
from counterplay.poker.betting.stakes import Stakes, stakes_of
from counterplay.result import ResultRecord
from counterplay.texts.arguments import FUNCTION, SEED, WHOLE, Checked, instance, or_none, takes
from counterplay.texts.record import Record
from counterplay.treeplex.strategy import Strategy

MakeAgent = Callable[[int], Agent | None]
"""Constructs one side's agent for a seat; None where it does not play there."""
Side = MakeAgent | AgentRecord | OpponentModel | Strategy | str
"""One side of a match: its agent's text or record, a strategy, or what constructs its agents."""
Progress = Callable[[int, float], None]
"""Called now and then with the hands played and the mean so far, in chips per hand of A."""
Keep = Callable[[int, int, Hand], None]
"""Called after each hand with its number, the seat of A, and the hand."""
Pair = tuple[Agent, Agent]
"""One side's agents of seats 0 and 1."""
_PAUSE = 0.1  # seconds between two calls of progress
BLOCKS = 10
"""The most blocks of a match whose means are given."""


@dataclass(frozen=True)
class CorrectedMean:
    """The result of a match by AIVAT. known: "A" or "B", the side whose strategy is known, or "A and B". mean,
    interval, anytime: as those of `MatchResult`. variance: as a share of that of the plain results, both over pairs of
    hands; None where it is not known."""

    known: str
    mean: float
    interval: tuple[float, float] | None
    variance: float | None
    anytime: tuple[float, float] | None = None


@dataclass(frozen=True, repr=False)
class MatchResult(ResultRecord):
    """The result of a match. Pairs are of A and B.

    Attributes:
        hands: hands played.
        mean: chips per hand that A won.
        interval: the 95 % interval of `mean`; None for fewer than two pairs of hands.
        decisions, decisions_per_second: of each, the latter in each one's own time; 0 without decisions.
        interrupted: whether Ctrl-C ended the match before its last hand.
        rake: chips per hand that neither won.
        pot, big_blind: those of a spot or game of hold'em, in chips; None in other games.
        aivat: the same result by AIVAT; None where it was not asked for.
        anytime: the interval of a confidence sequence: it holds however often one looks, and whatever one stops for.
        blocks: means of consecutive parts of the match, in chips per hand of A.
        seat: that of A in all hands; None where seats alternate.
    """

    KIND = "match"
    LACKS = {"exploitability": "`evaluate` measures that of a strategy", "strategies": "agents keep their own"}  # noqa: RUF012

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
    def value(self) -> float:
        """Chips per hand of A: `mean`."""
        return self.mean

    @property
    def stakes(self) -> Stakes:
        return Stakes(self.pot, self.big_blind)

    def __repr__(self) -> str:
        spread = "" if self.interval is None else f"95 % from {self.interval[0]:.4g} to {self.interval[1]:.4g}"
        names = " against ".join(self.agents)
        return brief(
            self, self.game, f"{self.hands:,} hands", labelled("chips per hand of A", self.mean), spread, names
        )

    @property
    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        means = {"mean": self.mean} | ({} if self.aivat is None else {"aivat_mean": self.aivat.mean})
        return asdict(self) | self.stakes.facts(means)


@dataclass(frozen=True)
class LuckCorrection:
    """Results of hands without luck and without a bias. known: the side whose strategy is known, 0 for A, 1 for B.
    hands: of each seat of that side, gives its corrected chips of a hand that it played there. both: whether the
    strategy of the other side is known, too."""

    known: int
    hands: tuple[Callable[[Hand, int], float], Callable[[Hand, int], float]]
    both: bool = False

    def chips(self, hand: Hand, seat_of_a: int) -> float:
        """Corrected chips of A."""
        if self.known == 0:
            return self.hands[seat_of_a](hand, seat_of_a)
        return -self.hands[1 - seat_of_a](hand, 1 - seat_of_a) - hand.house


@dataclass(frozen=True)
class AfterHand(metaclass=Checked):
    """Settings of the end of a hand. reveal: what agents that learn see of the other's cards, `all`, what decides
    the result at a `showdown`, or `none`. keep: such as `play_hand.MatchRecorder.keep`."""

    reveal: str = SHOWDOWN
    keep: Keep | None = None


def deal(seed: int, number: int) -> random.Random:
    """The stream that chance draws from in the deal of this number."""
    return random.Random(f"{seed} deal {number}")


@takes(
    hands=WHOLE, seed=SEED, progress=or_none(FUNCTION), aivat=or_none(FUNCTION),
    after=or_none(instance("an AfterHand", AfterHand)),
)  # fmt: skip
def match(
    game: Any,
    a: Side | Any,
    b: Side | Any,
    hands: int,
    seed: int = 0,
    progress: Progress | None = None,
    aivat: Callable[[Pair, Pair], LuckCorrection] | None = None,
    after: AfterHand | None = None,
) -> MatchResult:
    """Play hands of A against B with mirrored deals: hands 2k and 2k + 1 draw chance from the same stream, seats swapped.

    Mean and interval are over such pairs, whose mean chips are independent of each other. Where `hands` is odd, the
    last hand has no mirror: it counts in `hands` and in the speeds, but not in the mean, unless it is the only one.
    If a side has an agent of one seat only, as who has the leaks of one, every hand is played there with a deal of its own.
    Ctrl-C ends the match with the result of the finished pairs.

    Args:
        game: the rules, their text, a compiled game, a spot of hold'em, or a game that plays its hands, such as
            `TranslatedTable`.
        a, b: the sides: texts or records of agents, as `agent` takes them; strategies of one player, who then keeps that
            seat; results with strategies of both players; or functions that construct a side's agent for a seat, or
            return None, which are called once for each seat.
        hands: number of hands.
        seed: of the deals, and of agents that are made of texts and records.
        progress: see `Progress`.
        aivat: makes the correction of A's and B's agents, such as `make_aivat.aivat_of`.
        after: called when a hand is over.

    Raises:
        InputError: no hands, an agent of another seat, an illegal action, rules that fail.
    """
    if hands < 1:
        raise InputError(f"a match needs at least 1 hand, not {hands}")
    ground = game if hasattr(game, "play") or isinstance(game, PlayableGame) else PlayableGame(game)
    tables = _tables(*(_maker(ground, side, number, seed) for number, side in enumerate((a, b))))
    after = AfterHand() if after is None else after
    rules: Any = ground if hasattr(game, "play") else ground.rules
    told = observer_of([agent for _, table in tables for agent in table], after.reveal)
    play: Any = partial(rules.play if hasattr(game, "play") else partial(play_hand, rules), told=told)
    correction = None
    if aivat is not None:
        if len(tables) < 2:
            raise InputError("AIVAT takes a match in both seats")
        (_, (a0, b1)), (_, (b0, a1)) = tables
        correction = aivat((a0, a1), (b0, b1))
    tally, interrupted, begin = _Tally(), False, run_time()

    def played(number: int) -> tuple[int, Hand, float]:
        """A hand, with the seat of A and A's corrected chips, while the agents know what they did."""
        seat_of_a, table = tables[number % len(tables)]
        hand = play(table, deal(seed, number // 2 if len(tables) == 2 else number))
        if after.keep is not None:
            after.keep(number, seat_of_a, hand)
        return seat_of_a, hand, 0.0 if correction is None else correction.chips(hand, seat_of_a)

    try:
        for even in range(0, hands, 2):
            tally.add_pair([played(number) for number in range(even, min(even + 2, hands))])
            if progress and run_time() - tally.shown >= _PAUSE:
                progress(len(tally.won), sum(tally.won) / len(tally.won))
                tally.shown = run_time()
    except KeyboardInterrupt:
        if len(tally.won) < 2:
            raise
        interrupted = True
    seat, first = tables[0]
    names, stakes = (name_of(first[seat]), name_of(first[1 - seat])), stakes_of(rules)
    return tally.result(
        correction, game=rules.name, agents=names, seconds=run_time() - begin, seed=seed, interrupted=interrupted,
        pot=stakes.pot, big_blind=stakes.big_blind, seat=seat if len(tables) == 1 else None,
    )  # fmt: skip


def _maker(ground: Any, side: Any, number: int, seed: int) -> MakeAgent:
    """The constructor of a side's agents."""
    if callable(side) and not (isinstance(side, type) and issubclass(side, Record)):
        return side  # type: ignore[no-any-return]

    def make(seat: int) -> Agent | None:
        source = played_in(side, seat)
        return agent(ground, source, seat, seed, number) if getattr(source, "player", seat) == seat else None

    return make


def _tables(make_a: MakeAgent, make_b: MakeAgent) -> list[tuple[int, Pair]]:
    """The tables at which both sides have an agent: the seat of A, and the agents of seats 0 and 1."""
    sides = []
    for make in (make_a, make_b):
        sides.append((make(0), make(1)))
        for seat, player in enumerate(sides[-1]):
            if player is not None and player.seat != seat:
                raise InputError(f"the agent {name_of(player)} was made for seat {player.seat}, not {seat}")
    (a0, a1), (b0, b1) = sides
    seatings = (0, a0, b1), (1, b0, a1)
    tables = [(seat, (first, second)) for seat, first, second in seatings if first is not None and second is not None]
    if not tables:
        raise InputError("no seat is left in which both agents can play each other")
    return tables


class _Tally:
    """The record of a match so far: A's chips in each hand, corrected ones too, and both sides' decisions and times."""

    def __init__(self) -> None:
        self.won, self.corrected, self.house = list[float](), list[float](), 0.0
        self.decisions, self.seconds, self.slowest = [0, 0], [0.0, 0.0], [0.0, 0.0]
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

    def result(self, correction: LuckCorrection | None, **facts: Any) -> MatchResult:
        """The result of what was played."""
        pairs, aivat = _means_of_pairs(self.won), None
        if correction is not None:
            corrected, plain, known = _means_of_pairs(self.corrected), float(pairs.var()), "AB"[correction.known]
            interval, mean = mean_interval(corrected), float(corrected.mean())
            variance = None if interval is None or not plain else float(corrected.var()) / plain
            known = "A and B" if correction.both else known
            aivat = CorrectedMean(known, mean, interval, variance, anytime_interval(corrected))
        one, two = (n / t if t else 0.0 for n, t in zip(self.decisions, self.seconds, strict=True))
        return MatchResult(
            hands=len(self.won), mean=float(pairs.mean()), interval=mean_interval(pairs), version=version(), aivat=aivat,
            decisions=(self.decisions[0], self.decisions[1]), decisions_per_second=(one, two),
            slowest_ms=(1e3 * self.slowest[0], 1e3 * self.slowest[1]), rake=self.house / len(self.won),
            anytime=anytime_interval(pairs),
            blocks=tuple(float(block.mean()) for block in np.array_split(pairs, min(BLOCKS, len(pairs)))), **facts,
        )  # fmt: skip


def _means_of_pairs(won: list[float]) -> F64:
    return np.array(won[: len(won) // 2 * 2] or won * 2).reshape(-1, 2).mean(axis=1)  # type: ignore[no-any-return]
