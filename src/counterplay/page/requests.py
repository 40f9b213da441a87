"""Requests of the page, over HTTP or by an assistant: what is asked, and the job that it begins, unless its result is there.

What others wrote is read by the plans (`plan_...`), in the process that answers questions; a plan returns the job to begin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, create_model

import counterplay as cp
from counterplay.about import PAPERS, entry_point, version
from counterplay.budget import QUESTION, Budget
from counterplay.errors import InputError, escaped, quoted
from counterplay.gadgets import gadget_of
from counterplay.opponents.model import MODELS
from counterplay.option import options_of
from counterplay.page import tasks
from counterplay.page.jobs import Job, Jobs
from counterplay.page.shelf import Shelf, is_name
from counterplay.page.tasks import LeakLines, PlayerOfHands, SpotOpponent, Task
from counterplay.page.uploads import hands_file
from counterplay.page.views import CLASSES, command_of, size_view
from counterplay.poker.spots.solve_spot import EXPLOITABILITY, digest_of, name_of_spot
from counterplay.poker.spots.spot_fields import RANGE_LETTERS, SpotFields
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.cut import Place

BY_DIAL = ("rnr", "safe", "mix", "dbr", "bne", "br")
"""Methods with a frontier."""
_GIB = 2**30
_EXACT, _LARGE = "lp", "cfr+"
SOLUTION = "solution"
"""The blueprint of a solved spot that is its solution."""
Text = Annotated[str, Field(max_length=200)]


class TableOfSpot(BaseModel):
    """A spot: the fields of a TOML file of one."""

    model_config = ConfigDict(extra="forbid")

    def table(self) -> dict[str, Any]:
        return {name: value for name, value in self if value is not None}


def _field(kind: Any, longest: int | None, default: Any) -> tuple[Any, Any]:
    """A field of the page; one that a spot does not need may be null."""
    longest = longest if kind is str else None
    if default is Parameter.empty:
        return kind, Field(max_length=longest)
    return kind | None, Field(None, max_length=longest)


if TYPE_CHECKING:
    SpotBody = TableOfSpot
else:
    SpotBody = create_model(
        "SpotBody", __base__=TableOfSpot, __doc__=TableOfSpot.__doc__, __module__=__name__,
        **{name: _field(one.kind, one.longest, default) for name, _, one, default in options_of(SpotFields)},
    )  # fmt: skip


class SolveBody(BaseModel):
    """A spot to solve, to an exploitability in per cent of the pot."""

    spot: SpotBody
    exploitability: float = Field(EXPLOITABILITY, gt=0.0, le=100.0)


class RangeBody(BaseModel):
    """A range: a text in any notation, or the 169 weights of a grid."""

    text: str | None = Field(None, max_length=RANGE_LETTERS)
    weights: list[float] | None = Field(None, min_length=CLASSES, max_length=CLASSES)


class VillainBody(BaseModel):
    """A player of hand histories that are kept, and their seat in the spot."""

    hands: str = Field(max_length=22)
    player: str = Field(max_length=300)
    seat: int = Field(ge=0, le=1)


class OpponentBody(BaseModel):
    """Leaks, line by line, or a player of hands, and the most corners of the answer."""

    leaks: str | None = Field(None, max_length=RANGE_LETTERS)
    villain: VillainBody | None = None
    corners: int = Field(9, ge=2, le=50)

    def opponent(self, shelf: Shelf) -> SpotOpponent:
        """The opponent; refused if none or two are given, or there are no such hands."""
        if self.villain is not None and self.leaks is None:
            return PlayerOfHands(hands_file(shelf, self.villain.hands), self.villain.player, self.villain.seat)
        if self.leaks is None or self.villain is not None:
            raise InputError("an opponent is given by leaks or as a player of hands")
        return LeakLines(self.leaks)


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


class TableBody(BaseModel):
    """A table: a game of the catalogue, or the name of a solved spot; the opponent, and the person's seat."""

    game: Text
    against: str = Field("nash", max_length=400)
    seat: int = Field(0, ge=0, le=1)
    seed: int = Field(0, ge=0, lt=2**31)


class Begun(NamedTuple):
    """The name of a result, and the job that makes it; None where it is there."""

    name: str
    job: Job | None

    def view(self) -> dict[str, Any]:
        return {"name": self.name, "job": None if self.job is None else self.job.view()}


class Plan(NamedTuple):
    """A job to begin: the kind and the name of its result; no task where the result is there. goal: as of `Job`."""

    what: str
    name: str
    task: Task | None = None
    goal: float | None = None


def begin(shelf: Shelf, jobs: Jobs, plan: Callable[..., Plan], *asked: Any, budget: Budget = QUESTION) -> Begun:
    """Begin what a plan says, which is asked for within a budget."""
    made = jobs.ask(plan, shelf, *asked, budget=budget)
    return Begun(made.name, None if made.task is None else jobs.add(made.what, made.name, made.task, made.goal))


def size_answer(table: Mapping[str, Any]) -> dict[str, Any]:
    """The size of a spot, its name, and the command that solves it."""
    spot = cp.Spot.from_table(table)
    return {**size_view(spot), "name": name_of_spot(spot), "command": command_of(spot)}


