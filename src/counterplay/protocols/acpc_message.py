"""Messages of the protocol of the Annual Computer Poker Competition, version 2.0.0.

    MATCHSTATE:0:7:r200c/cr600:Ac9d|/2c7d9s        from the dealer: position, hand, betting, cards
    MATCHSTATE:0:7:r200c/cr600:Ac9d|/2c7d9s:c      the answer of a player

Position 0 is the big blind. Each player sees their own cards on their side of `|`, and those of the other at a showdown.
Messages are lines ended by CR LF. A deadline bounds all that the other end takes for an answer, however slowly its bytes
come and however many lines it sends.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from math import inf
from types import TracebackType

from counterplay.budget import Deadline
from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.acpc_log import cards_text
from counterplay.opponents.histories.hand_record import Cards
from counterplay.poker.cards.deck import cards_of
from counterplay.texts.readers import whole_of

VERSION = "VERSION:2.0.0"
HEAD = "MATCHSTATE"
_STREETS = [3, 1, 1]
"""Cards on the table by street, from the flop on."""
LONGEST = 65_536
"""The most bytes of a line; longer ones are not of the protocol."""


@dataclass(frozen=True)
class MatchState:
    """A message from a dealer to a player.

    Attributes:
        position: of the player: 0 is the big blind.
        hand: number of the hand.
        line: betting so far.
        holes: cards of both positions; () if hidden.
        board: cards on the table, in the order of the deal.
    """

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
            more = self._more(deadline.left)
            if not more and not self._heard:
                return None
            self._heard += more
            if not more:
                break
        line, end, self._heard = self._heard.partition(b"\n")
        if not end or len(line) >= LONGEST or not line.isascii():
            raise InputError(f"{self._peer} sent what is no line of the protocol")
        return line.decode("ascii").strip()

    def _more(self, seconds: float) -> bytes:
        """The bytes that come next; none at the end of the connection."""
        try:
            if not seconds:
                raise TimeoutError
            self._connection.settimeout(None if seconds == inf else seconds)
            return self._connection.recv(LONGEST)
        except TimeoutError:
            raise InputError(f"{self._peer} did not answer within {self._timeout:g} seconds") from None
        except OSError as error:
            raise InputError(f"the connection to {self._peer} failed: {error.strerror or error}") from None


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
