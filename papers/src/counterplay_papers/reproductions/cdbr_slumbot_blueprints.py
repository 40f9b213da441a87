"""What a best response wins from three blueprints on the same drawn flops: the bot of `cdbr-slumbot`, the blueprint whose
values it uses, and one of an hour at the default size, which a person has to make."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from counterplay import BR
from counterplay.arrays import F64
from counterplay.measure.flops.flop_responses import FlopsWork
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval, draw_flops
from counterplay.responses.whole_game import HoldemMatchup
from counterplay.work.run_work import complete_work
from counterplay_papers.experiment import Cell
from counterplay_papers.reproductions.cdbr_slumbot_rows import milli_of
from counterplay_papers.slumbot_files import BOT, HOUR, VALUES, RemadeFile

_NAMED = {
    HOUR: "a blueprint of an hour at the default size",
    VALUES: "the second blueprint",
    BOT: "the bot",
}


def blueprint_cells(game: str, draws: int) -> list[Cell]:
    """What a best response wins from each, and how much less from that of an hour, in milli-big-blinds a hand, each with
    half of its 95 % interval; none where that of an hour is missing."""
    if HOUR.find() is None:
        return []
    rows: dict[str, tuple[RemadeFile, RemadeFile | None]]
    rows = {f"best response to {words}": (file, None) for file, words in _NAMED.items()}
    rows |= {f"best response to {_NAMED[other]}, less to that of an hour": (other, HOUR) for other in (VALUES, BOT)}
    return [
        Cell(row, column, None, True, partial(_number, game, draws, *pair, part))
        for row, pair in rows.items()
        for part, column in (("value", "upper"), ("error", "upper ±"))
    ]


def _number(game: str, draws: int, file: RemadeFile, other: RemadeFile | None, part: str) -> float:
    values = won_from(game, str(file.path()), draws)
    if other is not None:
        values = values - won_from(game, str(other.path()), draws)
    found: Interval = _draw(game, draws).interval(values)
    return milli_of(game) * float(getattr(found, part))


@cache
def won_from(game: str, path: str, draws: int) -> F64:
    """(flops,) chips a hand that a best response wins from a blueprint, the mean of both seats."""
    rules, draw = read_holdem(game), _draw(game, draws)
    works = [FlopsWork(HoldemMatchup(rules, seat_strategy(rules, path, seat)), BR(), draw) for seat in (0, 1)]
    return np.asarray(np.mean([work.values(complete_work(work)).upper for work in works], axis=0))


@cache
def _draw(game: str, draws: int) -> FlopDraw:
    return draw_flops(read_holdem(game).game.boards, draws)