def plan_solve(shelf: Shelf, table: Mapping[str, Any], exploitability: float) -> Plan:
    """Solve a spot to an exploitability in per cent of the pot."""
    spot = cp.Spot.from_table(table)
    size = size_view(spot)
    if not size["fits"]:
        needed, limit = size["memory"] / _GIB, size["limit"] / _GIB
        raise InputError(f"the spot needs {needed:.3g} GiB, and {limit:.3g} are allowed: ask for fewer bet sizes")
    name = name_of_spot(spot)
    known = shelf.exploitability(name)
    if known is not None and known <= exploitability:
        solved = shelf.spot(name)
        if spot.big_blind not in (None, solved.spot.big_blind):  # which it is shown in from now on
            replace(solved, spot=replace(solved.spot, big_blind=spot.big_blind)).save(shelf.own_path(name))
        return Plan("solve", name)
    task = Task(tasks.write_solution, (spot.table(), exploitability, shelf.own_path(name)))
    return Plan("solve", name, task, 0.01 * exploitability * spot.pot)


def plan_answer(shelf: Shelf, name: str, opponent: SpotOpponent, corners: int) -> Plan:
    """Answer an opponent in a solved spot."""
    opponent.check(shelf.question(name))
    answer = digest_of("answer", name, *opponent.key, corners)
    if shelf.has_answer(answer):
        return Plan("answer", answer)
    made_of = name, shelf.path(name), opponent, corners, shelf.answer_folder(answer)
    return Plan("answer", answer, Task(tasks.write_answer, made_of))


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
    rules: cp.Game | None

    @staticmethod
    def of(shelf: Shelf, text: str) -> Ground:
        """The game that a browser names by its text, or a solved spot by its name."""
        if is_name(text) and (accuracy := shelf.exploitability(text)) is not None:
            return Ground(f"{text} at {accuracy}", str(shelf.path(text)), None)
        spec = cp.GameSpec.from_text(text)
        return Ground(str(spec), str(spec), spec.make())

    def model(self, text: str) -> str:
        """A model of the library as a text for `opponent`; in a spot also its solution. One that refers to a file or to code
        is refused: the browser names neither."""
        if self.rules is None and text == SOLUTION:
            return self.source
        model = MODELS.record(text)
        if not model.is_fixed(self.rules):
            raise InputError(f"on the page a model is one of the library's own, and not {quoted(text)}")
        model.check()
        return text


def plan_frontier(shelf: Shelf, asked: FrontierBody) -> Plan:
    """Draw the frontier of methods, each once, against a model."""
    ground, seat = Ground.of(shelf, asked.game), asked.seat
    model = ground.model(asked.model)
    if seat not in (0, 1):
        raise InputError(f"a seat is 0 or 1, not {seat}")
    for method in asked.methods:
        if method not in BY_DIAL:
            raise InputError(f"a method here is one of {', '.join(BY_DIAL)}")
    once = tuple(dict.fromkeys(asked.methods))
    name = digest_of("frontier", version(), ground.key, asked.model, once, asked.points, seat)
    return _plan_result(shelf, "frontier", name, tasks.frontier_facts, ground, model, once, asked.points, seat)


def plan_curves(shelf: Shelf, asked: SolveGameBody) -> Plan:
    """Compare regret minimisers, each once, over their iterations."""
    ground = Ground.of(shelf, asked.game)
    for method in asked.methods:
        minimiser(method)
    once = tuple(dict.fromkeys(asked.methods))
    name = digest_of("solve", version(), ground.key, once, asked.iterations)
    return _plan_result(shelf, "curve", name, tasks.curve_facts, ground, once, asked.iterations)


def plan_gadget(shelf: Shelf, asked: GadgetBody) -> Plan:
    """Draw the gadget of a subgame, solved exactly in a game of the catalogue, and in a spot as the command does."""
    ground = Ground.of(shelf, asked.game)
    blueprint = ground.model(asked.blueprint)
    place, gadget = str(Place.of(asked.at)), str(gadget_of(asked.gadget))
    which = (asked.subgame, asked.seat, asked.only)
    name = digest_of("gadget", version(), ground.key, asked.blueprint, place, gadget, *which)
    solver = _LARGE if ground.rules is None else _EXACT
    settings = {"gadget": gadget, "seat": asked.seat, "only": asked.only, "solver": solver}
    return _plan_result(shelf, "gadget", name, tasks.gadget_facts, ground, blueprint, place, asked.subgame, settings)


def _plan_result(
    shelf: Shelf, what: str, name: str, compute: Callable[..., dict[str, Any]], ground: Ground, *arguments: Any
) -> Plan:
    """The plan of a result of a game, which may be there."""
    task = Task(tasks.write_result, (shelf.result_path(name), compute, ground.source, arguments))
    return Plan(what, name, None if shelf.has_result(name) else task)


def reproductions() -> Any:
    """Tables and figures of papers, from the distribution that brings them (entry points `counterplay.page`): an object with
    `list_reproductions(folder)`, `reproduction_view(name, folder)`, `picture_of(name, folder)` in PNG, and
    `quick_run(name, folder)`, a `Task`. `folder` has the results of this machine. The refusal says what to install."""
    installed = entry_point("counterplay.page", "reproductions")
    if installed is None:
        raise InputError(PAPERS)
    return installed


def fault_of(errors: Sequence[Mapping[str, Any]]) -> str:
    """The first of a request's faults, as pydantic lists them, in one sentence that names the field."""
    where = ".".join(str(part) for part in errors[0]["loc"] if part not in ("body", "query", "path"))
    return escaped(f"{where or 'the request'}: {str(errors[0]['msg'])[:200]}")
