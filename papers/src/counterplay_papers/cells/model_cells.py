"""Cells of experiments of player 0 against a model: gain and exploitability; each response is computed once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple

from counterplay import GameTree, opponent
from counterplay.gametree.compile.load import load
from counterplay.responses.matchup.any_matchup import Outcome
from counterplay.responses.matchup.matchup import Matchup
from counterplay.responses.method import Method
from counterplay.responses.respond import respond_in
from counterplay_papers.experiment import Cell

Way = Method | Callable[[Matchup], Outcome]
"""A method, or a function from a match-up to a response."""

GAIN, EXPLOITABILITY = "gain", "exploitability"


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
    """The numbers of one response.

    Raises:
        KeyboardInterrupt: the solve was cut short, so its numbers must not be kept.
    """
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


def cells_of(
    row: str,
    spec: str,
    source: str,
    ways: Mapping[str, Way],
    measures: Sequence[str],
    slow: bool,
    late: Collection[str] = (),
) -> list[Cell]:
    """A row of a figure's table: each measure of each way to respond, in columns such as `CDBR1 gain`; `--quick` leaves out
    a slow row, and of other rows the ways that are `late`."""
    return [
        Cell(row, column(name, measure), None, slow or name in late, partial(_number, spec, source, way, measure))
        for measure in measures
        for name, way in ways.items()
    ]


def column(name: str, measure: str) -> str:
    """The column of a measure of a way to respond."""
    return f"{name} {measure}"


def _number(spec: str, source: str, way: Way, measure: str) -> float:
    numbers = measure_response(spec, source, way)
    return numbers.gain if measure == GAIN else numbers.exploitability
