"""Cells of player 0 against models: gain and exploitability of methods in games, each response computed once; the curves of
figures that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import NamedTuple

from counterplay import GameTree, Method, opponent
from counterplay.gametree.compile.load import load
from counterplay.responses.matchup import Matchup
from counterplay.responses.method import Outcome
from counterplay.responses.respond import respond_in
from counterplay_papers.experiment import AnyCell, Cell, average, field
from counterplay_papers.panels import LinePanel, TradePanel

Way = Method | Callable[[Matchup], Outcome]
"""A method, or a function from a match-up to a response."""
Ways = Mapping[str, Callable[[float], Way]]
"""By name, the response for a p."""
GAIN, EXPLOITABILITY = MEASURES = ("gain", "exploitability")


class ResponseCell(NamedTuple):
    """Gain of a response against the model, and its exploitability, in chips."""

    gain: float
    exploitability: float


@cache
def game(spec: str) -> GameTree:
    """The game, loaded once."""
    return load(spec)


@lru_cache(maxsize=2)  # cells come opponent by opponent, and every match-up that is kept holds a linear program
def matchup(spec: str, source: str) -> Matchup:
    """Player 0 of the game against that model of player 1."""
    return Matchup(game(spec), opponent(game(spec), source, player=1))


@cache
def measure_response(spec: str, source: str, way: Way) -> ResponseCell:
    """The numbers of one response."""
    pair = matchup(spec, source)
    if isinstance(way, Method):
        answer = respond_in(pair, way)
        if answer.interrupted:
            raise KeyboardInterrupt
        return ResponseCell(answer.gain, answer.exploitability)
    found = way(pair)
    if found.interrupted:
        raise KeyboardInterrupt
    plan = found.plan
    return ResponseCell(pair.value_against_model(plan) - pair.game_value, max(0.0, pair.exploitability(plan)))


def won(spec: str, source: str, way: Way) -> float:
    """Chips of player 0 with a response against that model of player 1."""
    return measure_response(spec, source, way).gain + matchup(spec, source).game_value


def cells_of(
    row: str, spec: str, source: str, ways: Mapping[str, Way], measures: Sequence[str], slow: bool,
    late: Collection[str] = (),
) -> list[Cell]:  # fmt: skip
    """A row: each measure of each way to respond, in columns such as `CDBR1 gain`; `--quick` leaves out a slow row, and of
    other rows the ways that are `late`."""
    return [
        Cell(
            row,
            f"{name} {measure}",
            None,
            slow or name in late,
            partial(field, measure, measure_response, spec, source, way),
        )
        for measure in measures
        for name, way in ways.items()
    ]


def tradeoffs(
    name: str,
    spec: str,
    opponents: Sequence[str],
    ways: Ways,
    trust: Sequence[float],
    slow: Callable[[str, float], bool],
) -> tuple[list[Cell], list[TradePanel]]:
    """Gain over exploitability: a row for each opponent and p, such as `leduc, cfr:5, p=0.5`, and a panel for each opponent.
    slow: whether `--quick` leaves out an opponent's p."""
    cells: list[Cell] = []
    panels = []
    for source in opponents:
        rows = {f"{name}, {source}, p={p:g}": p for p in trust}
        for row, p in rows.items():
            cells += cells_of(row, spec, source, {one: way(p) for one, way in ways.items()}, MEASURES, slow(source, p))
        panels.append(
            TradePanel(f"{name}, {source}", rows, {one: (f"{one} gain", f"{one} exploitability") for one in ways})
        )
    return cells, panels


@dataclass(frozen=True)
class Family:
    """Opponents that differ in one number, as in the figures of Milec et al. 2024. form: their text, with `{}` for it;
    across: meaning of the numbers; quick: those that `--quick` computes."""

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
    name: str, spec: str, family: Family, ways: Mapping[str, Way], measures: Sequence[str], note: str = "",
    slow: bool = False, late: Collection[str] = (),
) -> tuple[list[AnyCell], list[LinePanel]]:  # fmt: skip
    """The rows of a family, its average last, and one panel for each measure. `--quick` leaves out all that is slow, and the
    ways that are late. note: distinguishes these rows from others of the same opponents, such as `p=0.5`."""
    end = f", {note}" if note else ""
    cells: list[AnyCell] = []
    ticks: dict[str, str] = {}
    for number in family.numbers:
        source = family.form.format(number)
        ticks[f"{name}, {source}{end}"] = str(number)
        cells += cells_of(
            f"{name}, {source}{end}", spec, source, ways, measures, slow or number not in family.quick, late
        )
    mean = f"{name}, average of {family.form.format('N')}{end}"
    cells += [average(mean, f"{way} {measure}", tuple(ticks)) for measure in measures for way in ways]
    panels = []
    for measure in measures:
        columns = {f"{way} {measure}": way for way in ways}
        title, unit = f"{name}, opponents: {family.name}{end}", f"{measure} (chips)"
        panels.append(LinePanel(title, ticks, columns, across=family.across, measure=unit, average=mean))
    return cells, panels
