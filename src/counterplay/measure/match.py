"""Matches of many hands between two agents: mean, confidence interval, and speed of both."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, Protocol

from counterplay.agents.agent import Agent, name_of
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.measure.match_result import MatchResult, MatchTally, corrected_mean, result_of
from counterplay.measure.play_hand import Hand, play_hand
from counterplay.measure.told_hands import told_by
from counterplay.opponents.counting.terminal_infosets import SHOWDOWN
from counterplay.poker.betting.stakes import stakes_of
from counterplay.problem.solvable_game import rules_of
from counterplay.texts.arguments import FUNCTION, SEED, WHOLE, instance, or_none, takes

MakeAgent = Callable[[int], Agent | None]
"""Constructs one side's agent for a seat; None where it does not play there."""
Progress = Callable[[int, float], None]
"""Called now and then with the hands played and the mean so far, in chips per hand of A."""
Keep = Callable[[int, int, Hand], None]
"""Called after each hand with its number, the seat of A, and the hand."""
Pair = tuple[Agent, Agent]
"""One side's agents of seats 0 and 1."""
Table = tuple[int, Pair]
"""The seat of A, and who sits in seats 0 and 1."""
PlayHand = Callable[[Any, random.Random], Hand]
"""Plays a hand of the agents of seats 0 and 1."""
_PAUSE = 0.1  # seconds between two calls of progress


class PlayedGame(Protocol):
    """A game whose hands are not played by its rules alone, such as `translated_table.TranslatedTable`.

    Attributes:
        name: of the game.
    """

    name: str

    def play(self, agents: Any, chance: random.Random) -> Hand:
        """One hand, as `play_hand`."""


class LuckCorrection(Protocol):
    """Takes luck out of the results of hands without a bias.

    Attributes:
        known: the side whose strategy it knows: 0 for A, 1 for B.
        both: whether it knows that of the other, too.
    """

    @property
    def known(self) -> int: ...

    @property
    def both(self) -> bool: ...

    def chips(self, hand: Hand, seat_of_a: int) -> float:
        """Corrected chips of A."""


@dataclass(frozen=True)
class AfterHand:
    """What happens when a hand is over.

    Attributes:
        reveal: what agents that learn see of the other's cards: `all`, what decides the result at a `showdown`, or `none`.
        keep: keeps the hand, as `match_recorder.MatchRecorder.keep`.
    """

    reveal: str = SHOWDOWN
    keep: Keep | None = None


def deal(seed: int, number: int) -> random.Random:
    """The stream that chance draws from in the deal of this number."""
    return random.Random(f"{seed} deal {number}")


@takes(
    make_a=FUNCTION, make_b=FUNCTION, hands=WHOLE, seed=SEED, progress=or_none(FUNCTION), aivat=or_none(FUNCTION),
    after=or_none(instance("an AfterHand", AfterHand)),
)  # fmt: skip
def match(
    game: Any,
    make_a: MakeAgent,
    make_b: MakeAgent,
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
        game: the rules, a compiled game, or a spot of hold'em; or a `PlayedGame`.
        make_a: constructs A's agent for a seat, or returns None; called once for each seat.
        make_b: likewise for B.
        hands: number of hands.
        seed: seed of the deals; agents have their own seeds.
        progress: see `Progress`.
        aivat: makes the correction of A's and B's agents, such as `aivat.make_aivat.aivat_of`.
        after: what happens when a hand is over.

    Raises:
        InputError: no hands, an agent of another seat, an illegal action, rules that fail.
    """
    if hands < 1:
        raise InputError(f"a match needs at least 1 hand, not {hands}")
    tables = _tables(make_a, make_b)
    after = AfterHand() if after is None else after
    rules: Any = game if hasattr(game, "play") else rules_of(game)
    told = told_by([agent for _, table in tables for agent in table], after.reveal)
    play = partial(rules.play if hasattr(game, "play") else partial(play_hand, rules), told=told)
    correction = None if aivat is None else aivat(*_sides(tables))
    tally, interrupted, begin = MatchTally(), False, run_time()
    try:
        for played in _pairs(_kept(play, after.keep, tables), tables, hands, seed, correction):
            tally.add_pair(played)
            if progress and run_time() - tally.shown >= _PAUSE:
                progress(len(tally.won), sum(tally.won) / len(tally.won))
                tally.shown = run_time()
    except KeyboardInterrupt:
        if len(tally.won) < 2:
            raise
        interrupted = True
    seat, first = tables[0]
    names = (name_of(first[seat]), name_of(first[1 - seat]))
    found = result_of(rules.name, names, tally, seed, run_time() - begin, interrupted)
    stakes = stakes_of(rules)
    if correction is not None:
        found = replace(found, aivat=corrected_mean(tally, correction.known, both=correction.both))
    only = seat if len(tables) == 1 else None
    return replace(found, rake=tally.house / len(tally.won), pot=stakes.pot, big_blind=stakes.big_blind, seat=only)


def _kept(play: PlayHand, keep: Keep | None, tables: Sequence[Table]) -> PlayHand:
    """Plays hands and hands them on; the tables take turns."""
    if keep is None:
        return play
    numbers = count()

    def played(table: Any, chance: random.Random) -> Hand:
        hand, number = play(table, chance), next(numbers)
        keep(number, tables[number % len(tables)][0], hand)
        return hand

    return played


def _tables(make_a: MakeAgent, make_b: MakeAgent) -> list[Table]:
    """The tables at which both sides have an agent: A in seat 0, A in seat 1."""
    (a0, a1), (b0, b1) = _seated(make_a), _seated(make_b)
    seatings = (0, a0, b1), (1, b0, a1)
    tables = [(seat, (first, second)) for seat, first, second in seatings if first is not None and second is not None]
    if not tables:
        raise InputError("no seat is left in which both agents can play each other")
    return tables


def _sides(tables: Sequence[Table]) -> tuple[Pair, Pair]:
    """The agents of A and of B, of seats 0 and 1."""
    if len(tables) < 2:
        raise InputError("AIVAT takes a match in both seats")
    (_, (a0, b1)), (_, (b0, a1)) = tables
    return (a0, a1), (b0, b1)


def _seated(make: MakeAgent) -> tuple[Agent | None, Agent | None]:
    """One side's agents of seats 0 and 1."""
    made = (make(0), make(1))
    for seat, agent in enumerate(made):
        if agent is not None and agent.seat != seat:
            raise InputError(f"the agent {name_of(agent)} was made for seat {agent.seat}, not {seat}")
    return made


def _pairs(
    play: PlayHand, tables: Sequence[Table], hands: int, seed: int, correction: LuckCorrection | None
) -> Iterator[list[tuple[int, Hand, float]]]:
    """Pairs of hands, or the last one alone, each with the seat of A and A's corrected chips. These are asked for before the
    next hand begins, while the agents know what they did."""
    for number in range((hands + 1) // 2):
        played = []
        for k in range(min(2, hands - 2 * number)):
            seat_of_a, table = tables[k % len(tables)]
            hand = play(table, deal(seed, number if len(tables) == 2 else 2 * number + k))
            played.append((seat_of_a, hand, 0.0 if correction is None else correction.chips(hand, seat_of_a)))
        yield played
