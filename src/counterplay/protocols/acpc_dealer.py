"""A dealer for two programs on this machine, by the protocol of the Annual Computer Poker Competition.

Positions alternate from hand to hand. With mirrored deals, hands 2k and 2k + 1 have the same cards in each position, so each
program plays both sides of a deal. Illegal actions are replaced as in the competition: a raise by the nearest legal one, any
other action by a check or call.
"""

from __future__ import annotations

import random
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.acpc_log import cards_text
from counterplay.opponents.histories.hand_record import Cards
from counterplay.poker.betting.line_notation import ACPC, replay_line, write_action
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, all_in, chips_won, deal, legal, start
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.protocols.acpc_message import VERSION, LineSocket, MatchState
from counterplay.protocols.hand_messages import PlayedHands, Watch

LOOPBACK = "127.0.0.1"
PATIENCE = 600.0
"""Seconds that a dealer waits for a player to connect."""
_RAISE = re.compile(r"r(\d{1,9})")
_PLAYERS = ("first", "second")


@dataclass(frozen=True)
class DealerMatch:
    """The settings of a match.

    Attributes:
        rules: betting rules, from before the flop.
        deck: the cards.
        hands: number of hands.
        seed: of the deals.
        mirrored: whether each deal is played twice, with positions exchanged.
        timeout: seconds for a decision, however many lines or bytes it comes in.
    """

    rules: BettingRules
    deck: Deck
    hands: int
    seed: int = 0
    mirrored: bool = True
    timeout: float = 60.0


@dataclass
class DealerResult(PlayedHands):
    """The result of a match; chips are those of the first player.

    Attributes:
        replaced: illegal actions that were replaced, with the hand.
    """

    replaced: list[str] = field(default_factory=list)


class Dealer:
    """A listener on two ports of the loopback address, one per player; port 0 is any free one.

    Attributes:
        ports: the ports in use.

    Raises:
        InputError: a port that is in use.
    """

    def __init__(self, ports: tuple[int, int] = (0, 0)) -> None:
        self._servers: list[socket.socket] = []
        try:
            for port in ports:
                self._servers.append(_listen(port))
        except InputError:
            self.close()
            raise
        self.ports = tuple(int(server.getsockname()[1]) for server in self._servers)

    def close(self) -> None:
        """Stop listening."""
        for server in self._servers:
            server.close()

    def play(self, match: DealerMatch, log: TextIO | None = None, watch: Watch | None = None) -> DealerResult:
        """Wait for both players, and deal the match. Ctrl-C keeps the finished hands.

        Args:
            match: its settings.
            log: receives one line per hand, in the format of the competition.
            watch: see `Watch`.

        Raises:
            InputError: a player with another protocol, or one who is too slow or leaves, or a log that cannot be written,
                before a hand is over; afterwards the result has the error as its `failure`.
        """
        found = DealerResult()
        with found.keeping(), self._seated(match.timeout) as players:
            for number in range(match.hands):
                hand = _Hand(match, number, players, found)
                won = hand.play()
                found.won.append(-won if number % 2 else won)
                _write(log, hand.log_line(won))
                found.report(watch)
        total = sum(found.won)
        try:
            _write(log, f"SCORE:{total:.12g}|{-total:.12g}:{_PLAYERS[0]}|{_PLAYERS[1]}")
        except InputError as error:
            found.failure = found.failure or str(error)
        return found

    @contextmanager
    def _seated(self, timeout: float) -> Iterator[tuple[LineSocket, LineSocket]]:
        """Both players, once each has connected and sent the version."""
        with ExitStack() as stack:
            players = []
            for server, name in zip(self._servers, _PLAYERS, strict=True):
                player = stack.enter_context(LineSocket(_accept(server, name), f"the {name} player", timeout))
                if (said := player.receive()) != VERSION:
                    raise InputError(f"the {name} player said {quoted(said or '')} and not {VERSION}")
                players.append(player)
            yield players[0], players[1]


