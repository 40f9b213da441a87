"""Routes of opponents: leaks, hand histories, and the answers to both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from counterplay.budget import UPLOAD
from counterplay.errors import InputError
from counterplay.page.answer_views import answer_node_view, answer_view, changes_view, mixed_answer
from counterplay.page.hand_uploads import card_view, hands_file, hands_view, shown_view
from counterplay.page.jobs import Jobs
from counterplay.page.player_uploads import keep_noted_hands
from counterplay.page.requests import begin_answer
from counterplay.page.shelf import Shelf
from counterplay.page.spot_opponents import LeakLines, PlayerOfHands, SpotOpponent
from counterplay.page.spot_routes import TEXT, Name, NodePath, Notation, download
from counterplay.poker.spots.node_table import write_csv, write_ranges
from counterplay.poker.spots.solution import SolvedSpot

HandsName = Annotated[str, Path(max_length=22)]
Risk = Annotated[float, Query(ge=0.0, description="The largest exploitability, in chips.")]


class VillainBody(BaseModel):
    """A player of hand histories that are kept, and their seat in the spot."""

    hands: str = Field(max_length=22)
    player: str = Field(max_length=300)
    seat: int = Field(ge=0, le=1)


class OpponentBody(BaseModel):
    """Leaks, line by line, or a player of hands, and the most corners of the answer."""

    leaks: str | None = Field(None, max_length=TEXT)
    villain: VillainBody | None = None
    corners: int = Field(9, ge=2, le=50)

    def opponent(self, shelf: Shelf) -> SpotOpponent:
        """The opponent.

        Raises:
            InputError: none, two, or no such hands.
        """
        if self.villain is not None and self.leaks is None:
            file = hands_file(shelf, self.villain.hands)
            return PlayerOfHands(file, self.villain.player, self.villain.seat)
        if self.leaks is None or self.villain is not None:
            raise InputError("an opponent is given by leaks or as a player of hands")
        return LeakLines(self.leaks)


class HandsBody(BaseModel):
    """A file of hand histories."""

    file: str = Field(max_length=300)
    text: str


class PlayerBody(BaseModel):
    """A player of hand histories, and a solved spot in which they sit in a seat."""

    player: str = Field(max_length=300)
    spot: str | None = Field(None, max_length=16)
    seat: int | None = Field(None, ge=0, le=1)


class ShownBody(BaseModel):
    """A player of hand histories, a statistic or a place, and the player's seat in the hands that count."""

    player: str = Field(max_length=300)
    what: str = Field(max_length=100)
    seat: int | None = Field(None, ge=0, le=1)


def add_answer_routes(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    """Add all routes."""
    _add_answers(app, shelf, jobs)
    _add_hands(app, shelf, jobs)


def _add_answers(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    @app.post("/api/spots/{name}/answers")
    def answer(name: Name, body: OpponentBody) -> dict[str, Any]:
        """Begin to answer an opponent; the answer's name, and its job, or none if it is known already."""
        return begin_answer(shelf, jobs, name, body.opponent(shelf), body.corners).view()

    @app.get("/api/answers/{name}")
    def show_answer(name: Name) -> dict[str, Any]:
        """An answer: the opponent as locked nodes, and the corners of gain against exploitability."""
        return answer_view(shelf, name)

    @app.get("/api/answers/{name}/node")
    def answer_node(name: Name, path: NodePath = "") -> dict[str, Any]:
        """What the equilibrium and every corner play at a node."""
        return answer_node_view(shelf, name, path)

    @app.get("/api/answers/{name}/changes")
    def changes(name: Name, risk: Risk) -> list[dict[str, Any]]:
        """Where the answer with an exploitability of at most `risk` chips differs from the equilibrium."""
        return changes_view(shelf, name, risk)

    @app.get("/api/answers/{name}/answer.spot")
    def export(name: Name, risk: Risk) -> Response:
        """The answer with an exploitability of at most `risk` chips, as a file of a solved spot."""
        return download(_bytes_of(mixed_answer(shelf, name, risk)[1]), "answer.spot", "application/octet-stream")

    @app.get("/api/answers/{name}/answer.csv")
    def export_table(name: Name, risk: Risk, path: NodePath = "") -> Response:
        """A node of that answer, hand by hand."""
        answered = mixed_answer(shelf, name, risk)[1]
        return download(write_csv([answered.node(path)], answered.spot.deck), "answer.csv", "text/csv")

    @app.get("/api/answers/{name}/ranges.txt")
    def export_ranges(name: Name, risk: Risk, path: NodePath = "", notation: Notation = "plain") -> Response:
        """The range of each action at a node of that answer, as another program writes ranges."""
        answered = mixed_answer(shelf, name, risk)[1]
        return download(write_ranges(answered.node(path), answered.spot.deck, notation), "ranges.txt", "text/plain")


def _add_hands(app: FastAPI, shelf: Shelf, jobs: Jobs) -> None:
    def read(view: Callable[..., dict[str, Any]], *asked: Any) -> dict[str, Any]:
        """A view of hands, in the process that reads files."""
        answer: dict[str, Any] = jobs.ask(view, shelf, *asked, budget=UPLOAD)
        return answer

    @app.post("/api/hands")
    def keep(body: HandsBody) -> dict[str, Any]:
        """Read hand histories: their name on this page, players, streets, showdowns, and what is left out and why."""
        return read(keep_noted_hands, body.file, body.text)

    @app.get("/api/hands/{name}")
    def show(name: HandsName) -> dict[str, Any]:
        """What is in hand histories that are kept."""
        return read(hands_view, name)

    @app.post("/api/hands/{name}/card")
    def card(name: HandsName, body: PlayerBody) -> dict[str, Any]:
        """The villain card of a player, with the leaks that it supports, coverage, and mapped sizes."""
        return read(card_view, name, body.player, body.spot, body.seat)

    @app.post("/api/hands/{name}/shown")
    def shown(name: HandsName, body: ShownBody) -> dict[str, Any]:
        """The hands behind a figure, told step by step."""
        return read(shown_view, name, body.player, body.what, body.seat)


def _bytes_of(solved: SolvedSpot) -> bytes:
    """The bytes of its file."""
    from pathlib import Path as FilePath
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = FilePath(folder) / "answer.spot"
        solved.save(path)
        return path.read_bytes()
