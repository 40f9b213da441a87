"""Long work on games in memory: frontiers of methods, and solves that are watched."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import counterplay as cp
from counterplay.blueprints.gadget_drawing import draw_gadget
from counterplay.errors import InputError, quoted
from counterplay.files import write_whole
from counterplay.games import GameSpec
from counterplay.games.game import Game
from counterplay.measure.frontier import frontier
from counterplay.measure.frontier_point import Point
from counterplay.opponents.model import MODELS
from counterplay.page.shelf import Shelf, is_name
from counterplay.page.tasks import Report
from counterplay.solvers.solve import solve

_MEMORY = 2.0
"""GiB of a game that is loaded for the page."""
_SHOWN = 400
"""Points of a curve that are kept."""
_EXACT, _LARGE = "lp", "cfr+"
SOLUTION = "solution"
"""The blueprint of a solved spot that is its solution."""


@dataclass(frozen=True)
class Ground:
    """A game of the page: one of the catalogue, or a solved spot. Files and code of users are none.

    Attributes:
        key: what tells two of them apart, wherever their files are.
        source: what `load` takes.
        rules: of a game of the catalogue; None for a spot.
    """

    key: str
    source: str
    rules: Game | None

    @staticmethod
    def of(shelf: Shelf, text: str) -> Ground:
        """The game that a browser names by its text, or a solved spot by its name.

        Raises:
            InputError: neither.
        """
        if is_name(text) and (accuracy := shelf.exploitability(text)) is not None:
            return Ground(f"{text} at {accuracy}", str(shelf.path(text)), None)
        spec = GameSpec.from_text(text)
        return Ground(str(spec), str(spec), spec.make())

    @property
    def gadget_solver(self) -> str:
        """What solves a gadget game here: in a game of the catalogue exactly, in a spot as `gadget` does."""
        return _LARGE if self.rules is None else _EXACT

    def model(self, text: str) -> str:
        """A model of the library as a text for `opponent`; in a spot also its solution.

        Raises:
            InputError: it is no model, or refers to a file or to code: the browser names neither.
        """
        if self.rules is None and text == SOLUTION:
            return self.source
        model = MODELS.record(text)
        if not model.is_fixed(self.rules):
            raise InputError(f"on the page a model is one of the library's own, and not {quoted(text)}")
        model.check()
        return text


@dataclass(frozen=True)
class GameFrontier:
    """Responses to a model over the dials of several methods.

    Attributes:
        game, model: texts.
        methods: names.
        points: of each dial.
        seat: of the responder.
        path: the file of the result.
    """

    game: str
    model: str
    methods: tuple[str, ...]
    points: int
    seat: int
    path: Path

    def run(self, report: Report) -> dict[str, Any]:
        game = cp.load(self.game, memory=_MEMORY)
        model = cp.opponent(game, self.model, player=1 - self.seat)
        found: list[dict[str, Any]] = []

        def done(point: Point) -> None:
            found.append(point.facts())
            report({"points": list(found)})

        points = frontier(game, model, self.methods, points=self.points, done=done)
        facts = {
            "game": self.game, "model": self.model, "points": found, "interrupted": points.interrupted,
            "game_value": points.game_value, "game_value_gap": points.game_value_gap,
        }  # fmt: skip
        return _kept(self.path, facts)


@dataclass(frozen=True)
class GameSolve:
    """Exploitability over the iterations of several regret minimisers.

    Attributes:
        game: text.
        methods: names of minimisers.
        iterations: of each.
        path: the file of the result.
    """

    game: str
    methods: tuple[str, ...]
    iterations: int
    path: Path

    def run(self, report: Report) -> dict[str, Any]:
        game = cp.load(self.game, memory=_MEMORY)
        curves: dict[str, list[tuple[int, float]]] = {}
        interrupted = False
        for method in self.methods:
            curve = curves.setdefault(method, [])

            def tell(iterations: int, exploitability: float, curve: list[tuple[int, float]] = curve) -> None:
                if len(curve) < _SHOWN:
                    curve.append((iterations, exploitability))
                report({"curves": curves, "iterations": iterations})

            found = solve(game, solver=method, stop=cp.Stop(iterations=self.iterations), progress=tell)
            last = (found.facts()["iterations"], found.facts()["exploitability"])
            if curve and curve[-1][0] == last[0]:
                curve.pop()  # it was told as progress, too
            curve.append(last)
            interrupted = found.solution.interrupted
            if interrupted:
                break
        return _kept(self.path, {"game": self.game, "curves": curves, "interrupted": interrupted})


class GadgetQuestion(NamedTuple):
    """A gadget to draw. game, blueprint, at, gadget: texts; number: of the subgame, from 1; seat: of the resolver; only: a
    path of a spot, up to a card, instead of place and number."""

    game: str
    blueprint: str
    at: str
    gadget: str
    number: int
    seat: int
    only: str | None


@dataclass(frozen=True)
class DrawGadget:
    """The gadget of a subgame, solved. asked: which; solver: of the gadget game; path: the file of the result."""

    asked: GadgetQuestion
    solver: str
    path: Path

    def run(self, report: Report) -> dict[str, Any]:
        game, blueprint, at, gadget, number, seat, only = self.asked
        report({"piece": f"subgame {number}" if only is None else f"subgame after {only}"})
        drawn = draw_gadget(
            cp.load(game, memory=_MEMORY), blueprint, at, number if only is None else 1,
            gadget=gadget, seat=seat, solver=self.solver, only=only,
        )  # fmt: skip
        return _kept(self.path, drawn.facts())


def _kept(path: Path, facts: dict[str, Any]) -> dict[str, Any]:
    """Write a result, and return it."""
    write_whole(path, json.dumps(facts).encode())
    return facts
