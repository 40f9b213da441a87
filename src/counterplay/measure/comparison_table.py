"""A comparison as a table, in chips and as a share of the largest gain, and as a picture with a panel for each game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from counterplay.measure.comparison import SLACK, Comparison, Traced, best_within
from counterplay.measure.figures import plotter, save_figure
from counterplay.responses.respond import world_of
from counterplay.tables import aligned

OPTIMUM = "(most)"
"""The row of `safe` with exactly the limit allowed."""
_ALL = "all games"
_CHIPS, _PERCENT, _LACK, _SECONDS = ">9", ">7", ">5", ">9"
"""Columns of one limit, and of the seconds."""


@dataclass(frozen=True)
class Row:
    """A method in a game.

    Attributes:
        gains: for each limit the gain of its best point within it, mean over opponents, 0 without one; chips.
        shares: these over the mean gains of `safe`; None if that is 0.
        missing: for each limit the number of opponents without a point.
        seconds: mean time of a response; None for the optimum.
    """

    game: str
    method: str
    gains: Sequence[float]
    shares: Sequence[float | None]
    missing: Sequence[int]
    seconds: float | None


def rows(comparison: Comparison) -> list[Row]:
    """The optimum of each game, then a row for each method."""
    found = []
    for spec, traced in comparison.games.items():
        most = [fmean(limit) for limit in zip(*(one.most for one in traced), strict=True)]
        found.append(Row(spec, OPTIMUM, most, [1.0] * len(most), [0] * len(most), None))
        found += [_row(method, traced, comparison.asked.within, most) for method in comparison.asked.methods]
    return found


def _row(method: str, traced: Sequence[Traced], within: Sequence[float], most: Sequence[float]) -> Row:
    gains, missing = [], []
    for limit in within:
        best = [best_within(one, method, limit) for one in traced]
        gains.append(fmean(gain or 0.0 for gain in best))
        missing.append(sum(gain is None for gain in best))
    contest = traced[0].contest
    shares = [gain / top if top > SLACK * contest.game.span else None for gain, top in zip(gains, most, strict=True)]
    seconds = fmean(point.seconds for one in traced for point in one.points if point.method == method)
    return Row(contest.spec, method, gains, shares, missing, seconds)


def facts(comparison: Comparison) -> dict[str, Any]:
    """Everything, for JSON: limits and shares of the span, spans and gains in chips."""
    asked = comparison.asked
    return {
        "seat": asked.seat,
        "seed": asked.seed,
        "within": list(asked.within),
        "spans": {spec: traced[0].contest.game.span for spec, traced in comparison.games.items()},
        "values": {spec: {"game_value": value, "game_value_gap": gap} for spec, value, gap in _values(comparison)},
        "table": [vars(row) for row in rows(comparison)],
        "points": [{**one.contest.facts, **point.facts()} for one in comparison.traced for point in one.points],
        "interrupted": comparison.interrupted,
    }


def _values(comparison: Comparison) -> Iterator[tuple[str, float, float]]:
    """The games with a value that is known, that value, from which gains count, and its gap."""
    for spec, traced in comparison.games.items():
        contest = traced[0].contest
        match = world_of(contest.game).matchup(contest.game, contest.model)
        if match.value_gap is not None:
            yield spec, match.game_value, match.value_gap


def table(comparison: Comparison) -> str:
    """A block of lines for each game, then the mean of the shares over several games."""
    found, asked = rows(comparison), comparison.asked
    wide = max(9, *(len(row.method) + 2 for row in found))
    columns = [f"<{wide}", *(_CHIPS, _PERCENT, _LACK) * len(asked.within), _SECONDS]
    head = ["", *(cell for limit in asked.within for cell in (f"{limit:g}", "", "")), "seconds"]
    lines = [
        "gain with an exploitability within these shares of the span of payoffs: chips, mean over the opponents,",
        "and per cent of the most that can be won there",
        "",
        *aligned(columns, [head]),
    ]
    for spec, traced in comparison.games.items():
        lines += [f"{spec}: {len(traced)} opponent{'s' * (len(traced) > 1)}, span {traced[0].contest.game.span:g}"]
        lines += aligned(columns, (_cells(row) for row in found if row.game == spec))
    if len(comparison.games) > 1:
        lines += [f"{_ALL}: mean of the per cent"]
        lines += aligned(columns, (_cells(_mean([row for row in found if row.method == x])) for x in asked.methods))
    if any(number for row in found for number in row.missing):
        lines += ["", "-N: against N of the opponents no point is within the limit, which counts as a gain of 0"]
    if any(point.edge is not None for one in comparison.traced for point in one.points):
        lines += ["", "in whole games of hold'em: edge over a blueprint, with a risk within the shares"]
    inexact = [
        f"gains in {spec} count from a value known to {gap:.2g} chips" for spec, _, gap in _values(comparison) if gap
    ]
    return "\n".join([*lines, *(["", *inexact] if inexact else [])])


def _cells(row: Row) -> list[str]:
    words = [row.method]
    for gain, share, missing in zip(row.gains, row.shares, row.missing, strict=True):
        chips = "" if row.game == _ALL else f"{round(gain, 3) + 0.0:.3f}"  # + 0.0 makes -0.0 plain
        part = "" if share is None or row.method == OPTIMUM else f"{round(100.0 * share) + 0} %"
        words += [chips, part, f"-{missing}" if missing else ""]
    return [*words, "" if row.seconds is None else f"{row.seconds:.3f}"]


def _mean(same: Sequence[Row]) -> Row:
    """The mean of a method's shares over the games where they are defined."""
    shares = []
    for column in zip(*(row.shares for row in same), strict=True):
        known = [share for share in column if share is not None]
        shares.append(fmean(known) if known else None)
    missing = [sum(column) for column in zip(*(row.missing for row in same), strict=True)]
    seconds = fmean(row.seconds for row in same if row.seconds is not None)
    return Row(_ALL, same[0].method, [0.0] * len(shares), shares, missing, seconds)


