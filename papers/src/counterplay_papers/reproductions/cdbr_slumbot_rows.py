"""The rows of `cdbr-slumbot` that are made of its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.walks.flop_draw import Interval
from counterplay_papers.experiment import PRINTED, Reference, Summary
from counterplay_papers.flops.flop_table import BEST, FlopTable
from counterplay_papers.flops.pooled_draws import PooledDraws

LBR, EQUITY, BLUEPRINT, ADAPTING = "LBR", "CDBR, equity", "CDBR, blueprint values", "ABD"
TWO_STREETS = "CDBR, equity, two streets"
SHOWN = {name: name for name in (LBR, EQUITY, BLUEPRINT, TWO_STREETS, ADAPTING)} | {BEST: "best response"}
"""The methods of the study, and what their rows are called."""
FEW = (TWO_STREETS, ADAPTING)
"""Those that have fewer draws."""
_OWN = "lower ±"
_PRINTED = {
    LBR: Reference(1388.0, PRINTED, 150.0, _OWN),
    BLUEPRINT: Reference(1774.0, PRINTED, 137.0, _OWN),
    BEST: Reference(1259.0, PRINTED, 0.0, _OWN),
}
"""With the intervals that the paper gives; of ABR it gives none."""
_OTHER = "another bot of this class, and exact values instead of matches"
_REASONS = {LBR: _OTHER, BLUEPRINT: f"{_OTHER}; a network's values in the paper", BEST: f"{_OTHER}; the paper's is ABR"}
_SEATS = {0: ", as big blind", 1: ", as button", None: ""}

Tables = Callable[[Mapping[str, Any]], FlopTable | None]
"""The table with the pieces of a run."""
Read = Callable[[FlopTable], float | None]
Bounds = Callable[[FlopTable, bool], Interval | None]


def table_rows(tables: Tables) -> list[Summary]:
    """What the methods win, by how much they differ, what parts of them win, and the best response on more flops."""
    cells: list[Summary] = []
    for name, shown in SHOWN.items():
        for seat, words in _SEATS.items():
            reference, reason = (_PRINTED.get(name), _REASONS.get(name, "")) if seat is None else (None, "")
            cells += _bounds(tables, f"{shown}{words}", partial(_of_method, name, seat), reference, reason)
        cells.append(_number(tables, shown, "draws", partial(_draws, name)))
        cells.append(_number(tables, shown, "% of the best", partial(_share, name)))
    pairs = [(BEST, name) for name in SHOWN if name != BEST]
    for name, other in (*pairs, (BLUEPRINT, LBR), (ADAPTING, BLUEPRINT)):
        cells += _bounds(tables, f"{SHOWN[name]} less {SHOWN[other]}", partial(_less, name, other))
    for name in (LBR, EQUITY, BLUEPRINT):
        for part, words in (("before", "before the flop, then the best"), ("after", "after the flop, best before it")):
            cells.append(_number(tables, f"{name} {words}", "% of the best", partial(_part, name, part)))
    for seat, words in _SEATS.items():
        cells += _bounds(tables, f"best response, most draws{words}", partial(_of_most, seat))
    cells.append(_number(tables, "best response, most draws", "draws", lambda t: float(t.paired(BEST).draws)))
    for seat, words in _SEATS.items():
        cells.append(_number(tables, f"best response, all flops{words}", "upper", partial(_over_all, seat)))
    return [*cells, _number(tables, "best response, all flops", "flops", _flops)]


def _number(
    tables: Tables, row: str, column: str, read: Read, reference: Reference | None = None, reason: str = ""
) -> Summary:
    def compute(found: Mapping[str, Any]) -> float | None:
        table = tables(found)
        return None if table is None else read(table)

    return Summary(row, column, reference, compute, reason)


def _bounds(
    tables: Tables, row: str, read: Bounds, reference: Reference | None = None, reason: str = ""
) -> list[Summary]:
    """Both estimates, each with half of its interval, in milli-big-blinds."""
    made = []
    for low, name in ((True, "lower"), (False, "upper")):
        value, error = (partial(_milli, read, low, part) for part in ("value", "error"))
        made.append(_number(tables, row, name, value, reference if low else None, reason))
        made.append(_number(tables, row, f"{name} ±", error))
    return made


def _milli(read: Bounds, low: bool, part: str, table: FlopTable) -> float | None:
    found = read(table, low)
    return None if found is None else milli_of(str(table.study["game"])) * float(getattr(found, part))


@cache
def milli_of(game: str) -> float:
    """Milli-big-blinds in a chip."""
    return 1000.0 / float(read_holdem(game).stakes.big_blind or 1.0)


def _paired(table: FlopTable, *names: str) -> PooledDraws | None:
    """The draws that methods have in common with all that are shown but those with few; before all have one, as in an
    interrupted run, their own. None if there are none.
    """
    everybody = tuple(dict.fromkeys((*names, *(name for name in SHOWN if name not in FEW))))
    found = table.paired(*everybody)
    if not found.draws:
        found = table.paired(*names)
    return found if found.draws else None


def _of_method(name: str, seat: int | None, table: FlopTable, low: bool) -> Interval | None:
    draws = _paired(table, name)
    return None if draws is None else draws.interval(name, seat, lower=low)


def _less(name: str, other: str, table: FlopTable, low: bool) -> Interval | None:
    draws = _paired(table, name, other)
    return None if draws is None else draws.difference(name, other, lower=low)


def _of_most(seat: int | None, table: FlopTable, low: bool) -> Interval | None:
    draws = table.paired(BEST)
    return draws.interval(BEST, seat, lower=low) if draws.draws else None


def _draws(name: str, table: FlopTable) -> float | None:
    draws = _paired(table, name)
    return None if draws is None else float(draws.draws)


def _share(name: str, table: FlopTable) -> float | None:
    """Per cent of what the best response wins on the same draws, both in sample."""
    draws = _paired(table, name, BEST)
    return None if draws is None else 100.0 * draws.interval(name, None).value / draws.interval(BEST, None).value


def _part(name: str, part: str, table: FlopTable) -> float | None:
    """Per cent of what the best response wins that decisions before the flop, or after it, win by themselves."""
    found = table.parts(name)
    return None if found is None else 100.0 * float(getattr(found, part)) / found.best


def _over_all(seat: int | None, table: FlopTable) -> float | None:
    return milli_of(str(table.study["game"])) * table.value(BEST, seat).value if table.has_all(BEST) else None


def _flops(table: FlopTable) -> float:
    return float(table.flops.get(BEST, 0))
