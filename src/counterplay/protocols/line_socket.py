"""Lines of text over a socket, each ended by CR LF."""

from __future__ import annotations

import socket
from types import TracebackType

from counterplay.errors import InputError, quoted

LONGEST = 65_536
"""The most bytes of a line; longer ones are not of the protocol."""


class LineSocket:
    """A connection that sends and receives lines.

    Args:
        connection: an open socket.
        peer: name of the other end, for messages.
        timeout: seconds to wait for a line; None for no limit.
    """

    def __init__(self, connection: socket.socket, peer: str, timeout: float | None) -> None:
        connection.settimeout(timeout)
        # Otherwise a short line waits until the other side has acknowledged the one before.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._peer, self._lines = connection, peer, connection.makefile("rb")

    def __enter__(self) -> LineSocket:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
        self._connection.close()

    def send(self, line: str) -> None:
        """Send a line.

        Raises:
            InputError: the connection is closed.
        """
        try:
            self._connection.sendall(line.encode("ascii") + b"\r\n")
        except OSError as error:
            raise InputError(f"{self._peer} has closed the connection: {error.strerror or error}") from None

    def receive(self) -> str | None:
        """The next line; None when the other side has closed the connection.

        Raises:
            InputError: a line that is too long, cut short or not text, or none in time.
        """
        try:
            line = self._lines.readline(LONGEST)
        except TimeoutError:
            raise InputError(f"{self._peer} did not answer within {self._connection.gettimeout():g} seconds") from None
        except OSError as error:
            raise InputError(f"the connection to {self._peer} failed: {error.strerror or error}") from None
        if not line:
            return None
        if not line.endswith(b"\n") or not line.isascii():
            raise InputError(f"{self._peer} sent what is no line of the protocol")
        return line.decode("ascii").strip()


def connect_to(host: str, port: int, timeout: float | None) -> LineSocket:
    """A connection to a server.

    Args:
        host: name or address; an IPv6 address without brackets.
        port: of the server.
        timeout: as of `LineSocket`.

    Raises:
        InputError: no server at the address, or a text that names no host.
    """
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        return LineSocket(socket.create_connection((host, port), timeout=10.0), f"the dealer at {place}", timeout)
    except OSError as error:
        raise InputError(f"cannot connect to {place}: {error.strerror or error}") from None
    except ValueError:  # the look-up can encode no name with empty or too long parts
        raise InputError(f"cannot connect to {quoted(place)}: this names no host") from None
