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
from typing import Any

from counterplay.errors import InputError
from counterplay.experiments.experiment import Cell, Experiment, LongPieces, Summary
from counterplay.experiments.listed_hands import METHODS as LISTED
from counterplay.experiments.listed_hands import eight_cards
from counterplay.experiments.paper_sources import CDRNR
from counterplay.experiments.slumbot_files import BOT, GAME, TABLE, VALUES, digest, kept_table
from counterplay.experiments.slumbot_frontier import FULL, FrontierSettings, frontier_cells
from counterplay.experiments.walk_checks import (
    ThreeLanes,
    full_deck,
    pair_error,
    river_error,
    seat_error,
    some_river,
)
from counterplay.measure.flops.flop_study import FlopStudy, Stage
from counterplay.measure.flops.flop_table import BEST, FlopTable, table_of
from counterplay.measure.flops.flop_table_file import write_flop_table
from counterplay.measure.flops.pooled_draws import PooledDraws
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.walks.flop_draw import ALL, Interval
from counterplay.work.run_work import run_work

LBR, EQUITY, BLUEPRINT, ADAPTING = "LBR", "CDBR, equity", "CDBR, blueprint values", "ABD"
_SHOWN = {LBR: LBR, EQUITY: EQUITY, BLUEPRINT: BLUEPRINT, ADAPTING: ADAPTING, BEST: "best response"}
"""The methods of the study, and what their rows are called."""
_PRINTED = {LBR: 1388.0, BLUEPRINT: 1774.0, BEST: 1259.0}
_OTHER = "another bot of this class, and exact values instead of matches"
_REASONS = {LBR: _OTHER, BLUEPRINT: f"{_OTHER}; a network's values in the paper", BEST: f"{_OTHER}; the paper's is ABR"}
_BIASED = ("call", "raise")
"""Beside the second blueprint itself, the actions to which its variants are biased, by which ABD goes on."""
_FIRST, _DRAWS = 30, 150
"""Flops that are drawn for all methods, ABD among them, and for the others."""
_SEATS = {0: ", as big blind", 1: ", as button", None: ""}
_TOY = "holdem:deck=20,stack=10bb,bets=fcpa"
_TOY_DRAWS, _TOY_BOARDS = 12, 3
_TOY_BOT, _TOY_VALUES = (
    f"blueprint:method={method},iterations={count},buckets=30"
    for method, count in (("external", 20000), ("public", 1000))
)
_TOY_FRONTIER = FrontierSettings(f"{_TOY},buckets=30", _TOY_BOT, 3, 300, 6)

Read = Callable[[FlopTable], float | None]
Bounds = Callable[[FlopTable, bool], Interval | None]


def experiment() -> Experiment:
    """The table, differences that are paired, the best response on more flops, and the checks."""
    tables = _Tables()
    cells: list[Cell | Summary] = []
    for name, shown in _SHOWN.items():
        for seat, words in _SEATS.items():
            paper, reason = (_PRINTED.get(name), _REASONS.get(name, "")) if seat is None else (None, "")
            cells += tables.bounds(f"{shown}{words}", partial(_of_method, name, seat), paper, reason)
        cells.append(tables.number(shown, "draws", partial(_draws, name)))
        cells.append(tables.number(shown, "% of the best", partial(_share, name)))
    for name in (LBR, EQUITY, BLUEPRINT, ADAPTING):
        cells += tables.bounds(f"best response less {_SHOWN[name]}", partial(_less, BEST, name))
    cells += tables.bounds(f"{_SHOWN[BLUEPRINT]} less {LBR}", partial(_less, BLUEPRINT, LBR))
    cells += tables.bounds(f"{ADAPTING} less {_SHOWN[BLUEPRINT]}", partial(_less, ADAPTING, BLUEPRINT))
    for seat, words in _SEATS.items():
        cells += tables.bounds(f"best response, most draws{words}", partial(_of_most, seat))
    cells.append(tables.number("best response, most draws", "draws", lambda t: float(t.paired(BEST).draws)))
    for seat, words in _SEATS.items():
        cells.append(tables.number(f"best response, all flops{words}", "upper", partial(_over_all, seat)))
    cells.append(tables.number("best response, all flops", "flops", _flops))
    cells += frontier_cells("RNR", FULL, slow=True)
    cells += frontier_cells("20 cards: RNR", _TOY_FRONTIER, slow=False)
    cells += _checks()
    title = f"{GAME}: what methods win from a SlumBot-class bot, mbb/h, inside the betting tree"
    work = LongPieces(_pieces, tables.keep)
    return Experiment("cdbr-slumbot", title, f"{CDRNR}, table 2", 0, cells, measure="won (mbb/h)", long_pieces=work)


def study() -> FlopStudy:
    """What the table in the package lacks: of all methods the flops drawn first, then of each but ABD as many as are paired,
    then of the best response all.

    Raises:
        InputError: a strategy is missing, or one is another than that of the table in the package.
    """
    bot, values = str(BOT.path()), str(VALUES.path())
    methods = _methods(values)
    every, fast = tuple(methods), tuple(name for name in methods if name != ADAPTING)
    stages = (Stage(every, _FIRST), Stage(fast, _DRAWS), Stage((BEST,), ALL))
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
    variants = ";".join((values, *(f"bias:{action}=10:{values}" for action in _BIASED)))
    one, several = (f"[portfolio:{text}]" if "," in text else f"portfolio:{text}" for text in (values, variants))
    return {
        EQUITY: "cdbr:value=equity", BLUEPRINT: f"cdbr:value={one}", BEST: BEST, LBR: "lbr",
        ADAPTING: f"abd:p=1,value={several}",
    }  # fmt: skip


