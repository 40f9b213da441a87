"""The protocol of the Annual Computer Poker Competition, version 2.0.0: its messages, a player at a dealer, and a dealer for
two programs on this machine.

    MATCHSTATE:0:7:r200c/cr600:Ac9d|/2c7d9s        from the dealer: position, hand, betting, cards
    MATCHSTATE:0:7:r200c/cr600:Ac9d|/2c7d9s:c      the answer of a player

Position 0 is the big blind. Each player sees their own cards on their side of `|`, and those of the other at a showdown.
Messages are lines ended by CR LF. A deadline bounds all that the other end takes for an answer, however slowly its bytes
come and however many lines it sends.

Positions alternate from hand to hand. With mirrored deals, hands 2k and 2k + 1 have the same cards in each position, so each
program plays both sides of a deal. Illegal actions are replaced as in the competition: a raise by the nearest legal one, any
other action by a check or call.
"""

from __future__ import annotations

import random
import re
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf
from typing import TextIO

from counterplay.budget import Deadline
from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_logs import cards_text
from counterplay.opponents.histories.hand_record import Cards
from counterplay.poker.betting.line_notation import ACPC, replay_line, write_action
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, all_in, chips_won, deal, legal, start
from counterplay.poker.cards.deck import Deck, cards_of
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.rules import Holdem
from counterplay.protocols.hand_messages import DealtHand, MakePlayer, PlayedHands, Watch
from counterplay.texts.readers import whole_of

VERSION = "VERSION:2.0.0"
HEAD = "MATCHSTATE"
_STREETS = [3, 1, 1]
"""Cards on the table by street, from the flop on."""
LONGEST = 65_536
"""The most bytes of a line; longer ones are not of the protocol."""
LOOPBACK = "127.0.0.1"
PATIENCE = 600.0
"""Seconds that a dealer waits for a player to connect."""
_RAISE = re.compile(r"r(\d{1,9})")
_PLAYERS = ("first", "second")
_COMMENT = ("#", ";")
_DEALER = "the dealer"


@dataclass(frozen=True)
class MatchState:
    """A message from a dealer to a player. position: of the player, 0 for the big blind. hand: its number. line:
    betting so far. holes: cards of both positions; () if hidden. board: in the order of the deal."""

    position: int
    hand: int
    line: str
    holes: tuple[Cards, Cards]
    board: Cards

    def __str__(self) -> str:
        return f"{HEAD}:{self.position}:{self.hand}:{self.line}:{cards_text(self.holes, self.board)}"


def read_match_state(message: str) -> MatchState:
    """A dealer's message from its text; any other text is refused."""
    parts = message.split(":")
    number = whole_of(parts[2]) if len(parts) == 5 else None
    if number is None or parts[0] != HEAD or parts[1] not in ("0", "1"):
        raise InputError(f"the dealer's message {quoted(message)} is not {HEAD}:position:hand:betting:cards")
    shown, *streets = parts[4].split("/")
    try:
        holes, dealt = [cards_of(one) for one in shown.split("|")], [cards_of(one) for one in streets]
    except InputError as error:
        raise InputError(f"the dealer's message {quoted(message)} does not show cards: {error}") from None
    if [len(street) for street in dealt] != _STREETS[: len(dealt)]:
        raise InputError(f"the dealer's message {quoted(message)} does not show three cards, one and one by street")
    board = tuple(card for street in dealt for card in street)
    if len(holes) != 2 or any(len(one) not in (0, 2) for one in holes) or len(holes[int(parts[1])]) != 2:
        raise InputError(f"the dealer's message {quoted(message)} does not show the two cards of position {parts[1]}")
    known = [*holes[0], *holes[1], *board]
    if len(set(known)) != len(known):
        raise InputError(f"the dealer's message {quoted(message)} shows a card twice")
    return MatchState(int(parts[1]), number, parts[3], (holes[0], holes[1]), board)


