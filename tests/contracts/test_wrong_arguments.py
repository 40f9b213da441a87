"""Public functions given what is none of their arguments: an error of the library's, never one from deep inside."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp

SAVED = Path(__file__).parent.parent / "files" / "kuhn.cpa"
NAMES = (
    "agent", "coverage", "cross_fit", "evaluate", "frontier", "match", "misread", "opponent", "refinement_gaps", "resolve",
    "respond", "resume", "solve", "solve_spot", "to_openspiel", "value_error", "Counts", "Counts.strategy",
    "Counts.posterior", "Counts.quantal_response", "Counts.see", "Strategy.save", "Stop",
)  # fmt: skip
ELSEWHERE = {
    "load": "reads what names a game (test_loading.py)",
    "matrix_game": "reads what makes a game (test_games.py)",
    "evaluate_on_boards": "whole games of hold'em",
    "frontier_on_flops": "whole games of hold'em",
    "resolve_on_boards": "whole games of hold'em",
    "respond_on_flops": "whole games of hold'em",
}
"""Public functions whose arguments are checked by tests of their own."""


@cache
def _spot() -> cp.Spot:
    return cp.Spot("Qs Jh 2h 8d 3c", "AA", "KK", 10.0, 5.0, "a", raises=1)  # type: ignore[arg-type]


def _calls(game: Any) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Each function with arguments that are right."""
    mine, theirs = (cp.opponent(game, "uniform", player=seat) for seat in (0, 1))
    counts = cp.Counts(game, 1)
    limits = {"iterations": 2, "seconds": None, "memory": None, "precision": "double", "progress": None}
    return {
        "agent": (cp.agent, {"game": game, "source": "uniform", "player": 0, "seed": 0, "side": 0}),
        "cross_fit": (cp.cross_fit, {"counts": counts, "model": lambda one: one, "respond": lambda one: one, "seed": 0}),
        "coverage": (cp.coverage, {"game": game, "model": counts.strategy(), "blanks": 3}),
        "evaluate": (cp.evaluate, {"game": game, "strategy": mine, "against": theirs}),
        "frontier": (cp.frontier, {"game": game, "model": theirs, "methods": ("br",), "points": 2, "done": None}),
        "match": (
            cp.match,
            {
                "game": game, "a": lambda seat: cp.agent(game, "uniform", seat), "hands": 2, "seed": 0,
                "b": lambda seat: cp.agent(game, "nash", seat), "progress": None, "aivat": None, "after": None,
            },
        ),
        "misread": (cp.misread, {"game": game, "models": ("uniform", "nash"), "methods": ("br",), "player": 0, "seed": 0}),
        "opponent": (cp.opponent, {"game": game, "source": "uniform", "player": 1, "seed": 0}),
        "refinement_gaps": (
            cp.refinement_gaps, {"game": game, "blueprint": "uniform", "strategy": mine, "at": "moves:1", "prior": "uniform"}
        ),
        "resolve": (cp.resolve, {"game": game, "blueprint": "uniform", "at": "moves:1", "seat": 0, "alpha": 0.0}),
        "respond": (cp.respond, {"game": game, "model": theirs, "method": "rnr", "p": 0.5, "seed": None}),
        "resume": (cp.resume, {"path": SAVED}),
        "solve": (cp.solve, {"game": game, "solver": "lp", "stop": None, "progress": None}),
        "solve_spot": (cp.solve_spot, {"spot": _spot(), "solver": "cfr+", "percent_of_pot": 50.0, **limits}),
        "to_openspiel": (cp.to_openspiel, {"game": game}),
        "value_error": (cp.value_error, {"game": game, "leaf": "cfr:2", "depth": 1, "samples": 2, "seed": 0}),
        "Counts": (cp.Counts, {"game": game, "seat": 1}),
        "Counts.strategy": (counts.strategy, {"prior": theirs, "weight": "auto", "by": "em", "seed": 0, "rounds": 2}),
        "Counts.posterior": (counts.posterior, {"samples": 2, "prior": theirs, "weight": 5.0, "seed": 0}),
        "Counts.quantal_response": (counts.quantal_response, {"to": "uniform", "seed": 0}),
        "Counts.see": (counts.see, {"hand": None, "times": 1}),
        "Strategy.save": (mine.save, {"path": "new.json"}),
        "Stop": (cp.Stop, {"exploitability": 0.1, "iterations": 1, "seconds": 1.0}),
    }  # fmt: skip


