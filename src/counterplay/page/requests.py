"""Requests of the page, over HTTP or by an assistant: each begins a job, unless its result is there.

What others wrote is read in the process that answers questions (`_plan_...`), which returns the job to begin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from counterplay.about import version
from counterplay.budget import QUESTION, UPLOAD
from counterplay.errors import InputError, escaped
from counterplay.gadgets import gadget_of
from counterplay.page.game_tasks import DrawGadget, GadgetQuestion, GameFrontier, GameSolve, Ground
from counterplay.page.jobs import Job, Jobs
from counterplay.page.reproductions import reproductions
from counterplay.page.shelf import Shelf
from counterplay.page.spot_opponents import SpotOpponent
from counterplay.page.tasks import AnswerOpponent, SolveSpot, Task
from counterplay.page.views import command_of, size_view
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_folder import digest_of
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.places import Place

BY_DIAL = ("rnr", "safe", "mix", "dbr", "bne", "br")
"""Methods with a frontier."""
_GIB = 2**30


class Begun(NamedTuple):
    """The name of a result, and the job that makes it; None where it is there."""

    name: str
    job: Job | None

    def view(self) -> dict[str, Any]:
        """As plain data."""
        return {"name": self.name, "job": None if self.job is None else self.job.view()}


class _Plan(NamedTuple):
    """A job to begin: the kind and the name of its result; no task where the result is there. goal: as of `Job`."""

    what: str
    name: str
    task: Task | None = None
    goal: float | None = None


def size_answer(shelf: Shelf, table: Mapping[str, Any]) -> dict[str, Any]:
    """How large a spot is, its name, and the command that solves it.

    Raises:
        InputError: an invalid spot, or one with too much betting to be counted.
    """
    spot = Spot.from_table(table)
    return {**size_view(spot), "name": shelf.name(spot), "command": command_of(spot)}


def begin_solve(shelf: Shelf, jobs: Jobs, table: Mapping[str, Any], exploitability: float) -> Begun:
    """Solve a spot to an exploitability in per cent of the pot.

    Raises:
        InputError: an invalid spot, or one that does not fit in memory.
    """
    return _begun(jobs, jobs.ask(_plan_solve, shelf, table, exploitability))


def _plan_solve(shelf: Shelf, table: Mapping[str, Any], exploitability: float) -> _Plan:
    spot = Spot.from_table(table)
    size = size_view(spot)
    if not size["fits"]:
        needed, limit = size["memory"] / _GIB, size["limit"] / _GIB
        raise InputError(f"the spot needs {needed:.3g} GiB, and {limit:.3g} are allowed: ask for fewer bet sizes")
    name = shelf.name(spot)
    known = shelf.exploitability(name)
    if known is not None and known <= exploitability:
        shelf.show_in(name, spot.big_blind)
        return _Plan("solve", name)
    task = SolveSpot(spot.table(), exploitability, shelf.own_path(name))
    return _Plan("solve", name, task, 0.01 * exploitability * spot.pot)


def begin_answer(shelf: Shelf, jobs: Jobs, name: str, opponent: SpotOpponent, corners: int) -> Begun:
    """Answer an opponent in a solved spot.

    Raises:
        InputError: there is no such spot, or the opponent does not fit it.
    """
    budget = UPLOAD if opponent.reads_files else QUESTION
    return _begun(jobs, jobs.ask(_plan_answer, shelf, name, opponent, corners, budget=budget))


def _plan_answer(shelf: Shelf, name: str, opponent: SpotOpponent, corners: int) -> _Plan:
    opponent.check(shelf.question(name))
    answer = digest_of("answer", name, *opponent.key, corners)
    if shelf.has_answer(answer):
        return _Plan("answer", answer)
    task = AnswerOpponent(name, shelf.path(name), opponent, corners, shelf.answer_folder(answer))
    return _Plan("answer", answer, task)


def begin_frontier(
    shelf: Shelf, jobs: Jobs, game: str, model: str, methods: Sequence[str], points: int, seat: int
) -> Begun:
    """Draw the frontier of methods, each once, against a model.

    Raises:
        InputError: no game of the page, no model of the library, another method, or no seat.
    """
    return _begun(jobs, jobs.ask(_plan_frontier, shelf, game, model, methods, points, seat))


def _plan_frontier(shelf: Shelf, game: str, model: str, methods: Sequence[str], points: int, seat: int) -> _Plan:
    ground = Ground.of(shelf, game)
    against = ground.model(model)
    if seat not in (0, 1):
        raise InputError(f"a seat is 0 or 1, not {seat}")
    for method in methods:
        if method not in BY_DIAL:
            raise InputError(f"a method here is one of {', '.join(BY_DIAL)}")
    once = tuple(dict.fromkeys(methods))
    name = digest_of("frontier", version(), ground.key, model, once, points, seat)
    return _planned(
        shelf, "frontier", name, GameFrontier(ground.source, against, once, points, seat, shelf.result_path(name))
    )


def begin_curves(shelf: Shelf, jobs: Jobs, game: str, methods: Sequence[str], iterations: int) -> Begun:
    """Compare regret minimisers, each once, over their iterations.

    Raises:
        InputError: no game of the page, or another method.
    """
    return _begun(jobs, jobs.ask(_plan_curves, shelf, game, methods, iterations))


def _plan_curves(shelf: Shelf, game: str, methods: Sequence[str], iterations: int) -> _Plan:
    ground = Ground.of(shelf, game)
    for method in methods:
        minimiser(method)
    once = tuple(dict.fromkeys(methods))
    name = digest_of("solve", version(), ground.key, once, iterations)
    return _planned(shelf, "curve", name, GameSolve(ground.source, once, iterations, shelf.result_path(name)))


def begin_gadget(shelf: Shelf, jobs: Jobs, asked: GadgetQuestion) -> Begun:
    """Draw the gadget of a subgame.

    Raises:
        InputError: no game of the page, no blueprint of the library, no gadget, or no place.
    """
    return _begun(jobs, jobs.ask(_plan_gadget, shelf, asked))


def _plan_gadget(shelf: Shelf, asked: GadgetQuestion) -> _Plan:
    ground = Ground.of(shelf, asked.game)
    blueprint = ground.model(asked.blueprint)
    place, gadget = str(Place.of(asked.at)), str(gadget_of(asked.gadget))
    name = digest_of("gadget", version(), ground.key, asked.blueprint, place, gadget, *asked[4:])
    found = asked._replace(game=ground.source, blueprint=blueprint, at=place, gadget=gadget)
    return _planned(shelf, "gadget", name, DrawGadget(found, ground.gadget_solver, shelf.result_path(name)))


def begin_reproduction(shelf: Shelf, jobs: Jobs, name: str) -> Begun:
    """Run a reproduction's quick part; what is computed already is found in its record.

    Raises:
        InputError: there is none of that name, or none are installed.
    """
    return Begun(name, jobs.add("reproduce", name, reproductions().quick_run(name, shelf.reproductions)))


def fault_of(errors: Sequence[Mapping[str, Any]]) -> str:
    """The first of a request's faults, as pydantic lists them, in one sentence that names the field."""
    where = ".".join(str(part) for part in errors[0]["loc"] if part not in ("body", "query", "path"))
    return escaped(f"{where or 'the request'}: {str(errors[0]['msg'])[:200]}")


def _planned(shelf: Shelf, what: str, name: str, task: Task) -> _Plan:
    """The plan of a result of a game, which may be there."""
    return _Plan(what, name, None if shelf.has_result(name) else task)


def _begun(jobs: Jobs, plan: _Plan) -> Begun:
    return Begun(plan.name, None if plan.task is None else jobs.add(plan.what, plan.name, plan.task, plan.goal))
