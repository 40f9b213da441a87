"""Hands against Slumbot through its public interface, or against a server with the same interface.

Blinds are 50 and 100, and both stacks are 20,000 chips at the start of each hand. The server deals and alternates seats.
After each hand it reports what the agent won, and what Slumbot itself won with the same cards in the same seat (`baseline`).
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.agents.player import Player
from counterplay.agents.position.translated_hand import TranslatedHand
from counterplay.errors import InputError, quoted
from counterplay.intervals import half_interval
from counterplay.measure.observed_results import SEATS
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.replay import is_among, settlements
from counterplay.opponents.histories.slumbot_hands import chips_in
from counterplay.poker.betting.line_notation import SLUMBOT, replay_line, write_action
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, cards_of
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.hand_messages import (
    HandMessage,
    MakePlayer,
    PlayedHands,
    Watch,
    check_message,
    replay_message,
)
from counterplay.protocols.slumbot_api import SlumbotApi

BLINDS = (100.0, 50.0)
_MILLI = 1000.0 / BLINDS[0]
STACK = 20_000.0
"""Chips of each player at the start of a hand: the most that is won or lost in one."""
Chips = tuple[float, float]
"""What the agent won, and what Slumbot won with the same cards."""
_OWN = ("agent", "seat", "token")
"""Members that the log has of its own, and the server's token, which is not kept."""


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
    """Reject a game with other stacks, blinds or cards than Slumbot's."""
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
        InputError: another game, a server that fails or has another interface, or a log of another agent, before a hand is
            over; afterwards the result has the error as its `failure`.
    """
    check_rules(game)
    kept = SlumbotLog(log, name)
    agents, played = (make(0), make(1)), kept.hands
    with played.keeping():
        while len(played.won) < hands:
            draws = random.Random(f"{seed} hand {len(played.won)}")
            kept.add(*_play_hand(api, game, agents, draws))
            played.report(watch)
    won = np.array(played.won) * _MILLI
    error = half_interval(float(won.std(ddof=1)) / len(won) ** 0.5, len(won)) if len(won) > 1 else None
    mean = float(won.mean()) if len(won) else 0.0
    baseline = float(np.mean(kept.baseline)) * _MILLI if len(won) else 0.0
    return SlumbotResult(len(won), mean, error, baseline, played.interrupted, played.failure)


def _play_hand(
    api: SlumbotApi, game: Holdem, agents: tuple[Player, Player], draws: random.Random
) -> tuple[int, Chips, dict[str, Any]]:
    """The seat, what was won, and the server's last answer."""
    answer = api.deal_hand()
    message = _read_message(api, game, answer, None)
    seat = message.seat
    first, second = message.holes[seat]
    hand = TranslatedHand(game, agents[seat], (first, second), draws)
    while message.line.end.kind <= Kind.DEAL:
        if message.line.end.kind != seat:
            raise InputError(f"{api.url} waits where the agent has nothing to decide: {quoted(message.betting)}")
        hand.follow(message.line)
        action = write_action(game.limits, message.line.end, hand.decide(message.line.end, message.board), SLUMBOT)
        betting = message.betting + action
        acted = replace(message, betting=betting, line=replay_line(game.limits, betting, SLUMBOT))
        answer = api.act(action)
        message = _read_message(api, game, answer, acted)
    chips = _settled(api, game, answer, message)
    won, holes = chips[0], message.holes
    record = HoldemHand(SEATS, game.limits, message.line, holes, message.board, -won if seat else won)
    agents[seat].end_hand(won, record)
    return seat, chips, answer


def _settled(api: SlumbotApi, game: Holdem, answer: dict[str, Any], message: HandMessage) -> Chips:
    """The chips of the last answer. Refused: none, another result than that of the hand as it was told, or a baseline
    beyond a stack."""
    chips = chips_of(answer)
    if chips is None:
        raise InputError(f"{api.url} does not say what was won")
    won, baseline = chips
    by_rules = settlements(game.limits, message.line, message.holes, message.board, game.deck)
    own = tuple(0.0 - result if message.seat else result for result in by_rules)
    if not is_among(won, own):
        settles = " or ".join(f"{result:g}" for result in sorted(own))
        raise InputError(f"{api.url} says winnings {won:g}, where {quoted(message.betting)} settles to {settles}")
    if abs(baseline) > STACK:
        raise InputError(f"{api.url} says baseline_winnings {baseline:g}, where a stack is {STACK:g}")
    return chips


