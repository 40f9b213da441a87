"""The trade-off of gain and exploitability: every method over its dial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from counterplay.errors import InputError
from counterplay.lookahead.keywords import LookOptions
from counterplay.measure.frontier_point import Point
from counterplay.measure.frontier_work import FrontierWork
from counterplay.measure.points import Points
from counterplay.responses import METHODS
from counterplay.responses.matchup.any_matchup import AnyMatchup
from counterplay.responses.method import Method
from counterplay.responses.method_options import open_method
from counterplay.responses.worlds import world_of
from counterplay.solvers.cfr import STOP, Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.texts.arguments import FUNCTION, SEVERAL, WHOLE, check_keywords, or_none, takes
from counterplay.treeplex.strategy import Strategy
from counterplay.work.run_work import run_work


@takes(methods=SEVERAL, points=WHOLE, stop=STOP, progress=or_none(FUNCTION), done=or_none(FUNCTION))
def frontier(
    game: Any,
    model: Strategy,
    methods: Sequence[Method | str] = ("rnr", "safe", "mix", "bne", "br"),
    *,
    points: int = 11,
    solver: Solver = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    done: Callable[[Point], None] | None = None,
    **look: Unpack[LookOptions],
) -> Points[Point]:
    """Responses of several methods over their dials.

    rnr is computed at its corners: all of them, or `points` of them with the least remaining uncertainty. The
    exploitability allowed to `safe` is such that the gain grows by equal steps, from that of the best equilibrium to
    that of the best response. Other p (alpha for ses) run over `points` equal steps from 0 to 1. A method whose dial is
    set, such as `RNR(0.5)`, is one point. `done` is called with every point as soon as it is computed; Ctrl-C ends
    early with the points so far, which are `interrupted`.

    Args:
        game: as in `respond`.
        model: as in `respond`.
        methods: names, or records such as `CDRNR(look=LookAhead(depth=1))` and `Safe()`, or their texts.
        points: number of points of each method's dial; for rnr the most corners.
        solver: as in `respond`.
        stop: as in `respond`.
        progress: as in `respond`.
        done: called with every point.
        look: of the names that look ahead, as in `respond`; its `value` may be a mapping from names to value functions,
            exact for the others.

    Raises:
        InputError: an unknown method, or fewer than two points or far too many.
    """
    check_keywords("frontier", look, LookOptions)
    far = {word: given for word, given in look.items() if given is not None}
    world = world_of(game)
    match = world.matchup(world.convert(game), model, solver, stop or Stop(), progress)
    work = frontier_work(match, methods_of(methods, far), points)
    found: list[Point] = []

    def keep(_: str, made: list[dict[str, Any]]) -> None:
        for point in made:
            found.append(Point.read(point))
            if done:
                done(found[-1])

    interrupted = run_work(work, done=keep).interrupted
    if interrupted:
        keep("", [point.facts() for point in work.partial])
    curve = Points(found)
    curve.interrupted = interrupted
    if match.value_gap is not None:
        curve.game_value, curve.game_value_gap = match.game_value, match.value_gap
    return curve


def frontier_work(match: AnyMatchup, methods: Mapping[str, Method], points: int) -> FrontierWork:
    """The points of a frontier as work, with methods checked to fit the game.

    Args:
        match: responder and model.
        methods: by name, from `methods_of`.
        points: number of points of each method's dial.

    Raises:
        InputError: a method that the game does not support, or fewer than two points or far too many.
    """
    check_points(points)
    for method in methods.values():
        world_of(match.game).check(match.game, method if method.is_set else method.at(0.0))
    return FrontierWork(match, methods, points)


_MOST = 10_000
"""The most points of a method's dial."""


def check_points(points: int) -> None:
    """Reject fewer than two points, or far too many.

    Raises:
        InputError: the message names the number.
    """
    if points < 2:
        raise InputError(f"a frontier needs at least 2 points, not {points}")
    if points > _MOST:
        raise InputError(f"a frontier has at most {_MOST:,} points, not {points}")


def methods_of(methods: Sequence[Method | str], look: Mapping[str, Any]) -> dict[str, Method]:
    """The methods of a frontier by name; of several with one name each has its text.

    Args:
        methods: names, records or texts.
        look: options of the names that look ahead (see `frontier`).

    Raises:
        InputError: no method, an unknown one, or missing or unused options.
    """
    if not methods:
        raise InputError(f"a frontier needs at least one method of {', '.join(METHODS)}")
    if look and not any(isinstance(one, str) and one in METHODS and METHODS[one].looks_ahead() for one in methods):
        raise InputError("none of these methods looks ahead")
    named = {one: _named(one, look) for one in methods if isinstance(one, str) and one in METHODS}
    found: list[Method] = []
    for one in methods:
        method = named[one] if isinstance(one, str) and one in named else open_method(one)
        if method not in found:
            found.append(method)
    heads = Counter(one.HEAD for one in found)
    known = {one.HEAD if heads[one.HEAD] == 1 else str(one): one for one in found}
    if len(known) < len(found):
        raise InputError("two methods of a frontier have the same text, so their points would be indistinguishable")
    return known


def _named(name: str, look: Mapping[str, Any]) -> Method:
    """The method of a name, with its options."""
    kind = METHODS[name]
    words = dict(look) if kind.looks_ahead() else {}
    if isinstance(words.get("value"), Mapping):
        words["value"] = words["value"].get(name)
    if kind.GADGET is None:
        for word in ("gadget", "prior", "epsilon", "normalised"):  # they are for the others
            words.pop(word, None)
    return open_method(name, **words)


def steps_of(methods: Mapping[str, Method]) -> dict[str, str]:
    """The scope of the methods that look ahead: `by level` or `by own decision`, by name."""
    return {name: method.look.steps for name, method in methods.items() if method.look is not None}
