"""The guard of the server: only requests of our own page are answered, by host, origin, size and, off loopback, by token."""

from __future__ import annotations

import hmac
from asyncio import timeout
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from counterplay.budget import IN_FLIGHT, QUESTION, UPLOAD, Deadline
from counterplay.texts.readers import whole_of

UPLOADS = {"/api/hands": 20_000_000, "/api/uploads": UPLOAD.bytes}
"""Bytes of the largest body of a request to routes that take files; to others `QUESTION.bytes`."""
_USUAL = 80
"""The port of http."""
COOKIE = "counterplay-token"
_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def names_of(host: str, port: int) -> tuple[str, ...]:
    """Names that browsers may give for the host of a request: the usual port is left out."""
    name = f"[{host}]" if ":" in host else host
    return (name, f"{name}:{port}") if port == _USUAL else (f"{name}:{port}",)


@dataclass
class Guard:
    """Refuses requests that are not of our own page.

    A page of another site cannot read our answers, but it could send requests. So each must name this server as its host
    (which defeats names that are bound to a loopback address), its origin, if there is one, must be that host, and what is
    sent must be JSON.

    Attributes:
        hosts: names of this server, with the port.
        token: required of each request if not None: as a cookie, which the address with `?token=` sets, or as a bearer.
        everywhere: whether the address at which a request arrived is a name, too.
        in_flight: bytes of the bodies of requests that are being answered.
    """

    app: ASGIApp
    hosts: frozenset[str]
    token: str | None = None
    everywhere: bool = False
    in_flight: int = field(default=0, init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, send)
            return

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *extra]}
            await send(message)

        most = _most(scope)
        size = min(whole_of(Headers(scope=scope).get("content-length", "")) or 0, most)
        self.in_flight += size
        try:
            await self.app(scope, _Body(receive, most).receive, headed)
        finally:
            self.in_flight -= size

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = self.hosts
        if self.everywhere:  # and the address at which the request arrived
            host, port = scope.get("server") or ("", 0)
            with suppress(ValueError):
                host = str(getattr(ip_address(host), "ipv4_mapped", None) or host)
            hosts |= {*names_of(host, port)}
        if headers.get("host", "").lower() not in hosts:
            return _refused(421, "this page does not have the name by which it was asked for")
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] not in hosts:
            return _refused(403, "requests from other sites are refused")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _refused(403, "requests from other sites are refused")
        if scope["method"] not in ("GET", "HEAD"):
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return _refused(415, "what is sent must be JSON")
            length, most = whole_of(headers.get("content-length", "")), _most(scope)
            if length is None or length > most:
                return _refused(413, f"what is sent must have a length of at most {most:,} bytes")
            if length and self.in_flight + length > IN_FLIGHT.bytes:
                return _refused(503, "requests before this one send very much: try again in a moment")
        if self.token is None:
            return None
        request, token = HTTPConnection(scope), self.token
        if (given := request.query_params.get("token", "")) and _same(given, token):
            there = RedirectResponse("/" + request.scope["path"].lstrip("/"), 303)  # two strokes would be another host
            there.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return there
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if _same(request.cookies.get(COOKIE, ""), token) or _same(bearer, token):
            return None
        return _refused(401, "open the address with the token that the command printed")


class _Body:
    """A body of bounded size, whatever length was announced, that comes in a bounded time, however slowly it is sent."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most, self._seen = receive, most, 0
        self._deadline, self._whole = Deadline(UPLOAD.seconds), False

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()  # the end of the connection, which may be kept for ever
        message: Message = {"type": "http.disconnect"}
        with suppress(TimeoutError):
            async with timeout(self._deadline.left):
                message = await self._receive()
        self._whole = not message.get("more_body", False)
        self._seen += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self._seen > self._most else message


def _most(scope: Scope) -> int:
    return UPLOADS.get(scope["path"], QUESTION.bytes)


def _refused(code: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, code)


def _same(one: str, other: str) -> bool:
    """Return whether two secrets are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())
