"""Edge against risk of restricted Nash responses to the bot of `cdbr-slumbot`, on drawn flops."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from counterplay import FlopMeasure, FlopPoint, Stop, frontier_on_flops
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.walks.flop_draw import draw_flops
from counterplay_papers.experiment import Cell
from counterplay_papers.slumbot_files import BOT, BUCKETS, GAME

_COLUMNS = ("edge", "edge_error", "risk", "risk_error")


@dataclass(frozen=True)
class FrontierSettings:
    """A frontier on drawn flops.

    Attributes:
        game: with buckets.
        opponent: text of the bot; empty for that of the table.
        points: numbers p between 0 and 1, both among them.
        iterations: of public chance sampling, for each p beyond those before.
        draws: of flops.
    """

    game: str
    opponent: str
    points: int
    iterations: int
    draws: int


FULL = FrontierSettings(f"{GAME},{BUCKETS}", "", 5, 4000, 20)


def frontier_cells(name: str, asked: FrontierSettings, *, slow: bool) -> list[Cell]:
    """A row for each p: edge on drawn boards and risk on drawn flops, beside a blueprint, in milli-big-blinds a hand, each
    with half of its 95 % interval. Player 0 responds."""
    cells = []
    for k in range(asked.points):
        row = f"{name}, p = {k / (asked.points - 1):g}"
        for column in _COLUMNS:
            shown = column.replace("_error", " ±")
            cells.append(Cell(row, shown, None, slow, partial(_number, asked, k, column)))
    return cells


def _number(asked: FrontierSettings, k: int, column: str) -> float:
    point = _points(asked)[k]
    return 1000.0 / point.big_blind * float(getattr(point, column))


@cache
def _points(asked: FrontierSettings) -> list[FlopPoint]:
    rules = read_holdem(asked.game)
    model = seat_strategy(rules, asked.opponent or str(BOT.path()), 1)
    measure = FlopMeasure(rules, model, draw_flops(rules.game.boards, asked.draws))
    return frontier_on_flops(measure, ("rnr",), points=asked.points, stop=Stop(iterations=asked.iterations))