def _pieces() -> FlopStudy | _Nothing:
    """What is left to compute: nothing where the table in the package has all."""
    kept = kept_table()
    complete = kept is not None and kept.has_all(BEST) and all(
        kept.known.draws.get(name, 0) >= (_FIRST if name == ADAPTING else _DRAWS) for name in _SHOWN
    )  # fmt: skip
    return _Nothing() if complete else study()


class _Nothing:
    """Work without pieces."""

    def identity(self) -> dict[str, str]:
        return {"kept": "all"}

    def keys(self) -> list[str]:
        return []

    def compute(self, key: str) -> None:
        raise KeyError(key)


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

    def number(self, row: str, column: str, read: Read, paper: float | None = None, reason: str = "") -> Summary:
        def compute(found: Mapping[str, Any]) -> float | None:
            table = self.table(found)
            return None if table is None else read(table)

        return Summary(row, column, paper, compute, reason)

    def bounds(self, row: str, read: Bounds, paper: float | None = None, reason: str = "") -> list[Summary]:
        """Both estimates, each with half of its interval, in milli-big-blinds."""
        made = []
        for low, name in ((True, "lower"), (False, "upper")):
            value, error = (partial(_milli, read, low, part) for part in ("value", "error"))
            made.append(self.number(row, name, value, paper if low else None, reason))
            made.append(self.number(row, f"{name} ±", error))
        return made


def _milli(read: Bounds, low: bool, part: str, table: FlopTable) -> float | None:
    found = read(table, low)
    return None if found is None else milli_of(GAME) * float(getattr(found, part))


@cache
def milli_of(game: str) -> float:
    """Milli-big-blinds in a chip."""
    return 1000.0 / float(read_holdem(game).stakes.big_blind or 1.0)


def _paired(table: FlopTable, *names: str) -> PooledDraws | None:
    """The draws that methods have in common; None if there are none. ABD, which has fewer, is not waited for."""
    names = tuple(dict.fromkeys((*names, *(name for name in _SHOWN if name != ADAPTING))))
    found = table.paired(*names)
    return found if found.draws else None


def _of_method(name: str, seat: int | None, table: FlopTable, low: bool) -> Interval | None:
    draws = _paired(table, name)
    return draws and draws.interval(name, seat, lower=low)


def _less(name: str, other: str, table: FlopTable, low: bool) -> Interval | None:
    draws = _paired(table, name, other)
    return draws and draws.difference(name, other, lower=low)


def _of_most(seat: int | None, table: FlopTable, low: bool) -> Interval:
    return table.paired(BEST).interval(BEST, seat, lower=low)


def _draws(name: str, table: FlopTable) -> float | None:
    draws = _paired(table, name)
    return draws and float(draws.draws)


def _share(name: str, table: FlopTable) -> float | None:
    """Per cent of what the best response wins on the same draws, both in sample."""
    draws = _paired(table, name)
    return draws and 100.0 * draws.interval(name, None).value / draws.interval(BEST, None).value


def _over_all(seat: int | None, table: FlopTable) -> float | None:
    return milli_of(GAME) * table.value(BEST, seat).value if table.has_all(BEST) else None


def _flops(table: FlopTable) -> float:
    return float(table.flops.get(BEST, 0))


def _checks() -> list[Cell]:
    """Numbers that must be 0, and the study of a short deck, of which all flops are known too."""
    ways: dict[str, Callable[[], float]] = {
        "full deck, a river by kernels and by NumPy": _river,
        "full deck, pairs of hands by street": _pairs,
        "full deck, what one seat wins the other loses": _seats,
    }
    ways |= {f"8 cards, {name} by walks and listed in full": partial(_listed, name) for name in LISTED}
    cells = [
        Cell(f"check: {row}", "error × 10⁹", None, False, partial(_parts, compute)) for row, compute in ways.items()
    ]
    for name, shown in _SHOWN.items():
        for low, column in ((True, "lower"), (False, "upper")):
            for part, suffix in (("value", ""), ("error", " ±")):
                read = partial(_toy, name, low, part)
                cells.append(Cell(f"20 cards: {shown}", f"{column}{suffix}", None, False, read))
    return [*cells, Cell("20 cards: best response, all flops", "upper", None, False, _toy_exact)]


def _parts(compute: Callable[[], float]) -> float:
    return 1e9 * compute()


def _river() -> float:
    return river_error(full_deck(), some_river(full_deck()), ThreeLanes(full_deck()))


def _pairs() -> float:
    return pair_error(full_deck(), some_river(full_deck()))


def _seats() -> float:
    return seat_error(full_deck(), ThreeLanes(full_deck()), _TOY_BOARDS)


def _listed(name: str) -> float:
    return eight_cards().difference(name)


@cache
def _toy_table() -> FlopTable:
    """The study with 20 cards, against a bot by external sampling."""
    methods = _methods(_TOY_VALUES)
    asked = FlopStudy(_TOY, _TOY_BOT, methods, (Stage(tuple(methods), _TOY_DRAWS), Stage((BEST,), ALL)), {})
    found = table_of(asked, run_work(asked).results)
    assert found is not None
    return found


def _toy(name: str, low: bool, part: str) -> float:
    return milli_of(_TOY) * float(getattr(_toy_table().paired(name).interval(name, None, lower=low), part))


def _toy_exact() -> float:
    return milli_of(_TOY) * _toy_table().value(BEST, None).value
