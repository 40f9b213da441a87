"""What is asked of the page, over HTTP or by an assistant: each begins a job, unless its result is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from counterplay.about import version
from counterplay.errors import InputError, escaped
from counterplay.experiments.registry import reproduction
from counterplay.gadgets import gadget_of
from counterplay.page.game_tasks import DrawGadget, GadgetQuestion, GameFrontier, GameSolve, Ground
from counterplay.page.jobs import Job, Jobs
from counterplay.page.reproductions import Reproduce
from counterplay.page.shelf import Shelf
from counterplay.page.spot_opponents import SpotOpponent
from counterplay.page.tasks import AnswerOpponent, SolveSpot
from counterplay.page.views import size_view
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


def begin_solve(shelf: Shelf, jobs: Jobs, spot: Spot, exploitability: float) -> Begun:
    """Solve a spot to an exploitability in per cent of the pot.

    Raises:
        InputError: it does not fit in memory.
    """
    size = size_view(spot)
    if not size["fits"]:
        needed, limit = size["memory"] / _GIB, size["limit"] / _GIB
        raise InputError(f"the spot needs {needed:.3g} GiB, and {limit:.3g} are allowed: ask for fewer bet sizes")
    name = shelf.name(spot)
    known = shelf.exploitability(name)
    if known is not None and known <= exploitability:
        shelf.show_in(name, spot.big_blind)
        return Begun(name, None)
    task = SolveSpot(spot.table(), exploitability, shelf.own_path(name))
    return Begun(name, jobs.add("solve", name, task, 0.01 * exploitability * spot.pot))


def begin_answer(shelf: Shelf, jobs: Jobs, name: str, opponent: SpotOpponent, corners: int) -> Begun:
    """Answer an opponent in a solved spot.

    Raises:
        InputError: there is no such spot, or the opponent does not fit it.
    """
    opponent.check(shelf.spot(name).spot)
    answer = digest_of("answer", name, *opponent.key, corners)
    folder = shelf.answer_folder(answer)
    if shelf.has_answer(answer):
        return Begun(answer, None)
    return Begun(answer, jobs.add("answer", answer, AnswerOpponent(name, shelf.path(name), opponent, corners, folder)))


def begin_frontier(
    shelf: Shelf, jobs: Jobs, game: str, model: str, methods: Sequence[str], points: int, seat: int
) -> Begun:
    """Draw the frontier of methods, each once, against a model.

    Raises:
        InputError: no game of the page, no model of the library, another method, or no seat.
    """
    ground = Ground.of(shelf, game)
    against = ground.model(model)
    if seat not in (0, 1):
        raise InputError(f"a seat is 0 or 1, not {seat}")
    for method in methods:
        if method not in BY_DIAL:
            raise InputError(f"a method here is one of {', '.join(BY_DIAL)}")
    once = tuple(dict.fromkeys(methods))
    name = digest_of("frontier", version(), ground.key, model, once, points, seat)
    task = GameFrontier(ground.source, against, once, points, seat, shelf.result_path(name))
    return _begun(shelf, jobs, "frontier", name, task)


def begin_curves(shelf: Shelf, jobs: Jobs, game: str, methods: Sequence[str], iterations: int) -> Begun:
    """Compare regret minimisers, each once, over their iterations.

    Raises:
        InputError: no game of the page, or another method.
    """
    ground = Ground.of(shelf, game)
    for method in methods:
        minimiser(method)
    once = tuple(dict.fromkeys(methods))
    name = digest_of("solve", version(), ground.key, once, iterations)
    task = GameSolve(ground.source, once, iterations, shelf.result_path(name))
    return _begun(shelf, jobs, "curve", name, task)


def begin_gadget(shelf: Shelf, jobs: Jobs, asked: GadgetQuestion) -> Begun:
    """Draw the gadget of a subgame.

    Raises:
        InputError: no game of the page, no blueprint of the library, no gadget, or no place.
    """
    ground = Ground.of(shelf, asked.game)
    blueprint = ground.model(asked.blueprint)
    place, gadget = str(Place.of(asked.at)), str(gadget_of(asked.gadget))
    name = digest_of("gadget", version(), ground.key, asked.blueprint, place, gadget, *asked[4:])
    found = asked._replace(game=ground.source, blueprint=blueprint, at=place, gadget=gadget)
    task = DrawGadget(found, ground.gadget_solver, shelf.result_path(name))
    return _begun(shelf, jobs, "gadget", name, task)


def begin_reproduction(shelf: Shelf, jobs: Jobs, name: str) -> Begun:
    """Run a reproduction's quick part; what is computed already is found in its record.

    Raises:
        InputError: there is none of that name.
    """
    reproduction(name)
    return Begun(name, jobs.add("reproduce", name, Reproduce(name, shelf.reproductions)))


def fault_of(errors: Sequence[Mapping[str, Any]]) -> str:
    """The first of a request's faults, as pydantic lists them, in one sentence that names the field."""
    where = ".".join(str(part) for part in errors[0]["loc"] if part not in ("body", "query", "path"))
    return escaped(f"{where or 'the request'}: {str(errors[0]['msg'])[:200]}")


def _begun(shelf: Shelf, jobs: Jobs, what: str, name: str, task: Any) -> Begun:
    return Begun(name, None if shelf.has_result(name) else jobs.add(what, name, task))