class LineSocket:
    """A connection that sends and receives lines. peer: name of the other end, for messages. timeout: seconds to wait
    for an answer; None for no limit."""

    def __init__(self, connection: socket.socket, peer: str, timeout: float | None) -> None:
        # Otherwise a short line waits until the other side has acknowledged the one before.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._peer, self._timeout, self._heard = connection, peer, timeout, b""

    def __enter__(self) -> LineSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def deadline(self) -> Deadline:
        """That of an answer that is asked for now."""
        return Deadline(self._timeout)

    def send(self, line: str) -> None:
        """Send a line; refused where the connection is closed, or the other end reads nothing."""
        self._connection.settimeout(self._timeout)
        try:
            self._connection.sendall(line.encode("ascii") + b"\r\n")
        except OSError as error:
            raise InputError(f"{self._peer} has closed the connection: {error.strerror or error}") from None

    def receive(self, deadline: Deadline | None = None) -> str | None:
        """The next line; None when the other side has closed the connection. Refused: a line that is too long, cut
        short or no text, or none in time. deadline: of the whole answer, where lines before this one were not it; by
        default a new one."""
        deadline = deadline or self.deadline()
        while b"\n" not in self._heard and len(self._heard) < LONGEST:
            try:
                if not (seconds := deadline.left):
                    raise TimeoutError
                self._connection.settimeout(None if seconds == inf else seconds)
                more = self._connection.recv(LONGEST)
            except TimeoutError:
                raise InputError(f"{self._peer} did not answer within {self._timeout:g} seconds") from None
            except OSError as error:
                raise InputError(f"the connection to {self._peer} failed: {error.strerror or error}") from None
            if not more and not self._heard:
                return None
            self._heard += more
            if not more:
                break
        line, end, self._heard = self._heard.partition(b"\n")
        if not end or len(line) >= LONGEST or not line.isascii():
            raise InputError(f"{self._peer} sent what is no line of the protocol")
        return line.decode("ascii").strip()


def connect_to(host: str, port: int, timeout: float | None) -> LineSocket:
    """A connection to a server; refused where there is none at the address, or the host (an IPv6 address without
    brackets) names none."""
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        return LineSocket(socket.create_connection((host, port), timeout=10.0), f"the dealer at {place}", timeout)
    except OSError as error:
        raise InputError(f"cannot connect to {place}: {error.strerror or error}") from None
    except ValueError:  # the look-up can encode no name with empty or too long parts
        raise InputError(f"cannot connect to {quoted(place)}: this names no host") from None


@dataclass
class ClientResult(PlayedHands):
    """The result of a match. unfinished: number of the hand that was under way at the end; None if there was none."""

    unfinished: int | None = None


def play_at_dealer(
    dealer: LineSocket, game: Holdem, make: MakePlayer, *, seed: int = 0, watch: Watch | None = None
) -> ClientResult:
    """Play until the dealer closes the connection, in a game with its stacks and blinds; any size of bet is allowed.
    seed: of the random translation of bets to sizes of the tree.

    Raises:
        InputError: a dealer with another protocol or other rules, before a hand is over; afterwards the result has the
            error as its `failure`.
    """
    agents, played, number = (make(0), make(1)), ClientResult(), -1
    hand: DealtHand | None = None
    with played.keeping():
        dealer.send(VERSION)
        deadline = dealer.deadline()
        while (text := dealer.receive(deadline)) is not None:
            if not text or text.startswith(_COMMENT):
                continue
            state = read_match_state(text)
            if hand is None or state.hand != number:
                if played.unfinished is not None:
                    raise InputError(f"{_DEALER} goes on to hand {state.hand} before the end of hand {number}")
                if state.hand < number:
                    raise InputError(f"{_DEALER} goes back to hand {state.hand} after hand {number}")
                number = played.unfinished = state.hand
                hand = DealtHand(game, agents, ACPC, _DEALER, random.Random(f"{seed} hand {number}"))
            before = hand.last
            message = hand.hear(state.position, state.holes, state.board, state.line)
            end = message.line.end
            if end.kind == message.seat:
                dealer.send(f"{text}:{hand.act()}")
            elif end.kind > Kind.DEAL and played.unfinished is not None:  # else it is the end once more
                if end.kind is Kind.SHOWDOWN and not all(message.holes):
                    raise InputError(f"{_DEALER} does not show the hands at the showdown of hand {number}")
                first = chips_won(game.limits, end, message.holes, message.board, game.deck)
                played.won.append(-first if message.seat else first)
                hand.end(played.won[-1])
                played.unfinished = None
                played.report(watch)
            if message != before:  # a dealer that repeats itself does not get more time
                deadline = dealer.deadline()
    return played


