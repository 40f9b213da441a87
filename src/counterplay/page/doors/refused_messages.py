"""Answers to what is no message of JSON-RPC 2.0: the library of the protocol has none, and its sender would wait for ever.

The library hands on, among the messages, the error of each line that it cannot read. A line that is no JSON is answered with
-32700, JSON that is no request with -32600; under the id of the request where it has one.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self, TextIO

import anyio.to_thread
from anyio import EndOfStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from counterplay.budget import QUESTION
from counterplay.page.requests import fault_of

_NO_JSON = "json_invalid"
_TOO_LONG = f"a request has less than {QUESTION.bytes:,} characters"
_REQUEST, _NOTIFICATION = "JSONRPCRequest", "JSONRPCNotification"
"""The kinds of messages as which the library tries to read a line, by the names that its faults have."""


class SoundMessages(AbstractAsyncContextManager[Any]):
    """A stream of what comes in, without what is no message: that is answered at once.

    Args:
        heard: what comes in: messages, and the errors of lines that are none.
        told: where answers go.
    """

    def __init__(self, heard: Any, told: Any) -> None:
        self._heard, self._told = heard, told

    @property
    def last_context(self) -> Any:
        """Of the sender of the last message."""
        return getattr(self._heard, "last_context", None)

    async def receive(self) -> SessionMessage:
        """The next message."""
        while isinstance(item := await self._heard.receive(), Exception):
            answer = refusal(item)
            if answer is not None:
                await self._told.send(SessionMessage(answer))
        found: SessionMessage = item
        return found

    async def aclose(self) -> None:
        """Close what comes in."""
        await self._heard.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def sound_lines(stream: TextIO) -> AsyncIterator[str]:
    """The lines of a stream, as the library should read them.

    It takes a request whose id is neither text nor a whole number for a notification, which has no answer; here such a line
    loses its method. So that no line fills the memory, of longer ones only the beginning is read.
    """
    while line := await anyio.to_thread.run_sync(stream.readline, QUESTION.bytes):
        rest = line
        while len(rest) == QUESTION.bytes and not rest.endswith("\n"):
            line, rest = json.dumps(_TOO_LONG), await anyio.to_thread.run_sync(stream.readline, QUESTION.bytes)
        yield line if _has_sound_id(line) else '{"jsonrpc": "2.0", "id": {}}'


def _has_sound_id(line: str) -> bool:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return True  # no JSON, which the library says
    if not isinstance(told, dict) or "method" not in told or "id" not in told:
        return True
    return isinstance(told["id"], int | str) and not isinstance(told["id"], bool)


def refusal(error: Exception) -> JSONRPCError | None:
    """The answer to a line that is no message; None to an empty line and to a broken answer, for which nobody waits."""
    faults: list[Any] = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    if not faults:
        return _error(None, PARSE_ERROR, "the line cannot be read")
    if faults[0]["type"] == _NO_JSON:
        return _error(None, PARSE_ERROR, str(faults[0]["msg"])) if faults[0]["input"].strip() else None
    if faults[0]["input"] == _TOO_LONG:
        return _error(None, INVALID_REQUEST, _TOO_LONG)
    told = next(
        (fault["input"] for fault in faults if isinstance(fault["input"], dict) and fault["type"] == "missing"), {}
    )
    if "method" not in told and told.keys() & {"result", "error"}:
        return None
    known = told.get("id")
    number = known if isinstance(known, int | str) and not isinstance(known, bool) else None
    kind = _REQUEST if "id" in told else _NOTIFICATION
    own = [{**fault, "loc": fault["loc"][1:2]} for fault in faults if fault["loc"][:1] == (kind,)]
    return _error(number, INVALID_REQUEST, fault_of(own or faults))


def _error(number: int | str | None, code: int, about: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=about))
