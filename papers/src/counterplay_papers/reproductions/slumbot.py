"""Milec et al. 2024, table 2: what LBR, CDBR and ABR win from SlumBot; 200 big blinds, fold, call, pot and all-in.

The paper's bot is its author's, and its values are means over matches. Ours is a bot of the same class: external sampling
for 200 million iterations, with 169 / 5,000 / 5,000 / 1,000 buckets by moments of equity; one command makes it again. What
a method wins from it is exact after the flop, over all turns, rivers, hands and actions, and paired on the same drawn flops;
"lower" and "upper" are cross-fitted and in-sample values of the decisions before the flop (see `response_on_flops`), and
the columns beside them half of the 95 % intervals. Everything is inside the betting tree. ABR, of which the paper has one
number, is learned; beside it stands the best response itself.

The flops are long work. The package holds the bot, and a table of the flops that have been computed, with the digests of
the strategies; it is checked when it is read (see `flop_table`). `reproduce cdbr-slumbot` computes the others: it goes on
where the package and its own earlier runs end, draws first.
`--quick` prints the table, checks of the walks that must give 0, and the same study of a game of 20 cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay import FlopMeasure, FlopPoint, InputError, Stop, frontier_on_flops
from counterplay.arrays import F64
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.blueprints.blueprint_file import digest_blueprint
from counterplay.poker.whole_game.walks.response_on_flops import ALL, FlopDraw, Interval, ResponseOnFlops, draw_flops
from counterplay.texts.grammar import bracketed, part_text
from counterplay.work.run_work import FunctionWork, run_work
from counterplay_papers import files
from counterplay_papers.bot_hands import milli_of, rules_of
from counterplay_papers.experiment import (
    MILEC_2024,
    PRINTED,
    AnyCell,
    Cell,
    Experiment,
    LongPieces,
    Reference,
    Summary,
    grid,
)  # fmt: skip
from counterplay_papers.files import BOT, BUCKETS, GAME, HOUR, TOY_BOT, VALUES, RemadeFile
from counterplay_papers.flop_study import FlopStudy, Stage
from counterplay_papers.flop_table import BEST, FlopTable, PooledDraws, read_flop_table, table_of, write_flop_table
from counterplay_papers.listed_hands import METHODS as LISTED
from counterplay_papers.listed_hands import (
    ThreeLanes,
    eight_cards,
    full_deck,
    pair_error,
    river_error,
    seat_error,
    some_river,
)

TABLE = "cdbr-slumbot.cpv"
_BIASED = ("call", "raise")
"""Beside the second blueprint itself, the actions to which its variants are biased, by which ABD goes on."""
FIRST, DRAWS = 30, 150
"""Flops that are drawn for all methods, and for all but those that have few."""
_BLUEPRINT_DRAWS = 60
_TOY = "holdem:deck=20,stack=10bb,bets=fcpa"
_TOY_DRAWS, _TOY_BOARDS = 12, 3
_TOY_VALUES = "blueprint:method=public,iterations=1000,buckets=30"


def cdbr_slumbot() -> Experiment:
    """The table, differences that are paired, the best response on more flops, and the checks."""
    tables = _Tables()
    cells: list[AnyCell] = [
        *_table_rows(tables.table),
        *frontier_cells("RNR", FrontierSettings(f"{GAME},{BUCKETS}", "", 5, 4000, 20), slow=True),
        *blueprint_cells(GAME, _BLUEPRINT_DRAWS),
        *frontier_cells("20 cards: RNR", FrontierSettings(f"{_TOY},buckets=30", TOY_BOT, 3, 300, 6), slow=False),
        *checks(),
    ]
    title = f"{GAME}: what methods win from a SlumBot-class bot, mbb/h, inside the betting tree"
    return Experiment(
        "cdbr-slumbot", title, f"{MILEC_2024}, table 2", 0, cells, measure="won (mbb/h)",
        long_pieces=LongPieces(_pieces, tables.keep), files=(BOT, VALUES, HOUR),
    )  # fmt: skip


@cache
def digest(file: RemadeFile) -> str:
    """Some letters of what the file holds (see `digest_blueprint`)."""
    return digest_blueprint(file.path())[:16]


@cache
def kept_table() -> FlopTable | None:
    """The table in the package.

    Raises:
        InputError: it is damaged, or its numbers do not fit each other.
    """
    path = files.DATA / TABLE
    return read_flop_table(path) if path.is_file() else None


LBR, EQUITY, BLUEPRINT, ADAPTING = "LBR", "CDBR, equity", "CDBR, blueprint values", "ABD"
TWO_STREETS = "CDBR, equity, two streets"
SHOWN = {name: name for name in (LBR, EQUITY, BLUEPRINT, TWO_STREETS, ADAPTING)} | {BEST: "best response"}
"""The methods of the study, and the names of their rows."""
FEW = (TWO_STREETS, ADAPTING)
"""Those that have fewer draws."""


def study() -> FlopStudy:
    """The study of the flops that the table in the package lacks: of all methods those drawn first, then of each but those
    with few as many as are paired, then of the best response all.

    Raises:
        InputError: a strategy is missing, or one is another than that of the table in the package.
    """
    bot, values = str(BOT.path()), str(VALUES.path())
    methods = _methods(values)
    every, most = tuple(methods), tuple(name for name in methods if name not in FEW)
    stages = (Stage(every, FIRST), Stage(most, DRAWS), Stage((BEST,), ALL))
    asked = FlopStudy(GAME, bot, methods, stages, {bot: digest(BOT), values: digest(VALUES)})
    kept = kept_table()
    if kept is None:
        return asked
    for file, name in ((BOT, ""), (VALUES, BLUEPRINT)):
        facts = [known["methods"].get(name, "") if name else known["opponent"] for known in (asked.facts, kept.study)]
        if facts[0] != facts[1] and facts[1]:
            raise InputError(f"{file.path()} is {facts[0]}, and the table that is kept has {facts[1]}; the file is made by: "
                             f"{file.command}")  # fmt: skip
    return replace(asked, known=kept.known)


def _methods(values: str) -> dict[str, str]:
    """The texts of the methods; values: of the blueprint behind the look-aheads."""
    variants = (values, *(f"bias:{action}=10:{values}" for action in _BIASED))
    one, several = (bracketed(f"portfolio:{';'.join(map(part_text, texts))}") for texts in ((values,), variants))
    return {
        EQUITY: "cdbr:leaf=equity", BLUEPRINT: f"cdbr:leaf={one}", BEST: BEST, LBR: "lbr",
        TWO_STREETS: "cdbr:depth=2,leaf=equity",
        ADAPTING: f"abd:p=1,leaf={several}",
    }  # fmt: skip


def _pieces() -> FlopStudy | FunctionWork:
    """The work that is left: nothing where the table in the package has all."""
    kept = kept_table()
    complete = kept is not None and kept.has_all(BEST) and all(
        kept.known.draws.get(name, 0) >= (FIRST if name in FEW else DRAWS) for name in SHOWN
    )  # fmt: skip
    return FunctionWork(str, (), lambda: {"kept": "all"}) if complete else study()


class _Tables:
    """Cells of the table in the package, with the pieces of this run."""

    def __init__(self) -> None:
        self._latest: tuple[Mapping[str, Any], FlopTable | None] | None = None

    def table(self, found: Mapping[str, Any]) -> FlopTable | None:
        if self._latest is None or self._latest[0] is not found:
            kept = kept_table()
            self._latest = found, table_of(study(), found, kept) if found else kept
        return self._latest[1]

    def keep(self, folder: Path, found: Mapping[str, Any]) -> None:
        """Write the table."""
        made = self.table(found)
        if made is not None and found:
            write_flop_table(folder / TABLE, made)


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


def _table_rows(tables: Tables) -> list[Summary]:
    """Values of the methods, their differences and parts, and the best response on more flops."""
    cells: list[Summary] = []

    def number(row: str, column: str, read: Callable[[FlopTable], float | None], paper: str = "") -> None:
        def compute(found: Mapping[str, Any]) -> float | None:
            table = tables(found)
            return None if table is None else read(table)

        cells.append(Summary(row, column, _PRINTED.get(paper), compute, _REASONS.get(paper, "")))

    def bounds(row: str, read: Callable[[FlopTable, bool], Interval | None], paper: str = "") -> None:
        """Both estimates, each with half of its interval, in milli-big-blinds."""
        for low, name in ((True, "lower"), (False, "upper")):
            number(row, name, partial(_milli, read, low, "value"), paper if low else "")
            number(row, f"{name} ±", partial(_milli, read, low, "error"))

    for name, shown in SHOWN.items():
        for seat, words in _SEATS.items():
            bounds(f"{shown}{words}", partial(_of_method, name, seat), name if seat is None else "")
        number(shown, "draws", partial(_draws, name))
        number(shown, "% of the best", partial(_share, name))
    pairs = [(BEST, name) for name in SHOWN if name != BEST]
    for name, other in (*pairs, (BLUEPRINT, LBR), (ADAPTING, BLUEPRINT)):
        bounds(f"{SHOWN[name]} less {SHOWN[other]}", partial(_less, name, other))
    for name in (LBR, EQUITY, BLUEPRINT):
        for part, words in (("before", "before the flop, then the best"), ("after", "after the flop, best before it")):
            number(f"{name} {words}", "% of the best", partial(_part, name, part))
    for seat, words in _SEATS.items():
        bounds(f"best response, most draws{words}", partial(_of_most, seat))
    number("best response, most draws", "draws", lambda table: float(table.paired(BEST).draws))
    for seat, words in _SEATS.items():
        number(f"best response, all flops{words}", "upper", partial(_over_all, seat))
    number("best response, all flops", "flops", lambda table: float(table.flops.get(BEST, 0)))
    return cells


def _milli(read: Callable[[FlopTable, bool], Interval | None], low: bool, part: str, table: FlopTable) -> float | None:
    found = read(table, low)
    return None if found is None else milli_of(str(table.study["game"])) * float(getattr(found, part))


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


class FrontierSettings(NamedTuple):
    """Edge against risk of restricted Nash responses to a bot in a game with buckets, on drawn flops; player 0 responds.

    opponent: text of the bot; empty for that of the table. points: numbers p from 0 to 1. iterations: of public chance
    sampling, for each p beyond those before.
    """

    game: str
    opponent: str
    points: int
    iterations: int
    draws: int


def frontier_cells(name: str, asked: FrontierSettings, *, slow: bool) -> list[Cell]:
    """A row for each p: edge on drawn boards and risk on drawn flops, beside a blueprint, in milli-big-blinds a hand, each
    with half of its 95 % interval."""
    rows = {f"{name}, p = {k / (asked.points - 1):g}": k for k in range(asked.points)}
    columns = {column.replace("_error", " ±"): column for column in ("edge", "edge_error", "risk", "risk_error")}

    def number(k: int, column: str) -> float:
        point = _points(asked)[k]
        return 1000.0 / point.big_blind * float(getattr(point, column))

    return grid(rows, columns, number, slow)


@cache
def _points(asked: FrontierSettings) -> list[FlopPoint]:
    rules = rules_of(asked.game)
    model = seat_strategy(rules, asked.opponent or str(BOT.path()), 1)
    measure = FlopMeasure(rules, model, draw_flops(rules.game.boards, asked.draws))
    return frontier_on_flops(measure, ("rnr",), points=asked.points, stop=Stop(iterations=asked.iterations))


_NAMED = {HOUR: "a blueprint of an hour at the default size", VALUES: "the second blueprint", BOT: "the bot"}


def blueprint_cells(game: str, draws: int) -> list[Cell]:
    """Values of best responses to three blueprints on the same drawn flops, and the differences to that of an hour, which a
    person has to make: in milli-big-blinds a hand, each with half of its 95 % interval. No cells where that is missing."""
    if HOUR.find() is None:
        return []
    rows: dict[str, tuple[RemadeFile, RemadeFile | None]]
    rows = {f"best response to {words}": (file, None) for file, words in _NAMED.items()}
    rows |= {f"best response to {_NAMED[other]}, less to that of an hour": (other, HOUR) for other in (VALUES, BOT)}
    return grid(rows, {"upper": "value", "upper ±": "error"}, partial(_won, game, draws), True)


def _won(game: str, draws: int, pair: tuple[RemadeFile, RemadeFile | None], part: str) -> float:
    file, other = pair
    values = won_from(game, str(file.path()), draws)
    if other is not None:
        values = values - won_from(game, str(other.path()), draws)
    return milli_of(game) * float(getattr(_draw(game, draws).interval(values), part))


@cache
def won_from(game: str, path: str, draws: int) -> F64:
    """(flops,) chips a hand that a best response wins from a blueprint, the mean of both seats."""
    rules, draw = rules_of(game), _draw(game, draws)
    both = [ResponseOnFlops(rules.game, 1 - seat, seat_strategy(rules, path, seat).play) for seat in (0, 1)]
    return np.asarray(np.mean([one.values(draw, one.rows(draw)).upper for one in both], axis=0))


@cache
def _draw(game: str, draws: int) -> FlopDraw:
    return draw_flops(rules_of(game).game.boards, draws)


def checks() -> list[Cell]:
    """Numbers that must be 0, and the study of a short deck, of which all flops are known too."""
    zeros: dict[str, Callable[[], float]] = {
        "full deck, a river by kernels and by NumPy": lambda: river_error(
            full_deck(), some_river(full_deck()), ThreeLanes(full_deck())
        ),
        "full deck, pairs of hands by street": lambda: pair_error(full_deck(), some_river(full_deck())),
        "full deck, what one seat wins the other loses": lambda: seat_error(
            full_deck(), ThreeLanes(full_deck()), _TOY_BOARDS
        ),
    }
    zeros |= {f"8 cards, {name} by walks and listed in full": partial(_listed, name) for name in LISTED}
    rows = {f"check: {row}": compute for row, compute in zeros.items()}
    cells = grid(rows, {"error × 10⁹": 1e9}, lambda compute, unit: unit * compute())
    bounds = {
        f"{bound}{suffix}": (bound == "lower", part)
        for bound in ("lower", "upper")
        for part, suffix in (("value", ""), ("error", " ±"))
    }
    cells += grid({f"20 cards: {shown}": name for name, shown in SHOWN.items()}, bounds, _toy)
    return [*cells, Cell("20 cards: best response, all flops", "upper", None, False, _toy_exact)]


def _listed(name: str) -> float:
    return eight_cards().difference(name)


@cache
def _toy_table() -> FlopTable:
    """The study with 20 cards, against a bot by external sampling."""
    methods = _methods(_TOY_VALUES)
    asked = FlopStudy(_TOY, TOY_BOT, methods, (Stage(tuple(methods), _TOY_DRAWS), Stage((BEST,), ALL)), {})
    found = table_of(asked, run_work(asked).results)
    assert found is not None
    return found


def _toy(name: str, bound: tuple[bool, str]) -> float:
    low, part = bound
    return milli_of(_TOY) * float(getattr(_toy_table().paired(name).interval(name, None, lower=low), part))


def _toy_exact() -> float:
    return milli_of(_TOY) * _toy_table().value(BEST, None).value
