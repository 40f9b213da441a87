"""Routes of games: frontiers, solves, gadgets and reproductions as jobs, jobs, and tables where a person plays.

The browser names no file and no code: opponents are those offered here, or models of the library, and blueprints are
those in the folder of the page.
"""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import Body, FastAPI, Path
from starlette.responses import Response

from counterplay.budget import UPLOAD
from counterplay.catalogue import METHODS
from counterplay.errors import InputError, quoted
from counterplay.files import BLUEPRINT
from counterplay.gadgets import GADGETS
from counterplay.games import GAMES
from counterplay.page import requests
from counterplay.page.jobs import Job, Jobs
from counterplay.page.shelf import Shelf, is_name
from counterplay.page.tables import PlayTables, TableSetup
from counterplay.page.uploads import GAME, SPOT, WHOLE, keep_player, list_uploads, player_of_upload
from counterplay.poker.whole_game.rules import is_whole_game, read_holdem
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.texts.grammar import bracketed

Paper = Annotated[str, Path(max_length=40)]
OPPONENTS = {
    "nash": "an equilibrium",
    "uniform": "every action with equal probability",
    "cfr+:10": "a weak player: ten iterations of CFR+",
    "resolve:depth=1": "searches at every decision",
}
"""Opponents that are offered; in games of the catalogue any model of the library without files and code will do."""
SPOT_OPPONENTS = {
    **{name: OPPONENTS[name] for name in ("nash", "uniform", "cfr+:10")},
    "resolve": "solves every street again",
    "cdbr": "exploits a player of every action alike, without protection",
    "cdrnr": "exploits one, half protected",
}
"""Those in spots, besides the players of an answer."""
WHOLE_GAMES = {
    "blueprint": "plays the blueprint",
    "resolve": "plays it, and solves every board again",
    "cdbr": "exploits a player of the blueprint, without protection",
    "cdrnr": "exploits one, half protected",
    "passive": "checks and calls",
    "uniform": "every action with equal probability",
}
"""Those in the game of a blueprint, besides other blueprints."""
_PLAIN = ("passive", "uniform")
_SEARCHES = {
    "blueprint": "{1}",
    "resolve": "resolve:street=turn,seconds=2,blueprint={0}",
    "cdbr": "cdbr:street=turn,blueprint={0},to={1}",
    "cdrnr": "cdrnr:p=0.5,street=turn,seconds=2,blueprint={0},to={1}",
}
_SPOT_SEARCHES = {
    "resolve": "resolve:seconds=2", "cdbr": "cdbr:to=uniform", "cdrnr": "cdrnr:p=0.5,seconds=2,to=uniform",
}  # fmt: skip
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.cpb")


