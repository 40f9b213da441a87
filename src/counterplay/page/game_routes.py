"""Routes of games in memory: frontiers, solves and gadgets as jobs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Path
from pydantic import BaseModel, Field
from starlette.responses import Response

from counterplay.catalogue import METHODS
from counterplay.gadgets import GADGETS
from counterplay.games import GAMES
from counterplay.page.game_tasks import GadgetQuestion
from counterplay.page.jobs import Jobs
from counterplay.page.reproductions import reproductions
from counterplay.page.requests import BY_DIAL, begin_curves, begin_frontier, begin_gadget, begin_reproduction
from counterplay.page.shelf import Shelf
from counterplay.page.table_routes import OPPONENTS
from counterplay.solvers.minimiser import MINIMISERS

Text = Annotated[str, Field(max_length=200)]
Paper = Annotated[str, Path(max_length=40)]


class FrontierBody(BaseModel):
    """A game of the catalogue or the name of a solved spot, a model of the opponent, and methods over their dials."""

    game: Text
    model: Text
    methods: list[Text] = Field(["rnr", "mix", "br"], min_length=1, max_length=6)
    points: int = Field(11, ge=2, le=41)
    seat: int = Field(0, ge=0, le=1)


class SolveGameBody(BaseModel):
    """A game of the catalogue or the name of a solved spot, and regret minimisers to compare."""

    game: Text
    methods: list[Text] = Field(["cfr", "cfr+", "dcfr", "pcfr+"], min_length=1, max_length=5)
    iterations: int = Field(300, ge=1, le=20_000)


class GadgetBody(BaseModel):
    """A game of the catalogue or the name of a solved spot, a blueprint (of a spot also its `solution`), a place, a gadget,
    and the number of a subgame there; or instead of the number an infoset of the resolver, in a spot a path up to a card.
    """

    game: Text
    blueprint: Text = "cfr:10"
    at: Text = "round"
    gadget: Text = "resolving"
    subgame: int = Field(1, ge=1, le=100_000)
    seat: int = Field(0, ge=0, le=1)
    only: str | None = Field(None, max_length=1000)


def add_game_routes(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    """Add all routes."""
    _add_research(app, shelf, jobs)
    _add_reproductions(app, shelf, jobs)


def _add_research(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    @app.get("/api/games")
    def games() -> dict[str, Any]:
        """The games of the catalogue, the methods with a frontier, and the regret minimisers."""
        return {
            "games": [{"text": entry.example, "about": entry.about} for entry in GAMES.values()],
            "methods": {name: METHODS[name] for name in BY_DIAL},
            "minimisers": list(MINIMISERS),
            "opponents": OPPONENTS,
            "gadgets": list(GADGETS),
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

    @app.post("/api/gadgets")
    def gadget(body: GadgetBody) -> dict[str, Any]:
        """Begin to solve and draw the gadget of a subgame; the name of the result, and its job, or none if it is known."""
        asked = (body.game, body.blueprint, body.at, body.gadget, body.subgame, body.seat, body.only)
        return begin_gadget(shelf, jobs, GadgetQuestion(*asked)).view()

    @app.get("/api/results/{name}")
    def result(name: Annotated[str, Path(max_length=16)]) -> dict[str, Any]:
        """A finished frontier or comparison of minimisers."""
        return shelf.result(name)


def _add_reproductions(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    @app.get("/api/reproductions")
    def listed() -> list[dict[str, Any]]:
        """Tables and figures of papers, and which of them were computed here."""
        return reproductions().list_reproductions(shelf.reproductions)

    @app.get("/api/reproductions/{name}")
    def show(name: Paper) -> dict[str, Any]:
        """A table: its numbers, computed here or with the package, ours beside the paper's."""
        return reproductions().reproduction_view(name, shelf.reproductions)

    @app.get("/api/reproductions/{name}/picture.png")
    def picture(name: Paper) -> Response:
        """Its picture."""
        return Response(reproductions().picture_of(name, shelf.reproductions), media_type="image/png")

    @app.post("/api/reproductions/{name}")
    def reproduce(name: Paper) -> dict[str, Any]:
        """Begin its quick run; its job."""
        return begin_reproduction(shelf, jobs, name).view()
