"""The server of the page: JSON over HTTP under /api, and the files of the page itself."""

from __future__ import annotations

import contextlib
import secrets
import webbrowser
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.page.answer_routes import add_answer_routes
from counterplay.page.game_routes import add_game_routes
from counterplay.page.guard import Guard, is_loopback
from counterplay.page.jobs import Jobs
from counterplay.page.requests import fault_of
from counterplay.page.shelf import Shelf
from counterplay.page.spot_routes import add_spot_routes
from counterplay.page.table_routes import add_table_routes
from counterplay.page.tables import PlayTables

_STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Address:
    """Where the page is served.

    Attributes:
        host: an address of this machine; other than a loopback address it needs a token.
        port: of it.
        token: None on loopback addresses.
    """

    host: str = "127.0.0.1"
    port: int = 8640
    token: str | None = None

    @staticmethod
    def at(host: str, port: int) -> Address:
        """The address, with a fresh token where others can reach it."""
        return Address(host, port, None if is_loopback(host) else secrets.token_urlsafe(24))

    @property
    def hosts(self) -> frozenset[str]:
        """The names by which it may be asked for."""
        names = {self.host, *(("127.0.0.1", "localhost", "[::1]") if is_loopback(self.host) else ())}
        return frozenset(f"{f'[{name}]' if ':' in name and name[0] != '[' else name}:{self.port}" for name in names)

    @property
    def url(self) -> str:
        """The address to open."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")


def make_app(shelf: Shelf, jobs: Jobs, tables: PlayTables, address: Address) -> Guard:
    """The application: routes behind the guard."""

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        jobs.end()
        tables.end()

    # No page of documentation: FastAPI's loads its script from elsewhere.
    app = FastAPI(
        title="Counterplay",
        version=version(),
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/schema.json",
        lifespan=life,
    )
    app.add_exception_handler(InputError, _sentence)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_such)
    add_spot_routes(app, shelf, jobs)
    add_answer_routes(app, shelf, jobs)
    add_game_routes(app, shelf, jobs)
    add_table_routes(app, shelf, tables)
    app.mount("/", StaticFiles(directory=_STATIC, html=True))
    return Guard(app, address.hosts, address.token)


def serve(shelf: Shelf, address: Address, opened: bool = True, view: str = "") -> None:
    """Serve the page until Ctrl-C.

    Args:
        shelf: its files.
        address: where.
        opened: open it in the browser.
        view: end of the address, of the view that is shown first, such as "#/research?game=leduc".

    Raises:
        InputError: the address is taken, or not of this machine.
    """
    app = make_app(shelf, Jobs(), PlayTables(), address)
    server = uvicorn.Server(
        uvicorn.Config(app, host=address.host, port=address.port, log_level="warning", lifespan="on")
    )
    try:
        socket = server.config.bind_socket()
    except (OSError, SystemExit):
        raise InputError(f"the page cannot be served at {address.host}:{address.port}: choose another --port") from None
    print(f"the page is at {address.url}{view} (Ctrl-C ends it; solved spots are kept in {shelf.folder})", flush=True)
    if opened:
        webbrowser.open(address.url + view)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[socket])


async def _sentence(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 422)


async def _invalid(_: Request, error: Exception) -> Response:
    """The first fault of a request in one sentence."""
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"error": fault_of(error.errors())}, 422)


async def _no_such(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code)