_GRID, _BEYOND, _LEAST = 101, 1.2, 0.05
"""Number of limits at which a line is drawn; how far it goes beyond the table's largest limit, and its least extent."""
_WIDTH, _HEIGHT, _FOOT = 4.4, 3.3, 0.8
"""Inches of a panel, and of the legend."""
_ACROSS = 2
_DASHES = ("-", "--", "-.")


def draw(comparison: Comparison, path: Path) -> None:
    """Write the picture; the format follows the file's ending. A line is a staircase: within a limit, the best point
    against each opponent, or 0 without one. Crosses are the largest possible gains within the limits of the table."""
    pyplot = plotter()
    games = comparison.games
    across = min(_ACROSS, len(games))
    down = -(-len(games) // across)
    size = (_WIDTH * max(across, 1.4), _HEIGHT * down + _FOOT)
    figure, places = pyplot.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    for axes, spec in zip(places.flat, games, strict=False):
        _panel(axes, comparison, spec)
    for axes in places.flat[len(games) :]:
        axes.set_axis_off()
    handles, labels = places.flat[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(4 if across > 1 else 3, len(labels)), fontsize="small"
    )
    save_figure(figure, path, pyplot, dpi=100)


def _panel(axes: Any, comparison: Comparison, spec: str) -> None:
    traced, within = comparison.games[spec], comparison.asked.within
    end = _BEYOND * max(_LEAST, *within)
    limits = end * np.linspace(0.0, 1.0, _GRID) ** 2  # finer near 0, as the axis is
    for method, dashes in zip(comparison.asked.methods, cycle(_DASHES), strict=False):
        gains = [fmean(best_within(one, method, float(limit)) or 0.0 for one in traced) for limit in limits]
        axes.plot(limits, gains, dashes, label=method, linewidth=1.4, drawstyle="steps-post")
    most = [fmean(limit) for limit in zip(*(one.most for one in traced), strict=True)]
    axes.plot(within, most, "kx", markersize=7, label="most that can be won")
    axes.set_xscale("function", functions=(np.sqrt, np.square))
    axes.set_xlim(0.0, end)
    axes.set_xticks([0.0, *within], ["0", *(f"{limit:g}" for limit in within)])
    axes.set_xlabel(f"exploitability allowed (share of the span, {traced[0].contest.game.span:g} chips)")
    axes.set_ylabel("gain (chips)")
    axes.set_title(f"{spec}, {len(traced)} opponent{'s' * (len(traced) > 1)}", fontsize="medium")
    axes.grid(alpha=0.3)
