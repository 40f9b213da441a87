"""The commands that serve the web page, and assistants."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import counterplay as cp
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.parsing.process import INTERRUPTED, leave
from counterplay.errors import InputError
from counterplay.files import BLUEPRINT, QUESTION, SPOT, check_folder
from counterplay.option import Option

Folder = Annotated[Path | None, "Where solved spots are kept (in the user's cache folder)."]


@takes_records("page river.spot")
def page(
    *,
    shown: Annotated[
        str | None,
        Option("A solved .spot, spot.toml, a .cpb, or leduc, ...", metavar="[SPOT|GAME|FILE]", positional=True),
    ] = None,
    folder: Folder = None,
    host: Annotated[str, "An address of this machine; others than loopback need a token."] = "127.0.0.1",
    port: Annotated[int, Option("Of the address.", least=1, most=65535)] = 8640,
    no_browser: Annotated[bool, "Do not open the browser."] = False,
) -> None:
    """Open a web page: build and solve spots, look at them, and answer the leaks of an opponent."""
    try:
        from counterplay.page.server import Address, serve
        from counterplay.page.shelf import Shelf
    except ModuleNotFoundError as error:
        raise InputError(f"the page needs {error.name}: pip install 'counterplay[page]'") from None
    spot, blueprint = (Path(shown) if shown and shown.endswith(ending) else None for ending in (SPOT, BLUEPRINT))
    view = "" if shown is None or spot is not None else _view_of(shown)
    serve(Shelf(_folder(folder), spot, blueprint), Address.at(host, port), not no_browser, view)


def _view_of(shown: str) -> str:
    """The view of a spot that is not solved, of a blueprint, or of a game of the catalogue: the end of its address."""
    if shown.endswith(BLUEPRINT):
        from counterplay.poker.whole_game.blueprints.blueprint_file import game_in

        game_in(Path(shown))
        return f"#/play?{urlencode({'game': Path(shown).name, 'against': 'blueprint'})}"
    if shown.endswith(QUESTION):
        table = cp.Spot.from_file(shown).table().items()
        fields = {name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in table}
        return f"#/build?{urlencode(fields)}"
    return f"#/research?{urlencode({'game': str(cp.GameSpec.from_text(shown))})}"


@takes_records("mcp --folder spots")
def mcp(*, folder: Folder = None) -> None:
    """Serve assistants over the Model Context Protocol, on standard input and output: they can solve, lock and respond."""
    try:
        from counterplay.page.assistant import make_assistant
        from counterplay.page.jobs import Jobs
        from counterplay.page.shelf import Shelf
    except ModuleNotFoundError as error:
        raise InputError(f"assistants need {error.name}: pip install 'counterplay[mcp]'") from None
    jobs = Jobs()

    def ended(*_: object) -> None:
        jobs.end()
        leave(INTERRUPTED)  # at once: a thread waits for the next line of standard input, and nothing else would end it

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ended)
    try:
        make_assistant(Shelf(_folder(folder)), jobs).run()
    finally:
        jobs.end()


def _folder(chosen: Path | None) -> Path:
    """The folder of solved spots, made if it is missing."""
    from counterplay.poker.spots.solve_spot import usual_folder

    folder = chosen or usual_folder()
    if folder is None:
        raise InputError("the cache is disabled or not safe: name a folder for solved spots with --folder")
    folder.parent.mkdir(0o700, parents=True, exist_ok=True)
    check_folder(folder)
    folder.mkdir(0o700, exist_ok=True)
    return folder