def add_game_routes(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    """Add routes of results in games, of reproductions, and of jobs."""

    @app.get("/api/games")
    def games() -> dict[str, Any]:
        """The games of the catalogue, the methods with a frontier, and the regret minimisers."""
        return {
            "games": [{"text": entry.example, "about": entry.about} for entry in GAMES.values()],
            "methods": {name: METHODS[name] for name in requests.BY_DIAL},
            "minimisers": list(MINIMISERS),
            "opponents": OPPONENTS,
            "gadgets": list(GADGETS),
        }

    @app.post("/api/frontiers")
    def frontier(body: requests.FrontierBody) -> dict[str, Any]:
        """Begin a frontier; its name, and its job, or none if it is known."""
        return requests.begin(shelf, jobs, requests.plan_frontier, body).view()

    @app.post("/api/solves")
    def solve(body: requests.SolveGameBody) -> dict[str, Any]:
        """Begin to solve a game by several minimisers; the name of the result, and its job, or none if it is known."""
        return requests.begin(shelf, jobs, requests.plan_curves, body).view()

    @app.post("/api/gadgets")
    def gadget(body: requests.GadgetBody) -> dict[str, Any]:
        """Begin to solve and draw the gadget of a subgame; the name of the result, and its job, or none if it is known."""
        return requests.begin(shelf, jobs, requests.plan_gadget, body).view()

    @app.get("/api/results/{name}")
    def result(name: Annotated[str, Path(max_length=16)]) -> dict[str, Any]:
        """A finished frontier or comparison of minimisers."""
        return shelf.result(name)

    @app.get("/api/reproductions")
    def reproductions() -> list[dict[str, Any]]:
        """Tables and figures of papers, and which of them were computed here."""
        return requests.reproductions().list_reproductions(shelf.reproductions)  # type: ignore[no-any-return]

    @app.get("/api/reproductions/{name}")
    def show(name: Paper) -> dict[str, Any]:
        """A table: its numbers, computed here or with the package, ours beside the paper's."""
        return requests.reproductions().reproduction_view(name, shelf.reproductions)  # type: ignore[no-any-return]

    @app.get("/api/reproductions/{name}/picture.png")
    def picture(name: Paper) -> Response:
        """Its picture."""
        return Response(requests.reproductions().picture_of(name, shelf.reproductions), media_type="image/png")

    @app.post("/api/reproductions/{name}")
    def reproduce(name: Paper) -> dict[str, Any]:
        """Begin its quick run, which finds in its record what is computed already; its job."""
        run = requests.reproductions().quick_run(name, shelf.reproductions)
        return requests.Begun(name, jobs.add("reproduce", name, run)).view()

    def job_of(number: int) -> Job:
        if number not in jobs.all:
            raise InputError(f"there is no job {number}")
        return jobs.all[number]

    @app.get("/api/jobs")
    def list_jobs() -> list[dict[str, Any]]:
        """All jobs, the latest first."""
        return [job.view() for job in reversed(list(jobs.all.values()))]

    @app.get("/api/jobs/{number}")
    def show_job(number: int) -> dict[str, Any]:
        """A job: its state, progress, seconds so far and left."""
        return job_of(number).view()

    @app.post("/api/jobs/{number}/stop")
    def stop(number: int) -> dict[str, Any]:
        """End a job; the best so far is kept."""
        jobs.stop(job_of(number))
        return job_of(number).view()


def add_table_routes(app: FastAPI, shelf: Shelf, jobs: Jobs, tables: PlayTables) -> None:
    """Add routes of tables and of the players there."""

    @app.get("/api/players")
    def players() -> dict[str, Any]:
        """The blueprints of whole games of hold'em in the page's folder, and who plays in each kind of game."""
        given = [] if shelf.blueprint is None else [shelf.blueprint]
        files = [*given, *shelf.folder.glob(f"*{BLUEPRINT}")]
        names = sorted({path.name for path in files if path in given or _is_own(path)})
        return {"blueprints": names, "games": OPPONENTS, "spots": SPOT_OPPONENTS, "whole": WHOLE_GAMES}

    @app.get("/api/uploads")
    def uploads() -> list[dict[str, Any]]:
        """Players of uploaded strategies and hand histories, and the kinds of games in which they sit down."""
        return list_uploads(shelf)

    @app.post("/api/uploads")
    def upload(file: Annotated[str, Body(max_length=300)], content: Annotated[str, Body()]) -> dict[str, Any]:
        """Keep a player's file: a blueprint, a strategy of a game, or hand histories; who is offered because of it."""
        return jobs.ask(keep_player, shelf, file, content, budget=UPLOAD)

    @app.post("/api/tables")
    def sit(body: requests.TableBody) -> dict[str, Any]:
        """Sit down at a new table; its state."""
        source, against = jobs.ask(seated, shelf, body)
        setup = TableSetup(source, against, body.seat, body.seed, (body.game, body.against))
        return tables.open(setup).view()

    @app.get("/api/tables/{number}")
    def show(number: int) -> dict[str, Any]:
        """A table: the question to the person, the last hand, and the running result."""
        return tables.table(number).view()

    @app.post("/api/tables/{number}/move")
    def move(number: int, action: Annotated[str, Body(max_length=200, embed=True)]) -> dict[str, Any]:
        """Answer with an action; the table's next state."""
        return tables.table(number).move(action)

    @app.post("/api/tables/{number}/leave")
    def leave(number: int) -> dict[str, Any]:
        """Leave a table."""
        return tables.leave(number)


def seated(shelf: Shelf, body: requests.TableBody) -> tuple[str, str]:
    """The game and the agent's text: in a solved spot, in the game of a blueprint, in a whole game or in one of the
    catalogue. A text that could name a file or code is refused."""
    if is_name(body.game) and shelf.exploitability(body.game) is not None:
        uploaded = player_of_upload(shelf, body.against, SPOT)
        return str(shelf.path(body.game)), uploaded or _player_of_spot(shelf, body)
    if body.game.endswith(BLUEPRINT):
        own = str(_blueprint(shelf, body.game))
        if uploaded := player_of_upload(shelf, body.against, WHOLE, own):
            return own, uploaded
        if body.against in WHOLE_GAMES:
            return own, _SEARCHES.get(body.against, body.against).format(bracketed(own), own)
        if body.against.endswith(BLUEPRINT):
            return own, str(_blueprint(shelf, body.against))
        known = ", ".join(WHOLE_GAMES)
        raise InputError(f"in the game of a blueprint the opponent is one of {known}, or another blueprint")
    if is_whole_game(body.game):
        if "buckets" in body.game:
            raise InputError("on the page a whole game of hold'em without buckets is played, or that of a blueprint")
        read_holdem(body.game)
        if body.against not in _PLAIN:
            raise InputError(f"without a blueprint the opponent is one of {', '.join(_PLAIN)}")
        return body.game, body.against
    ground = requests.Ground.of(shelf, body.game)
    uploaded = player_of_upload(shelf, body.against, GAME)
    return ground.source, uploaded or (body.against if body.against in OPPONENTS else ground.model(body.against))


def _blueprint(shelf: Shelf, name: str) -> FilePath:
    """A blueprint of the page's folder, or the one that was given with the page."""
    if shelf.blueprint is not None and name == shelf.blueprint.name:
        return shelf.blueprint
    path = shelf.folder / name
    if path.name != name or not _is_own(path):
        raise InputError(f"there is no blueprint {quoted(name)} in the folder of the page")
    return path


def _is_own(path: FilePath) -> bool:
    """Return whether a path in the page's folder is a blueprint that is offered."""
    return _FILE.fullmatch(path.name) is not None and not path.is_symlink() and path.is_file()


def _player_of_spot(shelf: Shelf, body: requests.TableBody) -> str:
    """The agent's text of an opponent in a solved spot: one of `SPOT_OPPONENTS`, or who has the leaks of an answer, or plays
    the answer to them, as `villain:ANSWER` and `answer:ANSWER`."""
    kind, colon, name = body.against.partition(":")
    if colon and kind in ("villain", "answer"):
        facts = shelf.answer(name)
        theirs = int(facts["opponent"]) if kind == "villain" else 1 - int(facts["opponent"])
        if facts["spot"] != body.game:
            raise InputError(f"the answer {name} is one in the spot {facts['spot']}")
        if theirs == body.seat:
            raise InputError(f"the {kind} of {name} sits in seat {theirs}: take the other one")
        last = len(facts["corners"]) - 1
        return str(shelf.villain_path(name) if kind == "villain" else shelf.corner_path(name, last))
    if body.against not in SPOT_OPPONENTS:
        known = ", ".join(SPOT_OPPONENTS)
        raise InputError(f"in a spot the opponent is one of {known}, villain:ANSWER or answer:ANSWER")
    return _SPOT_SEARCHES.get(body.against, body.against)
