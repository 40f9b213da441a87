"""Hands against Slumbot through its public interface, or against a server with the same interface.

Each request posts one JSON object, and one comes back. Requests are sent one at a time with a pause between them, and name
this program. They are repeated if the network fails, except for actions that may have arrived: these would be played twice.

Blinds are 50 and 100, and both stacks are 20,000 chips at the start of each hand. The server deals and alternates seats.
After each hand it reports what the agent won, and what Slumbot itself won with the same cards in the same seat (`baseline`).
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from counterplay.about import version
from counterplay.agents.agent import Player
from counterplay.budget import Deadline
from counterplay.errors import InputError, quoted
from counterplay.intervals import half_interval
from counterplay.opponents.histories.hand_logs import chips_in
from counterplay.opponents.histories.replay import is_among, settlements
from counterplay.poker.betting.line_notation import SLUMBOT
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, cards_of
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.hand_messages import DealtHand, HandMessage, MakePlayer, PlayedHands, Watch

SLUMBOT_URL = "https://slumbot.com/api"
_TRIES = 4
_LONGEST, _LEAST = 1 << 20, 0.001
_PLAIN = re.compile(r"[!-~]+")
"""Printable ASCII without spaces, which is all that a request may hold."""


BLINDS = (100.0, 50.0)
_MILLI = 1000.0 / BLINDS[0]
STACK = 20_000.0
"""Chips of each player at the start of a hand: the most that is won or lost in one."""
Chips = tuple[float, float]
"""What the agent won, and what Slumbot won with the same cards."""
_OWN = ("agent", "seat", "token")
"""Members that the log has of its own, and the server's token, which is not kept."""


@dataclass
class SlumbotApi:
    """A session; a `url` that is not the address of a server is refused. pause: seconds between two requests. timeout:
    seconds for an answer, all attempts and the pauses between them included. wait: sleeps for some seconds."""

    url: str = SLUMBOT_URL
    pause: float = 0.5
    timeout: float = 30.0
    wait: Callable[[float], None] = time.sleep
    _token: str | None = field(default=None, repr=False)
    _asked: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            host = (parts.hostname or "").encode("idna")  # as the look-up does
            is_address = bool(host) and parts.scheme in ("http", "https") and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address or _PLAIN.fullmatch(self.url) is None:
            raise InputError(f"{quoted(self.url)} is not the address of a server, such as {SLUMBOT_URL}")

    def log_in(self, name: str, password: str) -> None:
        """Log in under a name; errors as in `act`."""
        self._ask("login", {"username": name, "password": password})

    def deal_hand(self) -> dict[str, Any]:
        """The next hand; errors as in `act`."""
        return self._ask("new_hand", {})

    def act(self, action: str) -> dict[str, Any]:
        """The answer of the server to an action; an InputError where it cannot be reached, refuses, or does not answer
        with a JSON object."""
        return self._ask("act", {"incr": action})

    def _ask(self, what: str, content: dict[str, str]) -> dict[str, Any]:
        if self._asked:
            self.wait(self.pause)
        self._asked = True
        known = {} if self._token is None else {"token": self._token}
        sent = json.dumps(content | known).encode()
        answer = self._posted(f"{self.url.rstrip('/')}/{what}", sent, repeatable=what != "act")
        if "error_msg" in answer:
            raise InputError(f"{self.url} refuses {what}: {quoted(str(answer['error_msg']))}")
        if isinstance(token := answer.get("token"), str):
            self._token = token
        return answer

    def _posted(self, url: str, content: bytes, *, repeatable: bool) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "User-Agent": f"counterplay/{version()}"}
        deadline = Deadline(self.timeout)
        for number in range(_TRIES):
            try:
                answer = _answer(urllib.request.Request(url, content, headers), deadline.left)
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    raise InputError(f"{url} answers {error.code} {error.reason}") from None
                failure, unsent = f"{error.code} {error.reason}", False
            except (OSError, http.client.HTTPException) as error:
                failure = str(getattr(error, "reason", error)) or type(error).__name__
                unsent = isinstance(getattr(error, "reason", None), ConnectionRefusedError | socket.gaierror)
            except ValueError:
                raise InputError(f"{url} redirects to what is no address") from None
            else:
                try:
                    document = json.loads(answer)
                except (ValueError, RecursionError):
                    document = None
                if not isinstance(document, dict):
                    raise InputError(f"{url} did not answer with a JSON object")
                return document
            if not (unsent or repeatable):
                break
            pause = self.pause * 2.0 ** (number + 1)
            if number + 1 == _TRIES or deadline.left <= pause:
                break
            self.wait(pause)
        raise InputError(f"{url} cannot be reached: {failure}")


def _answer(request: urllib.request.Request, seconds: float) -> bytes:
    """The content of an answer, or TimeoutError where it is not whole in time. It is read in a thread, since timeouts
    of sockets are of single reads, and a server could send byte after byte."""
    answers = SimpleQueue[bytes | Exception]()

    def ask() -> None:
        try:
            with urllib.request.urlopen(request, timeout=max(seconds, _LEAST)) as reply:
                answers.put(reply.read(_LONGEST))
        except Exception as error:
            answers.put(error)

    Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=max(seconds, _LEAST))
    except Empty:
        raise TimeoutError("no whole answer in time") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


