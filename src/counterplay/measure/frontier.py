"""The trade of gain against exploitability: every method over its dial, as points, CSV and picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from counterplay.errors import InputError
from counterplay.files import write_whole
from counterplay.responses.matchup import Matchup
from counterplay.responses.respond import METHODS, respond_in
from counterplay.solvers.cfr import Progress, Stop
from counterplay.subgames.compile import GameTree
from counterplay.treeplex.strategy import Strategy

_SINGLE = ("br", "bne")


@dataclass(frozen=True)
class Point:
    """One response: dial is p, or the allowed exploitability for `safe`; empty for br and bne. Chips, seconds."""

    method: str
    dial: float | None
    gain: float
    exploitability: float
    seconds: float


def frontier(
    game: GameTree,
    model: Strategy,
    methods: Sequence[str] = ("rnr", "safe", "mix", "bne", "br"),
    *,
    points: int = 11,
    solver: str = "auto",
    stop: Stop | None = None,
    progress: Progress | None = None,
    done: Callable[[Point], None] | None = None,
) -> list[Point]:
    """Responses of several methods over a grid of their dials.

    p runs over `points` equal steps from 0 to 1; the exploitability allowed to `safe` from 0 to that of the best
    response, finer near 0. `done` gets every point as soon as it is there; Ctrl-C ends early with the points so far.

    Raises:
        InputError: an unknown method, or fewer than two points.
    """
    if unknown := [method for method in methods if method not in METHODS]:
        raise InputError(f"there is no method '{unknown[0]}'; the methods are {', '.join(METHODS)}")
    if points < 2:
        raise InputError(f"a frontier needs at least 2 points, not {points}")
    found: list[Point] = []
    try:
        for point in _points(Matchup(game, model, solver, stop or Stop(), progress), methods, points):
            found.append(point)
            if done:
                done(point)
    except KeyboardInterrupt:
        pass
    return found


def _points(match: Matchup, methods: Sequence[str], points: int) -> Iterator[Point]:
    most = match.exploitability(match.best_response().plan)
    for method in methods:
        grid = np.linspace(0.0, 1.0, points)
        dials = [None] if method in _SINGLE else (grid**2 * most if method == "safe" else grid).tolist()
        for dial in dials:
            p, epsilon = (None, dial) if method == "safe" else (dial, None)
            answer = respond_in(match, method, p, epsilon)
            if answer.interrupted:
                return
            yield Point(method, dial, answer.gain, answer.exploitability, answer.seconds)


def write_csv(points: Sequence[Point], path: Path) -> None:
    """All points as a CSV file, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Point)])
    writer.writerows([tuple(vars(point).values()) for point in points])
    write_whole(path, text.getvalue().encode())


def write_plot(points: Sequence[Point], path: Path, title: str) -> None:
    """All points as a picture; the format follows the file's ending."""
    try:
        import matplotlib
    except ImportError:
        raise InputError("pictures need matplotlib: pip install 'counterplay[plot]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.0, 4.5), layout="constrained")
    markers = dict(zip(METHODS, "*os^Dv", strict=False))
    for method in dict.fromkeys(point.method for point in points):
        mine = sorted((p.exploitability, p.gain) for p in points if p.method == method)
        line = "" if method in _SINGLE else "-"
        size = 12 if method in _SINGLE else 5
        axes.plot(
            *zip(*mine, strict=True), marker=markers.get(method, "o"), linestyle=line, markersize=size, label=method
        )
    axes.set_xlabel("exploitability (chips a hand)")
    axes.set_ylabel("gain against the model (chips a hand)")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, format=path.suffix.lstrip(".") or "png", dpi=150)
    except ValueError:
        raise InputError(f"cannot draw a picture of the kind '{path.suffix}'; use .png, .svg or .pdf") from None
    finally:
        pyplot.close(figure)
    write_whole(path, buffer.getvalue())