@dataclass(frozen=True)
class DealerMatch:
    """The settings of a match. rules: from before the flop. seed: of the deals. mirrored: whether each deal is played
    twice, with positions exchanged. timeout: seconds for a decision, however many lines or bytes it comes in."""

    rules: BettingRules
    deck: Deck
    hands: int
    seed: int = 0
    mirrored: bool = True
    timeout: float = 60.0


@dataclass
class DealerResult(PlayedHands):
    """The result of a match; chips are those of the first player. replaced: illegal actions that were replaced, with
    the hand."""

    replaced: list[str] = field(default_factory=list)


class Dealer:
    """A listener on two ports of the loopback address, one per player; port 0 is any free one, and one in use is
    refused. ports: those in use."""

    def __init__(self, ports: tuple[int, int] = (0, 0)) -> None:
        self._servers: list[socket.socket] = []
        try:
            for port in ports:
                self._servers.append(socket.create_server((LOOPBACK, port)))
        except (OSError, OverflowError) as error:
            self.close()
            raise InputError(f"cannot listen on port {port}: {getattr(error, 'strerror', None) or error}") from None
        self.ports = tuple(int(server.getsockname()[1]) for server in self._servers)

    def close(self) -> None:
        """Stop listening."""
        for server in self._servers:
            server.close()

    def play(self, match: DealerMatch, log: TextIO | None = None, watch: Watch | None = None) -> DealerResult:
        """Wait for both players, and deal the match. Ctrl-C keeps the finished hands. log: receives one line per hand,
        in the format of the competition.

        Raises:
            InputError: a player with another protocol, or one who is too slow or leaves, or a log that cannot be
                written, before a hand is over; afterwards the result has the error as its `failure`.
        """
        found = DealerResult()
        with found.keeping(), ExitStack() as stack:
            players = list[LineSocket]()
            for server, name in zip(self._servers, _PLAYERS, strict=True):
                server.settimeout(PATIENCE)
                try:
                    accepted = server.accept()[0]
                except TimeoutError:
                    port = server.getsockname()[1]
                    raise InputError(f"the {name} player has not come to port {port} in {PATIENCE:g} seconds") from None
                connection = LineSocket(accepted, f"the {name} player", match.timeout)
                players.append(stack.enter_context(connection))
                if (said := connection.receive()) != VERSION:
                    raise InputError(f"the {name} player said {quoted(said or '')} and not {VERSION}")
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


class _Hand:
    """One hand; the first player is in position 0 in even hands."""

    def __init__(self, match: DealerMatch, number: int, players: Sequence[LineSocket], found: DealerResult) -> None:
        order = (1, 0) if number % 2 else (0, 1)
        self._match, self._number, self._found = match, number, found
        self._players, self._names = [players[k] for k in order], [_PLAYERS[k] for k in order]
        draws = random.Random(f"{match.seed} deal {number // 2 if match.mirrored else number}")
        cards = tuple(draws.sample(match.deck.cards, 4 + DEALT[match.rules.last]))
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
            action = self._action()
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
        holes = self._holes
        if self._state.kind is not Kind.SHOWDOWN:
            holes = ((), holes[1]) if position else (holes[0], ())
        return str(MatchState(position, self._number, self._line, holes, self._shown()))

    def _send(self) -> None:
        for position, player in enumerate(self._players):
            player.send(self._message(position))

    def _action(self) -> Action:
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


def nearest_action(rules: BettingRules, state: BettingState, text: str) -> Action:
    """The replacement of an illegal action: the nearest raise for a raise, else a check or call."""
    can, wanted = legal(rules, state), _RAISE.fullmatch(text)
    if wanted is None or not can.most:
        return Action(Move.CALL if can.call else Move.CHECK)
    to, top = round(int(wanted[1]) / rules.unit) - state.base, min(can.most, all_in(rules, state))
    return Action(Move.RAISE if max(state.put) > state.base else Move.BET, min(max(to, can.least), top))


def _write(log: TextIO | None, line: str) -> None:
    if log is None:
        return
    try:
        log.write(line + "\n")
        log.flush()
    except OSError as error:
        raise InputError(f"cannot write {log.name}: {error.strerror or error}") from None
