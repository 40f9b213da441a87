"""Hands against Slumbot through its public interface, or against a server with the same interface.

Blinds are 50 and 100, and both stacks are 20,000 chips at the start of each hand. The server deals and alternates seats.
After each hand it reports what the agent won, and what Slumbot itself won with the same cards in the same seat (`baseline`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents.player import Player
from counterplay.agents.whole_game.translated_hand import TranslatedHand
from counterplay.errors import InputError, quoted
from counterplay.intervals import half_interval
from counterplay.measure.observed_results import SEATS
from counterplay.opponents.histories.hand_record import Cards, HoldemHand
from counterplay.opponents.histories.replay import is_among, settlements
from counterplay.poker.betting.line_notation import SLUMBOT, replay_line, write_action
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, cards_of
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.slumbot_api import SlumbotApi
from counterplay.protocols.slumbot_log import STACK, Chips, SlumbotLog, chips_of
from counterplay.protocols.told_hand import ToldHand, check_told, replay_told

BLINDS = (100.0, 50.0)
_MILLI = 1000.0 / BLINDS[0]
MakePlayer = Callable[[int], Player]
"""Makes the agent of a seat; called once for each."""
Watch = Callable[[int, float], None]
"""Called after each hand with the number of hands and the chips won."""


@dataclass(frozen=True)
class SlumbotResult:
    """The result of a match.

    Attributes:
        hands: hands played, those in the log included.
        mbb: milli-big-blinds per hand won by the agent.
        error: half of the 95 % interval of `mbb`; None with fewer than two hands.
        baseline: mean result of Slumbot with the agent's cards, in the same unit.
        interrupted: whether Ctrl-C ended the match.
        failure: the sentence of the error that ended the match after its first hand; None if there was none.
    """

    hands: int
    mbb: float
    error: float | None
    baseline: float
    interrupted: bool
    failure: str | None = None


def check_rules(game: Holdem) -> None:
    """Reject a game with other stacks, blinds or cards.

    Raises:
        InputError: a game that is not Slumbot's.
    """
    rules = game.limits
    blinds, stacks = tuple(map(rules.chips, rules.blinds)), tuple(map(rules.chips, rules.stacks))
    if blinds != BLINDS or stacks != (STACK, STACK) or rules.last != 3 or rules.bets or rules.ante or game.deck != FULL:
        raise InputError(
            f"{game.name} is not Slumbot's game; write holdem:stack=200bb with bet sizes of your choice, blinds 50/100"
        )


def play_slumbot(
    api: SlumbotApi,
    game: Holdem,
    make: MakePlayer,
    hands: int,
    *,
    log: Path | None = None,
    name: str = "",
    seed: int = 0,
    watch: Watch | None = None,
) -> SlumbotResult:
    """Play until so many hands are in the log.

    Args:
        api: the session.
        game: the game of the agents.
        make: see `MakePlayer`.
        hands: number of hands, those already in the log included.
        log: file that keeps each hand as soon as it is over (see `SlumbotLog`).
        name: of the agent, for the log.
        seed: of the random translation of bets to sizes of the tree.
        watch: see `Watch`.

    Returns:
        the result, also of a match that an error ended after its first hand (`failure`).

    Raises:
        InputError: another game, a server that fails or has another interface, or a log of another agent, before a hand is
            over.
    """
    check_rules(game)
    kept = SlumbotLog(log, name)
    agents, begin, interrupted, failure = (make(0), make(1)), len(kept.won), False, None
    try:
        while len(kept.won) < hands:
            draws = random.Random(f"{seed} hand {len(kept.won)}")
            kept.add(*_play_hand(api, game, agents, draws))
            if watch is not None:
                watch(len(kept.won), sum(kept.won))
    except KeyboardInterrupt:
        interrupted = True
    except InputError as error:
        if len(kept.won) == begin:
            raise
        failure = str(error)
    return _result(kept, interrupted, failure)


def _play_hand(
    api: SlumbotApi, game: Holdem, agents: tuple[Player, Player], draws: random.Random
) -> tuple[int, Chips, dict[str, Any]]:
    """The seat, what was won, and the server's last answer."""
    answer = api.deal_hand()
    told = _told(api, game, answer, None)
    seat = told.seat
    hand = TranslatedHand(game, agents[seat], _pair(told.holes[seat]), draws)
    while told.line.end.kind <= Kind.DEAL:
        if told.line.end.kind != seat:
            raise InputError(f"{api.url} waits where the agent has nothing to decide: {quoted(told.betting)}")
        hand.follow(told.line)
        action = write_action(game.limits, told.line.end, hand.decide(told.line.end, told.board), SLUMBOT)
        betting = told.betting + action
        acted = replace(told, betting=betting, line=replay_line(game.limits, betting, SLUMBOT))
        answer = api.act(action)
        told = _told(api, game, answer, acted)
    chips = _settled(api, game, answer, told)
    won, holes = chips[0], told.holes
    record = HoldemHand(SEATS, game.limits, told.line, holes, told.board, -won if seat else won)
    agents[seat].end_hand(won, record)
    return seat, chips, answer