class _Hand:
    """One hand; the first player is in position 0 in even hands."""

    def __init__(
        self, match: DealerMatch, number: int, players: tuple[LineSocket, LineSocket], found: DealerResult
    ) -> None:
        order = (1, 0) if number % 2 else (0, 1)
        self._match, self._number, self._found = match, number, found
        self._players, self._names = [players[k] for k in order], [_PLAYERS[k] for k in order]
        cards = deal_cards(match, number)
        self._holes, self._board = (cards[:2], cards[2:4]), cards[4:]
        self._line, self._state = "", start(match.rules)

    def play(self) -> float:
        """Ask the players for actions until the hand is over, and show them the end; the chips of position 0."""
        rules, holes = self._match.rules, self._holes
        while self._state.kind <= Kind.DEAL:
            if self._state.kind is Kind.DEAL:
                self._state, self._line = deal(rules, self._state), self._line + "/"
                continue
            self._send()
            action = self._answer()
            self._line += write_action(rules, self._state, action, ACPC)
            self._state = act(rules, self._state, action)
        if self._state.kind is Kind.SHOWDOWN:
            self._line += "/" * (rules.last - self._state.street)
            self._state = self._state._replace(street=rules.last)
        self._send()
        return chips_won(rules, self._state, holes, self._board, self._match.deck)

    def log_line(self, won: float) -> str:
        """The hand as in the competition's logs: results and names by position; won: chips of position 0."""
        cards = cards_text(self._holes, self._shown())
        return f"STATE:{self._number}:{self._line}:{cards}:{won:.12g}|{-won:.12g}:{'|'.join(self._names)}"

    def _shown(self) -> Cards:
        return self._board[: DEALT[self._state.street]]

    def _message(self, position: int) -> str:
        """The message to a position; the other's cards are shown at a showdown."""
        first, second = self._holes
        shown = self._state.kind is Kind.SHOWDOWN
        holes = (first if shown or position == 0 else (), second if shown or position == 1 else ())
        return str(MatchState(position, self._number, self._line, holes, self._shown()))

    def _send(self) -> None:
        for position, player in enumerate(self._players):
            player.send(self._message(position))

    def _answer(self) -> Action:
        """The action of the player to act; lines about earlier states are skipped."""
        position, rules = int(self._state.kind), self._match.rules
        head, player = self._message(position) + ":", self._players[position]
        deadline = player.deadline()
        while (said := player.receive(deadline)) is None or not said.startswith(head):
            if said is None:
                raise InputError(f"the {self._names[position]} player left in hand {self._number}")
        text = said.removeprefix(head)
        try:
            state, action = replay_line(rules, self._line + text, ACPC).steps[-1]
            if state == self._state:
                return action
        except (InputError, IndexError):
            pass
        self._found.replaced.append(f"hand {self._number}: {quoted(text)}")
        return nearest_action(rules, self._state, text)


def deal_cards(match: DealerMatch, number: int) -> Cards:
    """Both hands and the whole board of a hand, by position."""
    draws = random.Random(f"{match.seed} deal {number // 2 if match.mirrored else number}")
    return tuple(draws.sample(match.deck.cards, 4 + DEALT[match.rules.last]))


def nearest_action(rules: BettingRules, state: BettingState, text: str) -> Action:
    """The replacement of an illegal action: the nearest raise for a raise, else a check or call."""
    can, wanted = legal(rules, state), _RAISE.fullmatch(text)
    if wanted is None or not can.most:
        return Action(Move.CALL if can.call else Move.CHECK)
    to, top = round(int(wanted[1]) / rules.unit) - state.base, min(can.most, all_in(rules, state))
    return Action(Move.RAISE if max(state.put) > state.base else Move.BET, min(max(to, can.least), top))


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise InputError(f"cannot listen on port {port}: {getattr(error, 'strerror', None) or error}") from None


def _accept(server: socket.socket, name: str) -> socket.socket:
    server.settimeout(PATIENCE)
    try:
        return server.accept()[0]
    except TimeoutError:
        raise InputError(
            f"the {name} player has not come to port {server.getsockname()[1]} in {PATIENCE:g} seconds"
        ) from None


def _write(log: TextIO | None, line: str) -> None:
    if log is None:
        return
    try:
        log.write(line + "\n")
        log.flush()
    except OSError as error:
        raise InputError(f"cannot write {log.name}: {error.strerror or error}") from None
