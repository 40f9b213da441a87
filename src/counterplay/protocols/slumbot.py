"""Hands against Slumbot through its public interface, or against a server with the same interface.

Blinds are 50 and 100, and both stacks are 20,000 chips at the start of each hand. The server deals and alternates seats.
After each hand it reports what the agent won, and what Slumbot itself won with the same cards in the same seat (`baseline`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents.player import Player
from counterplay.agents.whole_game.translated_hand import TranslatedHand
from counterplay.errors import InputError, quoted
from counterplay.measure.told_hands import SEATS
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.line_notation import SLUMBOT, BettingLine, replay_line, write_action
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, cards_of
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.slumbot_api import SlumbotApi
from counterplay.protocols.slumbot_log import SlumbotLog

BLINDS, STACK = (100.0, 50.0), 20_000.0
_MILLI = 1000.0 / BLINDS[0]
_Z = 1.96
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
    """

    hands: int
    mbb: float
    error: float | None
    baseline: float
    interrupted: bool


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

    Raises:
        InputError: another game, a server that fails or has another interface, or a log of another agent.
    """
    check_rules(game)
    kept = SlumbotLog(log, name)
    agents, interrupted = (make(0), make(1)), False
    try:
        while len(kept.won) < hands:
            draws = random.Random(f"{seed} hand {len(kept.won)}")
            kept.add(*_play_hand(api, game, agents, draws))
            if watch is not None:
                watch(len(kept.won), sum(kept.won))
    except KeyboardInterrupt:
        interrupted = True
    return _result(kept, interrupted)


def _play_hand(
    api: SlumbotApi, game: Holdem, agents: tuple[Player, Player], draws: random.Random
) -> tuple[int, dict[str, Any]]:
    """The seat, and the server's last answer."""
    answer = api.deal_hand()
    seat, cards = answer.get("client_pos"), _cards(answer, "hole_cards")
    if seat not in (0, 1) or len(cards) != 2:
        raise InputError(f"{api.url} dealt no hand: client_pos {quoted(str(seat))}, {len(cards)} hole cards")
    hand = TranslatedHand(game, agents[seat], (cards[0], cards[1]), draws)
    while (line := _line(api, game.limits, answer)).end.kind <= Kind.DEAL:
        if line.end.kind != seat:
            raise InputError(f"{api.url} waits where the agent has nothing to decide: {quoted(str(answer['action']))}")
        hand.follow(line)
        action = hand.decide(line.end, _cards(answer, "board"))
        answer = api.act(write_action(game.limits, line.end, action, SLUMBOT))
    for won in (answer.get("winnings"), answer.get("baseline_winnings") or 0.0):
        if not isinstance(won, int | float) or not isfinite(won):
            raise InputError(f"{api.url} does not say what was won")
    agents[seat].end_hand(float(answer["winnings"]), _record(api, game, answer, line, cards))
    return seat, answer


def _record(
    api: SlumbotApi, game: Holdem, answer: dict[str, Any], line: BettingLine, own: tuple[int, ...]
) -> HoldemHand:
    """The finished hand, with Slumbot's cards where it shows them."""
    seat, shown = int(answer["client_pos"]), _cards(answer, "bot_hole_cards")
    board = _cards(answer, "board")
    if len(shown) not in (0, 2) or len({*shown, *own, *board}) < len(shown) + len(own) + len(board):
        raise InputError(f"{api.url} shows impossible cards: {quoted(str(answer.get('bot_hole_cards')))}")
    end = line.end._replace(street=game.limits.last) if line.end.kind is Kind.SHOWDOWN else line.end
    won = float(answer["winnings"])
    holes = (own, shown) if seat == 0 else (shown, own)
    return HoldemHand(SEATS, game.limits, line._replace(end=end), holes, board, -won if seat else won)


def _line(api: SlumbotApi, rules: BettingRules, answer: dict[str, Any]) -> BettingLine:
    try:
        return replay_line(rules, str(answer.get("action", "")), SLUMBOT)
    except InputError as error:
        raise InputError(f"{api.url} plays other rules: {error}") from None


def _cards(answer: dict[str, Any], key: str) -> tuple[int, ...]:
    found = answer.get(key, ())
    return cards_of(" ".join(map(str, found)) if isinstance(found, list) else "")


def _result(kept: SlumbotLog, interrupted: bool) -> SlumbotResult:
    won = np.array(kept.won) * _MILLI
    hands = len(won)
    error = _Z * float(won.std(ddof=1)) / hands**0.5 if hands > 1 else None
    mean = float(won.mean()) if hands else 0.0
    baseline = float(np.mean(kept.baseline)) * _MILLI if hands else 0.0
    return SlumbotResult(hands, mean, error, baseline, interrupted)
