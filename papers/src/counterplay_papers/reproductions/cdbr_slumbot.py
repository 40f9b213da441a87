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

from counterplay import InputError
from counterplay.poker.whole_game.walks.flop_draw import ALL
from counterplay.texts.grammar import bracketed, part_text
from counterplay.work.run_work import run_work
from counterplay_papers.experiment import Cell, Experiment, LongPieces, Summary
from counterplay_papers.flops.flop_study import FlopStudy, Stage
from counterplay_papers.flops.flop_table import BEST, FlopTable, table_of
from counterplay_papers.flops.flop_table_file import write_flop_table
from counterplay_papers.listed_hands import METHODS as LISTED
from counterplay_papers.listed_hands import eight_cards
from counterplay_papers.paper_sources import CDRNR
from counterplay_papers.reproductions.cdbr_slumbot_blueprints import blueprint_cells
from counterplay_papers.reproductions.cdbr_slumbot_rows import (
    ADAPTING,
    BLUEPRINT,
    EQUITY,
    FEW,
    LBR,
    SHOWN,
    TWO_STREETS,
    milli_of,
    table_rows,
)
from counterplay_papers.slumbot_files import BOT, GAME, HOUR, TABLE, TOY_BOT, VALUES, digest, kept_table
from counterplay_papers.slumbot_frontier import FULL, FrontierSettings, frontier_cells
from counterplay_papers.walk_checks import (
    ThreeLanes,
    full_deck,
    pair_error,
    river_error,
    seat_error,
    some_river,
)

_BIASED = ("call", "raise")
"""Beside the second blueprint itself, the actions to which its variants are biased, by which ABD goes on."""
_FIRST, _DRAWS = 30, 150
"""Flops that are drawn for all methods, and for all but those that have few."""
_BLUEPRINT_DRAWS = 60
_TOY = "holdem:deck=20,stack=10bb,bets=fcpa"
_TOY_DRAWS, _TOY_BOARDS = 12, 3
_TOY_VALUES = "blueprint:method=public,iterations=1000,buckets=30"
_TOY_FRONTIER = FrontierSettings(f"{_TOY},buckets=30", TOY_BOT, 3, 300, 6)


def experiment() -> Experiment:
    """The table, differences that are paired, the best response on more flops, and the checks."""
    tables = _Tables()
    cells: list[Cell | Summary] = [*table_rows(tables.table)]
    cells += frontier_cells("RNR", FULL, slow=True)
    cells += blueprint_cells(GAME, _BLUEPRINT_DRAWS)
    cells += frontier_cells("20 cards: RNR", _TOY_FRONTIER, slow=False)
    cells += _checks()
    title = f"{GAME}: what methods win from a SlumBot-class bot, mbb/h, inside the betting tree"
    work = LongPieces(_pieces, tables.keep)
    return Experiment(
        "cdbr-slumbot",
        title,
        f"{CDRNR}, table 2",
        0,
        cells,
        measure="won (mbb/h)",
        long_pieces=work,
        files=(BOT, VALUES, HOUR),
    )


def study() -> FlopStudy:
    """What the table in the package lacks: of all methods the flops drawn first, then of each but those with few as many
    as are paired, then of the best response all.

    Raises:
        InputError: a strategy is missing, or one is another than that of the table in the package.
    """
    bot, values = str(BOT.path()), str(VALUES.path())
    methods = _methods(values)
    every, most = tuple(methods), tuple(name for name in methods if name not in FEW)
    stages = (Stage(every, _FIRST), Stage(most, _DRAWS), Stage((BEST,), ALL))
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
        EQUITY: "cdbr:value=equity", BLUEPRINT: f"cdbr:value={one}", BEST: BEST, LBR: "lbr",
        TWO_STREETS: "cdbr:depth=2,value=equity",
        ADAPTING: f"abd:p=1,value={several}",
    }  # fmt: skip


def _pieces() -> FlopStudy | _Nothing:
    """What is left to compute: nothing where the table in the package has all."""
    kept = kept_table()
    complete = kept is not None and kept.has_all(BEST) and all(
        kept.known.draws.get(name, 0) >= (_FIRST if name in FEW else _DRAWS) for name in SHOWN
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
    for name, shown in SHOWN.items():
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
    asked = FlopStudy(_TOY, TOY_BOT, methods, (Stage(tuple(methods), _TOY_DRAWS), Stage((BEST,), ALL)), {})
    found = table_of(asked, run_work(asked).results)
    assert found is not None
    return found


def _toy(name: str, low: bool, part: str) -> float:
    return milli_of(_TOY) * float(getattr(_toy_table().paired(name).interval(name, None, lower=low), part))


def _toy_exact() -> float:
    return milli_of(_TOY) * _toy_table().value(BEST, None).value
