"""Routes of games in memory: frontiers and solves as jobs, and tables where a person plays."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Path
from pydantic import BaseModel, Field

from counterplay.catalogue import METHODS
from counterplay.errors import InputError
from counterplay.games import GAMES
from counterplay.page.game_tasks import check_model, game_of
from counterplay.page.jobs import Jobs
from counterplay.page.requests import BY_DIAL, begin_curves, begin_frontier
from counterplay.page.shelf import Shelf, is_name
from counterplay.page.tables import OPPONENTS, SPOT_OPPONENTS, PlayTables, TableSetup
from counterplay.solvers.minimiser import MINIMISERS

Text = Annotated[str, Field(max_length=200)]


class FrontierBody(BaseModel):
    """A game of the catalogue, a model of the opponent, and methods over their dials."""

    game: Text
    model: Text
    methods: list[Text] = Field(["rnr", "mix", "br"], min_length=1, max_length=6)
    points: int = Field(11, ge=2, le=41)
    seat: int = Field(0, ge=0, le=1)


class SolveGameBody(BaseModel):
    """A game of the catalogue, and regret minimisers to compare."""

    game: Text
    methods: list[Text] = Field(["cfr", "cfr+", "dcfr", "pcfr+"], min_length=1, max_length=5)
    iterations: int = Field(300, ge=1, le=20_000)


class TableBody(BaseModel):
    """A table: a game of the catalogue, or the name of a solved spot; the opponent, and the person's seat."""

    game: Text
    against: Text = "nash"
    seat: int = Field(0, ge=0, le=1)
    seed: int = Field(0, ge=0, lt=2**31)


class MoveBody(BaseModel):
    """An action by its name."""

    action: Text


def add_game_routes(app: FastAPI, shelf: Shelf, jobs: Jobs, tables: PlayTables) -> None:
    """Add all routes."""
    _add_research(app, shelf, jobs)
    _add_tables(app, shelf, tables)


def _add_research(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    @app.get("/api/games")
    def games() -> dict[str, Any]:
        """The games of the catalogue, the methods with a frontier, and the regret minimisers."""
        return {
            "games": [{"text": entry.example, "about": entry.about} for entry in GAMES.values()],
            "methods": {name: METHODS[name] for name in BY_DIAL},
            "minimisers": list(MINIMISERS),
            "opponents": OPPONENTS,
        }

    @app.post("/api/frontiers")
    def frontier(body: FrontierBody) -> dict[str, Any]:
        """Begin a frontier; its name, and its job, or none if it is known."""
        asked = (body.game, body.model, body.methods, body.points, body.seat)
        return begin_frontier(shelf, jobs, *asked).view()

    @app.post("/api/solves")
    def solve(body: SolveGameBody) -> dict[str, Any]:
        """Begin to solve a game by several minimisers; the name of the result, and its job, or none if it is known."""
        return begin_curves(shelf, jobs, body.game, body.methods, body.iterations).view()

    @app.get("/api/results/{name}")
    def result(name: Annotated[str, Path(max_length=16)]) -> dict[str, Any]:
        """A finished frontier or comparison of minimisers."""
        return shelf.result(name)


def _add_tables(app: FastAPI, shelf: Shelf, tables: PlayTables) -> None:
    @app.post("/api/tables")
    def sit(body: TableBody) -> dict[str, Any]:
        """Sit down at a new table; its state."""
        if is_name(body.game) and shelf.exploitability(body.game) is not None:
            source, against = str(shelf.path(body.game)), _player_of_spot(shelf, body)
        else:
            source, against = str(game_of(body.game)), body.against
            if against not in OPPONENTS:
                check_model(game_of(body.game), against)
        return tables.open(TableSetup(source, against, body.seat, body.seed)).view()

    @app.get("/api/tables/{number}")
    def show(number: int) -> dict[str, Any]:
        """A table: the question to the person, the last hand, and the running result."""
        return tables.table(number).view()

    @app.post("/api/tables/{number}/move")
    def move(number: int, body: MoveBody) -> dict[str, Any]:
        """Answer with an action; the table's next state."""
        return tables.table(number).move(body.action)

    @app.post("/api/tables/{number}/leave")
    def leave(number: int) -> dict[str, Any]:
        """Leave a table."""
        return tables.leave(number)


def _player_of_spot(shelf: Shelf, body: TableBody) -> str:
    """The agent's text of an opponent in a solved spot: one of `SPOT_OPPONENTS`, or who has the leaks of an answer, or plays
    the answer to them, as `villain:ANSWER` and `answer:ANSWER`.

    Raises:
        InputError: another text, since it could name a file or code; or another seat than that of this player.
    """
    kind, colon, name = body.against.partition(":")
    if colon and kind in ("villain", "answer"):
        facts = shelf.answer(name)
        theirs = int(facts["opponent"]) if kind == "villain" else 1 - int(facts["opponent"])
        if facts["spot"] != body.game:
            raise InputError(f"the answer {name} is one in the spot {facts['spot']}")
        if theirs == body.seat:
            raise InputError(f"the {kind} of {name} sits in seat {theirs}: take the other one")
        return str(shelf.corner_path(name, len(facts["corners"]) - 1))
    if body.against not in SPOT_OPPONENTS:
        raise InputError(
            f"in a spot the opponent is one of {', '.join(SPOT_OPPONENTS)}, villain:ANSWER or answer:ANSWER"
        )
    return body.against
