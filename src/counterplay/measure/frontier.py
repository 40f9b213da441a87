"""The trade of gain against exploitability: every method over its dial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

from counterplay.errors import InputError
from counterplay.measure.frontier_point import Point
from counterplay.measure.frontier_work import Far, FrontierWork, looks_ahead, method_at
from counterplay.measure.points import Points
from counterplay.responses import METHODS
from counterplay.responses.method import Method
from counterplay.responses.method_options import LookOptions
from counterplay.responses.worlds import AnyMatchup, world_of
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.texts.keywords import check_keywords
from counterplay.treeplex.strategy import Strategy
from counterplay.work.run_work import run_work


def frontier(
    game: Any,
    model: Strategy,
    methods: Sequence[str] = ("rnr", "safe", "mix", "bne", "br"),
    *,
    points: int = 11,
    solver: Solver = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    done: Callable[[Point], None] | None = None,
    **look: Unpack[LookOptions],
) -> Points[Point]:
    """Responses of several methods over their dials.

    rnr stands at its corners: all of them, or the `points` that leave least unknown. The exploitability allowed to `safe`
    is such that the gain grows by equal steps, from that of the best equilibrium to that of the best response. Other p
    (alpha for ses) run over `points` equal steps from 0 to 1. `look` is for the methods that look ahead, as in `respond`;
    its `value` may be a mapping from methods to value functions, exact for the others. `done` gets every
    point as soon as it is there; Ctrl-C ends early with the points so far.

    Raises:
        InputError: an unknown method, or fewer than two points or far too many.
    """
    check_keywords("frontier", look, LookOptions)
    far = {word: given for word, given in look.items() if given is not None}
    world = world_of(game)
    match = world.matchup(world.convert(game), model, solver, stop or Stop(), progress)
    work = frontier_work(match, methods, points, far)
    found: list[Point] = []

    def keep(_: str, made: list[dict[str, Any]]) -> None:
        for point in made:
            found.append(Point(**point))
            if done:
                done(found[-1])

    if run_work(work, done=keep).interrupted:
        keep("", [vars(point) for point in work.partial])
    return Points(found)


def frontier_work(match: AnyMatchup, methods: Sequence[str], points: int, far: Far) -> FrontierWork:
    """The points of a frontier as work, once its methods are seen to fit the game.

    Raises:
        InputError: an unknown method, one that the game does not have, or fewer than two points or far too many.
    """
    for method in check_frontier(methods, points, far):
        world_of(match.game).check(match.game, method)
    return FrontierWork(match, methods, points, far)


_MOST = 10_000
"""Points of a method's dial; nobody's picture shows more."""


def check_frontier(methods: Sequence[str], points: int, far: Far) -> list[Method]:
    """One record of each method, once all of them are seen to fit.

    Raises:
        InputError: an unknown method, words that it lacks or that nobody takes, or fewer than two points.
    """
    if not methods:
        raise InputError(f"a frontier needs at least one method of {', '.join(METHODS)}")
    if far and not any(looks_ahead(method) for method in methods):
        raise InputError("none of these methods looks ahead")
    if points < 2:
        raise InputError(f"a frontier needs at least 2 points, not {points}")
    if points > _MOST:
        raise InputError(f"a frontier has at most {_MOST:,} points, not {points}")
    return [method_at(method, 0.0, far) for method in methods]


def steps_of(methods: Sequence[str], far: Far) -> dict[str, str]:
    """How the methods that look ahead step: `by level` or `by own decision`, by method."""
    looks = {method: method_at(method, 0.0, far).look for method in methods}
    return {method: look.steps for method, look in looks.items() if look is not None}
