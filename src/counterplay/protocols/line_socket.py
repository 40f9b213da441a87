"""Lines of text over a socket, each ended by CR LF.

A deadline bounds all that the other end takes for an answer, however slowly its bytes come and however many lines it sends.
"""

from __future__ import annotations

import socket
from math import inf
from types import TracebackType

from counterplay.budget import Deadline
from counterplay.errors import InputError, quoted

LONGEST = 65_536
"""The most bytes of a line; longer ones are not of the protocol."""


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
