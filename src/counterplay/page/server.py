"""The server of the page: JSON over HTTP under /api, and the files of the page itself."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from counterplay.about import version
from counterplay.budget import BusyError
from counterplay.errors import InputError, quoted
from counterplay.files import discard_partial
from counterplay.page.game_routes import add_game_routes, add_table_routes
from counterplay.page.guard import Guard, is_everywhere, is_loopback, names_of
from counterplay.page.jobs import Jobs
from counterplay.page.requests import fault_of
from counterplay.page.shelf import Shelf
from counterplay.page.spot_routes import add_answer_routes, add_spot_routes
from counterplay.page.tables import PlayTables

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PATIENCE = 1.5
"""Seconds after Ctrl-C in which requests may end."""
_STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Address:
    """Where the page is served: an address of this machine, or all of them (0.0.0.0 or ::). token: None on loopback
    addresses, which alone need none."""

    host: str = "127.0.0.1"
    port: int = 8640
    token: str | None = None

    @staticmethod
    def at(host: str, port: int) -> Address:
        """The address, as browsers write it (an IP in its usual form, a name in small letters), with a fresh token where
        others can reach it."""
        host = host.removeprefix("[").removesuffix("]").lower()
        with contextlib.suppress(OSError, UnicodeError):
            host = str(socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)[0][4][0])
        return Address(host, port, None if is_loopback(host) else secrets.token_urlsafe(24))

    @property
    def hosts(self) -> frozenset[str]:
        """The names by which it may be asked for; where it is all addresses, each of them is one, too."""
        names = {self.host}
        if is_everywhere(self.host):
            names = {*_LOOPBACK, socket.gethostname().lower()}
        elif is_loopback(self.host):
            names |= {*_LOOPBACK}
        return frozenset(written for name in names for written in names_of(name, self.port))

    @property
    def url(self) -> str:
        host = "localhost" if is_everywhere(self.host) else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/" + (
            f"?token={self.token}" if self.token else ""
        )

    def bound(self) -> socket.socket:
        """A socket that listens there; refused if the address is not of this machine, or the port is taken or reserved."""
        elsewhere = InputError(f"--host {quoted(self.host)} is no address of this machine, and no name of one")
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise elsewhere from None
        family, kind, protocol, _, where = min(found, key=lambda one: one[0] != socket.AF_INET)
        try:
            made = socket.socket(family, kind, protocol)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(where)
            made.listen()
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise elsewhere from None
            raise InputError(f"the page cannot be served at {self.host}:{self.port}: choose another --port") from None
        return made


_KIND: ContextVar[str] = ContextVar("kind", default="error")


class _Document(JSONResponse):
    """An answer as a document: with its kind, which is the name of the route, and the version of the library."""

    def render(self, content: Any) -> bytes:
        if isinstance(content, dict):
            content = {"kind": _KIND.get(), "version": version(), **content}
        return super().render(content)


class _Route(APIRoute):
    """A route that says what kind of document it answers with."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer, kind = super().get_route_handler(), self.name.replace("_", " ").strip()

        async def handle(request: Request) -> Response:
            _KIND.set(kind)
            return await answer(request)

        return handle


def make_app(shelf: Shelf, jobs: Jobs, tables: PlayTables, address: Address) -> Guard:
    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        jobs.end()
        tables.end()

    # No page of documentation: FastAPI's loads its script from elsewhere.
    app = FastAPI(
        title="Counterplay", version=version(), docs_url=None, redoc_url=None, openapi_url="/api/schema.json", lifespan=life,
        default_response_class=_Document,
    )  # fmt: skip
    app.router.route_class = _Route
    for kind in (InputError, BusyError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _refused)
    add_spot_routes(app, shelf, jobs)
    add_answer_routes(app, shelf, jobs)
    add_game_routes(app, shelf, jobs)
    add_table_routes(app, shelf, jobs, tables)
    app.mount("/", StaticFiles(directory=_STATIC, html=True))
    return Guard(app, address.hosts, address.token, is_everywhere(address.host))


def serve(shelf: Shelf, address: Address, opened: bool = True, view: str = "") -> None:
    """Serve the page until Ctrl-C, which ends the process. opened: in the browser; view: end of the address, for the first
    view, such as "#/research?game=leduc"."""
    listening = address.bound()
    jobs, tables = Jobs(), PlayTables()
    app = make_app(shelf, jobs, tables, address)
    server = _Server(uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=1), jobs, tables)
    print(f"the page is at {address.url}{view} (Ctrl-C ends it; solved spots are kept in {shelf.folder})", flush=True)
    if opened:
        webbrowser.open(address.url + view)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    server.end_at_once()


class _Server(uvicorn.Server):
    """A server that ends soon after Ctrl-C or `kill`, whatever its requests and processes are at."""

    def __init__(self, config: uvicorn.Config, jobs: Jobs, tables: PlayTables) -> None:
        super().__init__(config)
        self._jobs, self._tables = jobs, tables

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it would list the requests that it cuts off
        # The process must not wait for threads that still answer a request.
        threading.Timer(_PATIENCE, self.end_at_once).start()
        super().handle_exit(sig, frame)

    def end_at_once(self) -> NoReturn:
        """End all processes: an interpreter that is taken down takes seconds on a loaded machine."""
        discard_partial()
        for process in (*self._jobs.processes, *self._tables.processes):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        os._exit(0)


async def _refused(_: Request, error: Exception) -> Response:
    """One sentence about a request, of an invalid one about its first fault."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": str(error.detail)}, error.status_code)
    if isinstance(error, BusyError):
        return JSONResponse({"error": str(error)}, 503, {"retry-after": "5"})
    text = fault_of(error.errors()) if isinstance(error, RequestValidationError) else str(error)
    return JSONResponse({"error": text}, 422)