@dataclass(frozen=True)
class SlumbotResult:
    """The result of a match. hands: those in the log included. mbb: milli-big-blinds per hand won by the agent. error:
    half of the 95 % interval of `mbb`; None with fewer than two hands. baseline: mean result of Slumbot with the
    agent's cards, in the same unit. interrupted, failure: as of `PlayedHands`."""

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
        InputError: another game, a server that fails or has another interface, or a log of another agent, before a hand
            is over; afterwards the result has the error as its `failure`.
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
    hand = DealtHand(game, agents, SLUMBOT, api.url, draws, answers=True)
    answer = api.deal_hand()
    message = _hear(hand, api.url, answer)
    while message.line.end.kind <= Kind.DEAL:
        if message.line.end.kind != message.seat:
            raise InputError(f"{api.url} waits where the agent has nothing to decide: {quoted(message.betting)}")
        answer = api.act(hand.act())
        message = _hear(hand, api.url, answer)
    chips = _settled(game, api.url, answer, message)
    hand.end(chips[0])
    return message.seat, chips, answer


def _settled(game: Holdem, url: str, answer: dict[str, Any], message: HandMessage) -> Chips:
    """The chips of the last answer. Refused: none, another result than that of the hand as it was told, or a baseline
    beyond a stack."""
    chips = chips_of(answer)
    if chips is None:
        raise InputError(f"{url} does not say what was won")
    won, baseline = chips
    by_rules = settlements(game.limits, message.line, message.holes, message.board, game.deck)
    own = tuple(0.0 - result if message.seat else result for result in by_rules)
    if not is_among(won, own):
        settles = " or ".join(f"{result:g}" for result in sorted(own))
        raise InputError(f"{url} says winnings {won:g}, where {quoted(message.betting)} settles to {settles}")
    if abs(baseline) > STACK:
        raise InputError(f"{url} says baseline_winnings {baseline:g}, where a stack is {STACK:g}")
    return chips


def _hear(hand: DealtHand, url: str, answer: dict[str, Any]) -> HandMessage:
    """Tell a hand an answer; one that deals no hand is refused."""
    seat, betting = answer.get("client_pos"), answer.get("action")
    shown = [answer.get(key) for key in ("hole_cards", "bot_hole_cards", "board")]
    try:
        own, other, board = (cards_of(" ".join(map(str, cards)) if isinstance(cards, list) else "") for cards in shown)
    except InputError as error:
        raise InputError(f"{url} shows impossible cards: {error}") from None
    if type(seat) is not int or seat not in (0, 1) or len(own) != 2:
        raise InputError(f"{url} deals no hand: client_pos {quoted(seat)}, {len(own)} hole cards")
    if not isinstance(betting, str):
        raise InputError(f"{url} does not tell the betting: action {quoted(betting)}")
    return hand.hear(seat, (other, own) if seat else (own, other), board, betting)


class SlumbotLog:
    """Hands played so far, in a file that grows by one JSON object a line, from which play resumes.

    The file changes only when a hand is added: a last line that was cut short is then dropped. Without a path nothing is
    kept. A file that is no such log, or the log of another agent, is refused."""

    def __init__(self, path: Path | None, agent: str) -> None:
        self._path, self._agent = path, agent
        self._size: int | None = None  # of the file's whole lines, where the last one was cut short
        self._glue = ""  # the line break that the last line lacks
        self.hands, self.baseline = PlayedHands(), list[float]()
        if path is None or not path.exists():
            return
        content = path.read_bytes()
        *lines, rest = content.split(b"\n")
        if rest and self._is_cut_short(rest, alone=not lines):
            self._size = len(content) - len(rest)
        elif rest:  # whole but for its line break
            lines.append(rest)
            self._glue = "\n"
        for number, text in enumerate(lines, 1):
            try:
                line = json.loads(text)
                chips, name = chips_of(line), line["agent"]
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                chips = None
            if chips is None or max(map(abs, chips)) > STACK:
                raise InputError(f"{path}: line {number} is not a hand of a log against Slumbot")
            if name != agent:
                raise InputError(f"{path} is a log of {name}, not of {agent}; give another file")
            self._keep(chips)

    def add(self, seat: int, chips: Chips, answer: dict[str, Any]) -> None:
        """Keep a finished hand by the server's answer at its end, without the token. A file that cannot be written is
        an error, but the hand counts all the same."""
        self._keep(chips)
        if self._path is None:
            return
        line = {"agent": self._agent, "seat": seat} | {k: v for k, v in answer.items() if k not in _OWN}
        try:
            if self._size is not None:
                os.truncate(self._path, self._size)
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(self._glue + json.dumps(line) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise InputError(f"cannot write {self._path}: {error.strerror or error}") from None
        self._size, self._glue = None, ""

    def _keep(self, chips: Chips) -> None:
        self.hands.won.append(chips[0])
        self.baseline.append(chips[1])

    def _is_cut_short(self, text: bytes, *, alone: bool) -> bool:
        """Return whether a line is the beginning of one of ours; alone in its file, it must name the agent."""
        head = json.dumps({"agent": self._agent})[:-1].encode()
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return text.startswith(head) or (not alone and head.startswith(text))
        return False


def chips_of(answer: dict[str, Any]) -> Chips | None:
    """What the agent and Slumbot with the same cards won, the latter 0 if it is not told; None if these are no
    chips."""
    message = answer.get("winnings"), answer.get("baseline_winnings")
    won, baseline = chips_in(message[0]), chips_in(0.0 if message[1] is None else message[1])
    return None if won is None or baseline is None else (won, baseline)