def _read_message(api: SlumbotApi, game: Holdem, answer: dict[str, Any], before: HandMessage | None) -> HandMessage:
    """The message of an answer; `before` ends with the agent's own action. Refused: no hand, another one than before,
    or an action in the agent's place."""
    seat, betting = answer.get("client_pos"), answer.get("action")
    own, other, board = (_cards(api, answer, key) for key in ("hole_cards", "bot_hole_cards", "board"))
    if type(seat) is not int or seat not in (0, 1) or len(own) != 2:
        raise InputError(f"{api.url} deals no hand: client_pos {quoted(seat)}, {len(own)} hole cards")
    if not isinstance(betting, str):
        raise InputError(f"{api.url} does not tell the betting: action {quoted(betting)}")
    try:
        line = replay_message(game.limits, betting, SLUMBOT)
    except InputError as error:
        raise InputError(f"{api.url} plays other rules: {error}") from None
    message = HandMessage(seat, (other, own) if seat else (own, other), board, betting, line)
    check_message(message, before, game.deck, api.url)
    known = 0 if before is None else len(before.line.steps)
    if any(step.state.kind == seat for step in line.steps[known:]):
        raise InputError(f"{api.url} acts in the agent's place: {quoted(betting)}")
    return message


def _cards(api: SlumbotApi, answer: dict[str, Any], key: str) -> tuple[int, ...]:
    found = answer.get(key)
    try:
        return cards_of(" ".join(map(str, found)) if isinstance(found, list) else "")
    except InputError as error:
        raise InputError(f"{api.url} shows impossible cards: {error}") from None


class SlumbotLog:
    """Hands played so far, in a file that grows by one JSON object a line, from which play resumes.

    The file changes only when a hand is added: a last line that was cut short is then dropped. Without a path nothing is
    kept. A file that is no such log, or the log of another agent, is refused."""

    def __init__(self, path: Path | None, agent: str) -> None:
        self._path, self._agent = path, agent
        self._whole: int | None = None
        self._glue = ""
        self.hands, self.baseline = PlayedHands(), list[float]()
        if path is not None and path.exists():
            self._read(path)

    def add(self, seat: int, chips: Chips, answer: dict[str, Any]) -> None:
        """Keep a finished hand by the server's answer at its end, without the token. A file that cannot be written is
        an error, but the hand counts all the same."""
        self._keep(chips)
        line = {"agent": self._agent, "seat": seat} | {k: v for k, v in answer.items() if k not in _OWN}
        if self._path is not None:
            try:
                self._write(self._path, json.dumps(line) + "\n")
            except OSError as error:
                raise InputError(f"cannot write {self._path}: {error.strerror or error}") from None

    def _keep(self, chips: Chips) -> None:
        self.hands.won.append(chips[0])
        self.baseline.append(chips[1])

    def _write(self, path: Path, line: str) -> None:
        if self._whole is not None:
            os.truncate(path, self._whole)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(self._glue + line)
            stream.flush()
            os.fsync(stream.fileno())
        self._whole, self._glue = None, ""

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        *lines, rest = content.split(b"\n")
        if rest and self._is_cut_short(rest, alone=not lines):
            self._whole = len(content) - len(rest)
        elif rest:  # whole but for its line break
            lines.append(rest)
            self._glue = "\n"
        for number, text in enumerate(lines, 1):
            self._keep(self._chips(path, number, text))

    def _is_cut_short(self, text: bytes, *, alone: bool) -> bool:
        """Whether a line is the beginning of one of ours; alone in its file, it must name the agent."""
        head = json.dumps({"agent": self._agent})[:-1].encode()
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return text.startswith(head) or (not alone and head.startswith(text))
        return False

    def _chips(self, path: Path, number: int, text: bytes) -> Chips:
        try:
            line = json.loads(text)
            chips, agent = chips_of(line), line["agent"]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            chips = None
        if chips is None or max(map(abs, chips)) > STACK:
            raise InputError(f"{path}: line {number} is not a hand of a log against Slumbot")
        if agent != self._agent:
            raise InputError(f"{path} is a log of {agent}, not of {self._agent}; give another file")
        return chips


def chips_of(answer: dict[str, Any]) -> Chips | None:
    """What the agent and Slumbot with the same cards won, the latter 0 if it is not told; None if these are no
    chips."""
    message = answer.get("winnings"), answer.get("baseline_winnings")
    won, baseline = chips_in(message[0]), chips_in(0.0 if message[1] is None else message[1])
    return None if won is None or baseline is None else (won, baseline)
