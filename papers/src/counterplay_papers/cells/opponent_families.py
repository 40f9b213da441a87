"""Families of opponents side by side, as in the figures of Milec et al. 2024, with their average."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from counterplay_papers.cells.model_cells import Way, cells_of, column
from counterplay_papers.experiment import Average, Cell
from counterplay_papers.panels import LinePanel


@dataclass(frozen=True)
class Family:
    """Opponents that differ in one number.

    Attributes:
        name: for titles.
        form: their text, with `{}` for the number.
        across: meaning of the numbers.
        numbers: one for each opponent, in order.
        quick: the numbers that `--quick` computes.
    """

    name: str
    form: str
    across: str
    numbers: Sequence[int]
    quick: Sequence[int]


_ITERATIONS, _FEW = (2, 5, 10, 15, 21, 25, 30, 34, 50), (21, 34)
CFR = Family("CFR", "cfr:{}", "iterations", _ITERATIONS, _FEW)
CFR_PLUS = Family("simultaneous CFR+", "cfr+:{},simultaneous", "iterations", _ITERATIONS, _FEW)
RANDOM = Family("random", "random:{}", "seed", (1, 2, 3, 4, 5, 6), (1, 2))


def lines(
    name: str,
    spec: str,
    family: Family,
    ways: Mapping[str, Way],
    measures: Sequence[str],
    note: str = "",
    slow: bool = False,
    late: Collection[str] = (),
) -> tuple[list[Cell | Average], list[LinePanel]]:
    """The rows of a family, its average last, and one panel for each measure.

    Args:
        name: the game, in the names of rows and in titles.
        spec: the game, to load.
        family: the opponents.
        ways: the responses, by name.
        measures: of `gain` and `exploitability`.
        note: distinguishes these rows from others of the same opponents, such as `p=0.5`.
        slow: whether `--quick` leaves it out.
        late: the ways that `--quick` leaves out.
    """
    end = f", {note}" if note else ""
    cells: list[Cell | Average] = []
    ticks: dict[str, str] = {}
    for number in family.numbers:
        source = family.form.format(number)
        row = f"{name}, {source}{end}"
        ticks[row] = str(number)
        cells += cells_of(row, spec, source, ways, measures, slow or number not in family.quick, late)
    average = f"{name}, average of {family.form.format('N')}{end}"
    cells += [Average(average, column(way, measure), tuple(ticks)) for measure in measures for way in ways]
    title = f"{name}, opponents: {family.name}{end}"
    return cells, [
        LinePanel(
            title, f"{measure} (chips)", ticks, {column(way, measure): way for way in ways}, average, family.across
        )
        for measure in measures
    ]
