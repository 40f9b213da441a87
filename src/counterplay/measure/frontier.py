"""The trade of gain against exploitability: every method over its dial, as points, CSV and picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from counterplay.display import brief, labelled
from counterplay.errors import InputError
from counterplay.files import write_whole
from counterplay.measure.points import Points
from counterplay.poker.spots.spot_game import as_spot_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import as_compiled
from counterplay.responses import METHODS
from counterplay.responses.envelope import Corner, Envelope, envelope
from counterplay.responses.matchup import Matchup
from counterplay.responses.method import Method
from counterplay.responses.method_options import LookOptions, check_options, method_of
from counterplay.responses.respond import check_raked, respond_in
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.responses.whole_game import HoldemMatchup, check_whole_game, respond_in_whole_game
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Solver
from counterplay.treeplex.strategy import Strategy

Far = Mapping[str, Any]
"""How the methods that look ahead do so, as `checked` takes it; the value may be a mapping from methods to their own."""


@dataclass(frozen=True)
class Point:
    """One response. Chips, seconds.

    Attributes:
        method: by name.
        dial: p (alpha for ses), or the allowed exploitability for `safe`; None for br, bne and others without one.
        gain, exploitability: of the response.
        seconds: that it took.
        dial_low, dial_high: of rnr, the p between which it is known to be the response; None for the others.
    """

    method: str
    dial: float | None
    gain: float
    exploitability: float
    seconds: float
    dial_low: float | None = None
    dial_high: float | None = None

    @property
    def dial_text(self) -> str:
        """The dial, or the interval of it."""
        if self.dial_low is not None and self.dial_high is not None:
            ends = [f"{end:.3g}" for end in (self.dial_low, self.dial_high)]
            if ends[0] != ends[1]:
                return "-".join(ends)
        return "" if self.dial is None else f"{self.dial:.4g}"

    def __repr__(self) -> str:
        return brief(
            self,
            self.method,
            labelled("dial", self.dial),
            labelled("gain", self.gain),
            labelled("exploitability", self.exploitability),
        )


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
    check_options("frontier", look, LookOptions)
    if isinstance(game, Holdem):
        return _whole_game_frontier(HoldemMatchup(game, model, stop or Stop()), methods, points, look, done)  # type: ignore[arg-type]
    far = {word: given for word, given in look.items() if given is not None}
    spot = as_spot_game(game)
    for method in check_frontier(methods, points, far):
        check_raked(method, spot.rake if spot else 0.0)
    found: list[Point] = []
    try:
        for point in trace(
            Matchup(spot or as_compiled(game), model, solver, stop or Stop(), progress), methods, points, far
        ):
            found.append(point)
            if done:
                done(point)
    except KeyboardInterrupt:
        pass
    return Points(found)


def _whole_game_frontier(
    match: HoldemMatchup,
    methods: Sequence[str],
    points: int,
    far: Far,
    done: Callable[[Point], None] | None,
) -> Points[Point]:
    """The same in a whole game of hold'em: br, and rnr at equal steps of p."""
    for method in check_frontier(methods, points, far):
        check_whole_game(method)
    found: list[Point] = []
    try:
        for name in methods:
            for p in np.linspace(0.0, 1.0, points).tolist() if name == RNR.HEAD else [None]:
                answer = respond_in_whole_game(match, method_of(name, p=p))
                point = Point(name, p, answer.gain, answer.exploitability, answer.seconds)
                found.append(point)
                if done:
                    done(point)
                if answer.interrupted:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    return Points(found)


_MOST = 10_000
"""Points of a method's dial; nobody's picture shows more."""


def check_frontier(methods: Sequence[str], points: int, far: Far) -> list[Method]:
    """One record of each method, once all of them are seen to fit.

    Raises:
        InputError: an unknown method, words that it lacks or that nobody takes, or fewer than two points.
    """
    if not methods:
        raise InputError(f"a frontier needs at least one method of {', '.join(METHODS)}")
    if far and not any(_looks_ahead(method) for method in methods):
        raise InputError("none of these methods looks ahead")
    if points < 2:
        raise InputError(f"a frontier needs at least 2 points, not {points}")
    if points > _MOST:
        raise InputError(f"a frontier has at most {_MOST:,} points, not {points}")
    return [_at_dial(method, 0.0, far) for method in methods]


def steps_of(methods: Sequence[str], far: Far) -> dict[str, str]:
    """How the methods that look ahead step: `by level` or `by own decision`, by method."""
    looks = {method: _at_dial(method, 0.0, far).look for method in methods}
    return {method: look.steps for method, look in looks.items() if look is not None}


def trace(match: Matchup, methods: Sequence[str], points: int, far: Far) -> Iterator[Point]:
    """The points one after the other.

    Raises:
        KeyboardInterrupt: a solve was cut short, or Ctrl-C came between two of them.
    """
    corners: Envelope | None = None
    for method in methods:
        known = METHODS[method]
        if known in (RNR, Safe):
            corners = corners or envelope(match, points)
            if known is RNR:
                yield from (_corner(corner) for corner in corners.corners)
            if corners.interrupted:
                raise KeyboardInterrupt
            if known is RNR:
                continue
        for number in _numbers(known, points, corners):
            answer = respond_in(match, _at_dial(method, number, far))
            if answer.interrupted:
                raise KeyboardInterrupt
            shown = None if known.DIAL is None else number
            yield Point(method, shown, answer.gain, answer.exploitability, answer.seconds)


def _corner(corner: Corner) -> Point:
    return Point(
        RNR.HEAD,
        corner.p,
        corner.gain,
        corner.exploitability,
        corner.seconds,
        dial_low=corner.low,
        dial_high=corner.high,
    )


def _numbers(method: type[Method], points: int, corners: Envelope | None) -> list[float]:
    """Where a method's dial is set."""
    grid: list[float] = np.linspace(0.0, 1.0, points).tolist()
    if method is Safe and corners:
        return [0.0, *(corners.allowed(share) for share in grid[1:])]
    return [0.0] if method.DIAL is None else grid


def is_cut(points: Sequence[Point]) -> bool:
    """Whether rnr may have more corners than these: somewhere the p of two neighbours do not meet."""
    mine = sorted((x.dial_low, x.dial_high or 0.0) for x in points if x.dial_low is not None)
    return any(one[1] < other[0] for one, other in pairwise(mine))


def _looks_ahead(method: str) -> bool:
    return method in METHODS and METHODS[method].looks_ahead()


def _at_dial(method: str, number: float, far: Far) -> Method:
    """A method at one number of its dial."""
    known = METHODS.get(method)
    words = dict(far) if _looks_ahead(method) else {}
    if isinstance(words.get("value"), Mapping):
        words["value"] = words["value"].get(method)
    if known and known.GADGET is None:
        for word in ("gadget", "prior", "epsilon", "normalised"):  # they are for the others
            words.pop(word, None)
    if known and known.DIAL:
        words[known.DIAL] = number
    return method_of(method, **words)


def write_csv(points: Sequence[Point], path: Path) -> None:
    """All points as a CSV file, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Point)])
    writer.writerows([tuple(vars(point).values()) for point in points])
    write_whole(path, text.getvalue().encode())
