"""Slumbot's public interface: each request posts one JSON object, and one comes back.

Requests are sent one at a time with a pause between them, and name this program. They are repeated if the network fails,
except for actions that may have arrived: these would be played twice.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from counterplay.about import version
from counterplay.budget import Deadline
from counterplay.errors import InputError, quoted

SLUMBOT_URL = "https://slumbot.com/api"
_TRIES = 4
_LONGEST, _LEAST = 1 << 20, 0.001
_PLAIN = re.compile(r"[!-~]+")
"""Printable ASCII without spaces, which is all that a request may hold."""


@dataclass
class SlumbotApi:
    """A session.

    Attributes:
        url: address of the interface.
        pause: seconds between two requests.
        timeout: seconds for an answer, all attempts and the pauses between them included.
        wait: function that sleeps for some seconds.

    Raises:
        InputError: a `url` that is not the address of a server.
    """

    url: str = SLUMBOT_URL
    pause: float = 0.5
    timeout: float = 30.0
    wait: Callable[[float], None] = time.sleep
    _token: str | None = field(default=None, repr=False)
    _asked: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if not _is_address(self.url):
            raise InputError(f"{quoted(self.url)} is not the address of a server, such as {SLUMBOT_URL}")

    def log_in(self, name: str, password: str) -> None:
        """Log in under a name; errors as in `act`."""
        self._ask("login", {"username": name, "password": password})

    def deal_hand(self) -> dict[str, Any]:
        """The next hand; errors as in `act`."""
        return self._ask("new_hand", {})

    def act(self, action: str) -> dict[str, Any]:
        """The answer of the server to an action.

        Raises:
            InputError: a server that cannot be reached, refuses, or does not answer with a JSON object.
        """
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
                return _object(url, answer)
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


def _is_address(url: str) -> bool:
    """Whether a text is an address of the web whose host can be looked up."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")  # as the look-up does
        return (
            bool(host) and parts.scheme in ("http", "https") and parts.port != 0 and _PLAIN.fullmatch(url) is not None
        )
    except ValueError:
        return False


def _object(url: str, content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise InputError(f"{url} did not answer with a JSON object")
    return answer
