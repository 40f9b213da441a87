"""Routes of the page, of spots that are built, solved and looked at, and of jobs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.page.jobs import Job, Jobs
from counterplay.page.requests import begin_solve, size_answer
from counterplay.page.shelf import Shelf
from counterplay.page.views import (
    CLASSES,
    card_view,
    classes_view,
    combos_view,
    node_view,
    range_answer,
    spot_view,
)
from counterplay.poker.spots.node_table import write_csv, write_ranges
from counterplay.poker.spots.solve_spot import EXPLOITABILITY

Name = Annotated[str, Path(max_length=16)]
Cell = Annotated[int, Query(ge=0, lt=CLASSES, description="A class of the grid, row by row.")]
Seat = Annotated[int, Query(ge=0, le=1, description="0 is out of position, 1 in position.")]
NodePath = Annotated[str, Query(max_length=1000, description="Actions and cards: 'x b100 c Ah'.")]
Notation = Annotated[str, Query(max_length=20, description="plain, percent, gto+ or pio.")]
TEXT = 20_000
"""Letters of a range or of leaks."""


class SpotBody(BaseModel):
    """A spot: the fields of a TOML file of one."""

    model_config = ConfigDict(extra="forbid")
    board: str = Field(max_length=40)
    oop: str = Field(max_length=TEXT)
    ip: str = Field(max_length=TEXT)
    pot: float
    stack: float | list[float]
    bets: str | None = Field(None, max_length=1000)
    raises: int | list[int] | None = None
    rake: float | None = None
    rake_cap: float | None = None
    min_bet: float | None = None
    all_in_at: float | None = None
    deck: str | None = Field(None, max_length=2)
    rules: str | None = Field(None, max_length=20)
    big_blind: float | None = None

    def table(self) -> dict[str, Any]:
        """The table of `Spot.from_table`."""
        return {name: value for name, value in self if value is not None}


class SolveBody(BaseModel):
    """A spot to solve, to an exploitability in per cent of the pot."""

    spot: SpotBody
    exploitability: float = Field(EXPLOITABILITY, gt=0.0, le=100.0)


class RangeBody(BaseModel):
    """A range: a text in any notation, or the 169 weights of a grid."""

    text: str | None = Field(None, max_length=TEXT)
    weights: list[float] | None = Field(None, min_length=CLASSES, max_length=CLASSES)


def add_spot_routes(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    """Add all routes."""
    _add_building(app, shelf, jobs)
    _add_jobs(app, jobs)
    _add_spots(app, shelf)


def _add_building(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    @app.get("/api/page")
    def page() -> dict[str, Any]:
        """The version, the names of the 169 classes, and the spot that was opened with the page."""
        return {"version": version(), "classes": classes_view(), "opened": shelf.first, "worker": jobs.worker}

    @app.post("/api/size")
    def size(body: SpotBody) -> dict[str, Any]:
        """How large a spot is, and the command that solves it."""
        answer: dict[str, Any] = jobs.ask(size_answer, shelf, body.table())
        return answer

    @app.post("/api/range")
    def read_range(body: RangeBody) -> dict[str, Any]:
        """A range as a grid, and as texts of other programs."""
        if (body.text is None) == (body.weights is None):
            raise InputError("a range is given by a text or by weights")
        answer: dict[str, Any] = jobs.ask(range_answer, body.text, body.weights)
        return answer

    @app.post("/api/solve")
    def solve(body: SolveBody) -> dict[str, Any]:
        """Begin to solve a spot; its name, and its job, or none if it is solved already."""
        return begin_solve(shelf, jobs, body.spot.table(), body.exploitability).view()


def _add_jobs(app: FastAPI, jobs: Jobs) -> None:
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


def _add_spots(app: FastAPI, shelf: Shelf) -> None:
    @app.get("/api/spots")
    def spots() -> list[dict[str, Any]]:
        """The solved spots, the latest first."""
        return shelf.spots()

    @app.get("/api/spots/{name}")
    def show_spot(name: Name) -> dict[str, Any]:
        """A solved spot: its fields, accuracy, command and file."""
        return {**spot_view(shelf.spot(name)), "file": str(shelf.path(name))}

    @app.get("/api/spots/{name}/node")
    def node(name: Name, path: NodePath = "") -> dict[str, Any]:
        """A node: strategy, range, EV and equity, class by class."""
        return node_view(shelf.spot(name), path)

    @app.get("/api/spots/{name}/combos")
    def combos(
        name: Name,
        cell: Annotated[int, Query(ge=0, lt=CLASSES)],
        seat: Annotated[int, Query(ge=0, le=1)],
        path: NodePath = "",
    ) -> list[dict[str, Any]]:
        """The hands of a class at a node, with the EV of each action."""
        return combos_view(shelf.spot(name), path, cell, seat)

    @app.get("/api/spots/{name}/card")
    def card(name: Name, path: NodePath) -> dict[str, Any]:
        """EV and equity at a node, as of a card to come."""
        return card_view(shelf.spot(name), path)

    @app.get("/api/spots/{name}/node.csv")
    def table(name: Name, path: NodePath = "") -> Response:
        """A node hand by hand, as a table."""
        solved = shelf.spot(name)
        return download(write_csv([solved.node(path)], solved.spot.deck), "node.csv", "text/csv")

    @app.get("/api/spots/{name}/ranges.txt")
    def ranges(name: Name, path: NodePath = "", notation: Notation = "plain") -> Response:
        """The range of each action at a node, as another program writes ranges."""
        solved = shelf.spot(name)
        return download(write_ranges(solved.node(path), solved.spot.deck, notation), "ranges.txt", "text/plain")


def download(content: bytes, name: str, kind: str) -> Response:
    """A file to be kept by the browser."""
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})
