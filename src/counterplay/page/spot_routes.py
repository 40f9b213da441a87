"""Routes of spots that are built, solved and looked at, and of opponents: leaks, hand histories, and answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import Body, FastAPI, Path, Query
from starlette.responses import Response

from counterplay.about import version
from counterplay.budget import QUESTION, UPLOAD
from counterplay.errors import InputError
from counterplay.page import requests, views
from counterplay.page.jobs import Jobs
from counterplay.page.shelf import Shelf, describe
from counterplay.page.uploads import hands_view, keep_hands, shown_view, villain_view
from counterplay.poker.spots.solution import write_csv, write_ranges

Name = Annotated[str, Path(max_length=16)]
HandsName = Annotated[str, Path(max_length=22)]
PlainText = Annotated[str, Body(max_length=300)]
HandsSeat = Annotated[int | None, Body(ge=0, le=1)]
NodePath = Annotated[str, Query(max_length=1000, description="Actions and cards: 'x b100 c Ah'.")]
Notation = Annotated[str, Query(max_length=20, description="plain, percent, gto+ or pio.")]
Risk = Annotated[float, Query(ge=0.0, description="The largest exploitability, in chips.")]
_FACTS = ("method", "iterations", "seconds", "exploitability", "exploitability_percent", "interrupted", "ev", "version")


def add_spot_routes(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    """Add routes of spots that are built and looked at."""

    @app.get("/api/page")
    def page() -> dict[str, Any]:
        """The version, the names of the 169 classes, and the spot that was opened with the page."""
        return {"version": version(), "classes": views.classes_view(), "opened": shelf.first, "worker": jobs.worker}

    @app.post("/api/size")
    def size(body: requests.SpotBody) -> dict[str, Any]:
        """The size of a spot, and the command that solves it."""
        return jobs.ask(requests.size_answer, body.table())

    @app.post("/api/range")
    def read_range(body: requests.RangeBody) -> dict[str, Any]:
        """A range as a grid, and as texts of other programs."""
        if (body.text is None) == (body.weights is None):
            raise InputError("a range is given by a text or by weights")
        return jobs.ask(views.range_view, body.text, body.weights)

    @app.post("/api/solve")
    def solve(body: requests.SolveBody) -> dict[str, Any]:
        """Begin to solve a spot; its name, and its job, or none if it is solved already."""
        return requests.begin(shelf, jobs, requests.plan_solve, body.spot.table(), body.exploitability).view()

    @app.get("/api/spots")
    def spots() -> list[dict[str, Any]]:
        """The solved spots, the latest first."""
        return shelf.spots()

    @app.get("/api/spots/{name}")
    def show_spot(name: Name) -> dict[str, Any]:
        """A solved spot: its fields, accuracy, command and file."""
        solved = shelf.spot(name)
        facts = {name: solved.facts[name] for name in _FACTS if name in solved.facts}
        shown = {**describe(solved.spot), "spot": solved.spot.table(), "facts": facts}
        return {**shown, "command": views.command_of(solved.spot), "file": str(shelf.path(name))}

    @app.get("/api/spots/{name}/node")
    def node(name: Name, path: NodePath = "") -> dict[str, Any]:
        """A node: strategy, range, EV and equity, class by class."""
        return views.node_view(shelf.spot(name), path)

    @app.get("/api/spots/{name}/combos")
    def combos(
        name: Name,
        cell: Annotated[int, Query(ge=0, lt=views.CLASSES)],
        seat: Annotated[int, Query(ge=0, le=1)],
        path: NodePath = "",
    ) -> list[dict[str, Any]]:
        """The hands of a class at a node, with the EV of each action."""
        return views.combos_view(shelf.spot(name), path, cell, seat)

    @app.get("/api/spots/{name}/card")
    def card(name: Name, path: NodePath) -> dict[str, Any]:
        """EV and equity at a node, as of a card to come."""
        node = shelf.spot(name).node(path)
        return {"path": node.path, "ev": views.plain(node.means), "equity": views.plain(node.shares)}

    @app.get("/api/spots/{name}/node.csv")
    def table(name: Name, path: NodePath = "") -> Response:
        """A node hand by hand, as a table."""
        solved = shelf.spot(name)
        return _download(write_csv([solved.node(path)], solved.spot.deck), "node.csv", "text/csv")

    @app.get("/api/spots/{name}/ranges.txt")
    def ranges(name: Name, path: NodePath = "", notation: Notation = "plain") -> Response:
        """The range of each action at a node, as another program writes ranges."""
        solved = shelf.spot(name)
        return _download(write_ranges(solved.node(path), solved.spot.deck, notation), "ranges.txt", "text/plain")


def add_answer_routes(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    """Add routes of opponents: leaks, hand histories, and answers."""

    @app.post("/api/spots/{name}/answers")
    def answer(name: Name, body: requests.OpponentBody) -> dict[str, Any]:
        """Begin to answer an opponent; the answer's name, and its job, or none if it is known already."""
        opponent = body.opponent(shelf)
        budget = UPLOAD if opponent.reads_files else QUESTION
        return requests.begin(shelf, jobs, requests.plan_answer, name, opponent, body.corners, budget=budget).view()

    @app.get("/api/answers/{name}")
    def show_answer(name: Name) -> dict[str, Any]:
        """An answer: the opponent as locked nodes, and the corners of gain against exploitability."""
        spot, facts = shelf.corner(name, None).spot, shelf.answer(name)
        file = str(shelf.path(facts["spot"]))
        return {**facts, "name": name, "pot": spot.pot, "big_blind": spot.big_blind, "file": file}

    @app.get("/api/answers/{name}/node")
    def answer_node(name: Name, path: NodePath = "") -> dict[str, Any]:
        """The play of the equilibrium and of every corner at a node."""
        return views.answer_node_view(shelf, name, path)

    @app.get("/api/answers/{name}/changes")
    def changes(name: Name, risk: Risk) -> list[dict[str, Any]]:
        """Where the answer with an exploitability of at most `risk` chips differs from the equilibrium."""
        return views.changes_view(shelf, name, risk)

    @app.get("/api/answers/{name}/answer.spot")
    def export(name: Name, risk: Risk) -> Response:
        """The answer with an exploitability of at most `risk` chips, as a file of a solved spot."""
        with TemporaryDirectory() as folder:
            path = FilePath(folder) / "answer.spot"
            views.mixed_answer(shelf, name, risk)[1].save(path)
            return _download(path.read_bytes(), "answer.spot", "application/octet-stream")

    @app.get("/api/answers/{name}/answer.csv")
    def export_table(name: Name, risk: Risk, path: NodePath = "") -> Response:
        """A node of that answer, hand by hand."""
        answered = views.mixed_answer(shelf, name, risk)[1]
        return _download(write_csv([answered.node(path)], answered.spot.deck), "answer.csv", "text/csv")

    @app.get("/api/answers/{name}/ranges.txt")
    def export_ranges(name: Name, risk: Risk, path: NodePath = "", notation: Notation = "plain") -> Response:
        """The range of each action at a node of that answer, as another program writes ranges."""
        answered = views.mixed_answer(shelf, name, risk)[1]
        return _download(write_ranges(answered.node(path), answered.spot.deck, notation), "ranges.txt", "text/plain")

    def read(view: Callable[..., dict[str, Any]], *asked: Any) -> dict[str, Any]:
        """A view of hands, in the process that reads files."""
        return jobs.ask(view, shelf, *asked, budget=UPLOAD)

    @app.post("/api/hands")
    def keep(file: PlainText, text: Annotated[str, Body()]) -> dict[str, Any]:
        """Read hand histories: their name on this page, players, streets, showdowns, and what is left out and why."""
        return read(keep_hands, file, text)

    @app.get("/api/hands/{name}")
    def show(name: HandsName) -> dict[str, Any]:
        """The summary of hand histories that are kept."""
        return read(hands_view, name)

    @app.post("/api/hands/{name}/card")
    def card(
        name: HandsName,
        player: PlainText,
        spot: Annotated[str | None, Body(max_length=16)] = None,
        seat: HandsSeat = None,
    ) -> dict[str, Any]:
        """The villain card of a player, with the leaks that it supports, coverage, and mapped sizes."""
        return read(villain_view, name, player, spot, seat)

    @app.post("/api/hands/{name}/shown")
    def shown(name: HandsName, player: PlainText, what: PlainText, seat: HandsSeat = None) -> dict[str, Any]:
        """The hands behind a figure, told step by step."""
        return read(shown_view, name, player, what, seat)


def _download(content: bytes, name: str, kind: str) -> Response:
    """A file to be kept by the browser."""
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})