def _settled(api: SlumbotApi, game: Holdem, answer: dict[str, Any], told: ToldHand) -> Chips:
    """What the last answer says was won.

    Raises:
        InputError: no chips, another result than that of the hand as it was told, or a baseline beyond a stack.
    """
    chips = chips_of(answer)
    if chips is None:
        raise InputError(f"{api.url} does not say what was won")
    won, baseline = chips
    by_rules = settlements(game.limits, told.line, told.holes, told.board, game.deck)
    own = tuple(0.0 - result if told.seat else result for result in by_rules)
    if not is_among(won, own):
        settles = " or ".join(f"{result:g}" for result in sorted(own))
        raise InputError(f"{api.url} says winnings {won:g}, where {quoted(told.betting)} settles to {settles}")
    if abs(baseline) > STACK:
        raise InputError(f"{api.url} says baseline_winnings {baseline:g}, where a stack is {STACK:g}")
    return chips


def _told(api: SlumbotApi, game: Holdem, answer: dict[str, Any], before: ToldHand | None) -> ToldHand:
    """What an answer tells; `before` ends with the agent's own action.

    Raises:
        InputError: the answer tells no hand, another one than before, or plays for the agent.
    """
    seat, betting = answer.get("client_pos"), answer.get("action")
    own, other, board = (_cards(api, answer, key) for key in ("hole_cards", "bot_hole_cards", "board"))
    if type(seat) is not int or seat not in (0, 1) or len(own) != 2:
        raise InputError(f"{api.url} deals no hand: client_pos {quoted(seat)}, {len(own)} hole cards")
    if not isinstance(betting, str):
        raise InputError(f"{api.url} does not tell the betting: action {quoted(betting)}")
    try:
        line = replay_told(game.limits, betting, SLUMBOT)
    except InputError as error:
        raise InputError(f"{api.url} plays other rules: {error}") from None
    told = ToldHand(seat, (other, own) if seat else (own, other), board, betting, line)
    check_told(told, before, game.deck, api.url)
    known = 0 if before is None else len(before.line.steps)
    if any(step.state.kind == seat for step in line.steps[known:]):
        raise InputError(f"{api.url} acts in the agent's place: {quoted(betting)}")
    return told


def _cards(api: SlumbotApi, answer: dict[str, Any], key: str) -> tuple[int, ...]:
    found = answer.get(key)
    try:
        return cards_of(" ".join(map(str, found)) if isinstance(found, list) else "")
    except InputError as error:
        raise InputError(f"{api.url} shows impossible cards: {error}") from None


def _pair(cards: Cards) -> tuple[int, int]:
    return cards[0], cards[1]


def _result(kept: SlumbotLog, interrupted: bool, failure: str | None) -> SlumbotResult:
    won = np.array(kept.won) * _MILLI
    hands = len(won)
    error = half_interval(float(won.std(ddof=1)) / hands**0.5, hands) if hands > 1 else None
    mean = float(won.mean()) if hands else 0.0
    baseline = float(np.mean(kept.baseline)) * _MILLI if hands else 0.0
    return SlumbotResult(hands, mean, error, baseline, interrupted, failure)