@cache
def _game() -> Any:
    return cp.load("kuhn")


def _wrong() -> Iterator[Any]:
    """Values of other kinds, and a strategy of another game."""
    yield from ("x", None, -1, 0.5, float("nan"), [], {"a": 1}, object(), _game(), _spot())
    yield cp.opponent(cp.load("rps"), "uniform")


def test_every_public_function_is_here() -> None:
    names = {name for name in cp.__all__ if type(getattr(cp, name)).__name__ == "function"}
    assert names == {name for name in NAMES if name[0].islower()} | set(ELSEWHERE)
    assert set(NAMES) == set(_calls(_game()))


@pytest.mark.parametrize("name", NAMES)
def test_wrong_arguments_are_refused_in_a_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each argument in turn is each of the wrong values; some of them are right after all."""
    monkeypatch.chdir(tmp_path)
    function, right = _calls(_game())[name]
    said = list[str]()
    for argument in right:
        for value in _wrong():
            try:
                function(**{**right, argument: value})
            except cp.InputError as error:
                said.append(str(error))
    assert said
    assert all(" " in sentence for sentence in said)


@pytest.mark.parametrize(
    ("name", "argument", "value", "sentence"),
    [
        ("coverage", "model", "nash", "coverage: model must be a Strategy, not 'nash'"),
        ("Counts.posterior", "samples", "x", "posterior: samples must be a whole number, not 'x'"),
        ("match", "hands", None, "match: hands must be a whole number, not None"),
        ("match", "seed", -1, "match: seed must be a whole number of at least 0, not -1"),
        ("misread", "player", 2, "misread: player must be 0 or 1, not 2"),
        ("solve_spot", "spot", 3, "solve_spot: spot must be a Spot, or the path of its file, not 3"),
        ("respond", "p", [], "p must be between 0 and 1, not list"),
        ("Counts.see", "times", "x", "see: times must be a number, not 'x'"),
        ("Counts.strategy", "rounds", 0, "strategy: rounds must be a whole number of at least 1, not 0"),
    ],
)
def test_the_sentence_names_function_and_argument(name: str, argument: str, value: Any, sentence: str) -> None:
    function, right = _calls(_game())[name]
    with pytest.raises(cp.InputError, match=f"^{re.escape(sentence)}$"):
        function(**{**right, argument: value})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda game, model: cp.evaluate_on_boards(game, model, model, "x"), "boards must be a whole number, not 'x'"),
        (
            lambda game, model: cp.evaluate_on_boards(game, "nash", model, 2),
            "strategy must be a strategy of a whole game",
        ),
        (lambda _, model: cp.respond_on_flops("kuhn", model), "game must be a whole game of hold'em, not 'kuhn'"),
        (
            lambda game, model: cp.respond_on_flops(game, model, "lbr", 2.5),
            "flops must be a whole number or 'all', not 2.5",
        ),
        (lambda _, model: cp.frontier_on_flops(model), "measure must be a FlopMeasure, not HoldemStrategy"),
        (lambda game, model: cp.resolve_on_boards(game, model, "turn", 3, p="x"), "p must be a number, not 'x'"),
        (lambda game, model: cp.resolve_on_boards(game, model, 3, 3), "at must be a text, not 3"),
    ],
)
def test_functions_of_whole_games_refuse_in_a_sentence(call: Callable[..., Any], sentence: str) -> None:
    game = cp.load("holdem:deck=8,stack=2bb,bets=a,last=flop")
    with pytest.raises(cp.InputError, match=re.escape(sentence)):
        call(game, cp.opponent(game, "uniform"))


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16])
def test_numbers_of_numpy_are_numbers(kuhn: cp.GameTree, kind: Any) -> None:
    model = cp.opponent(kuhn, "uniform", player=1)
    assert cp.RNR(p=kind(0.5)) == cp.RNR(p=0.5)
    assert cp.respond(kuhn, model, p=kind(0.5)).gain == cp.respond(kuhn, model, p=0.5).gain
    assert cp.respond(kuhn, model, max_exploitability=kind(0.25)).gain == cp.respond(kuhn, model, cp.Safe(0.25)).gain
