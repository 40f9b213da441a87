"""Errors of `resolve`: each in one sentence, before anything is solved."""

from __future__ import annotations

from typing import Any

import pytest

import counterplay as cp
from counterplay.solvers.iterates import Iterates
from tests.support.blueprint_spots import ENTRY
from tests.support.theorems import GameOf


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"prior": {**ENTRY, "3p": 1.0}}, "3p"),
        ({"prior": {k: 1.0 for k in ENTRY if k != "0b"}}, "0b"),
        ({"prior": {}}, "no weight"),
        ({"prior": "uniform", "epsilon": -0.1}, "epsilon"),
        ({"prior": "uniform", "epsilon": 1.1}, "epsilon"),
        ({"prior": "uniform", "epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 0.1}, "no prior is given"),
        ({"alpha": 1.5, "model": "uniform"}, "alpha"),
        ({"alpha": -0.5}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"alpha": 0.5}, "model"),
        ({"alpha": 0.5, "model": "uniform", "gadget": "resolving"}, "max-margin"),
        ({"alpha": 0.5, "model": "uniform", "gadget": "full"}, "no decision at the entry"),
        ({"alpha": 0.5, "model": "uniform", "error": 2.5}, "error"),
        ({"alpha": 0.5, "model": "uniform", "error": -0.5}, "error"),
        ({"prior": "uniform", "gadget": "full"}, "no decision at the entry"),
        ({"prior": "uniform", "gadget": "unsafe"}, "no decision at the entry"),
        ({"gadget": "safe"}, "safe"),
        ({"prior": "best"}, "best"),
        ({"values": "best"}, "best"),
        ({"solver": "cfr++"}, r"cfr\+\+"),
        ({"only": "9x"}, "9x"),
        ({"only": "0"}, "contains the infoset '0'"),
        ({"seat": 2}, "seat"),
        ({"model": "nobody"}, "nobody"),
        ({"prior": dict.fromkeys(ENTRY, -1.0), "gadget": "max-margin"}, "prior"),
        ({"prior": {**ENTRY, "0p": -1.0}}, "prior"),
        ({"prior": {**ENTRY, "0p": float("nan")}}, "prior"),
        ({"prior": {**ENTRY, "0p": float("inf")}, "gadget": "max-margin"}, "prior"),
        ({"prior": dict.fromkeys(ENTRY, "x")}, "prior"),
        ({"prior": None}, "prior"),
        ({"prior": {**ENTRY, "0p": 2.0}}, "at most 1"),
        ({"error": 0.5}, "error"),
    ],
)  # fmt: skip
def test_what_resolve_refuses(kuhn: cp.GameTree, words: dict[str, Any], message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        cp.resolve(kuhn, "uniform", "moves:1", **{"solver": "lp", **words})


@pytest.mark.parametrize(
    ("blueprint", "at"),
    [
        ("nobody", "moves:1"),
        (3, "moves:1"),
        ("missing.json", "moves:1"),
        (["uniform", "uniform"], "moves:1"),
        (("uniform", "uniform", "uniform"), "moves:1"),
        ("uniform", ["moves:1", "moves"]),
        (("uniform",), "moves:1"),
        ("uniform", []),
        ("uniform", 1),
        ("uniform", ["moves:2", "moves:1"]),
    ],
)
def test_blueprints_and_places_that_resolve_refuses(kuhn: cp.GameTree, blueprint: Any, at: Any) -> None:
    with pytest.raises(cp.InputError):
        cp.resolve(kuhn, blueprint, at, solver="lp")


def test_a_blueprint_of_another_game_or_seat(kuhn: cp.GameTree, game_of: GameOf) -> None:
    with pytest.raises(cp.InputError, match="not a strategy of player 0 in kuhn"):
        cp.resolve(kuhn, cp.opponent(game_of("ggse_fig5"), "uniform", 0), "moves:1")
    with pytest.raises(cp.InputError, match="not a strategy of player 0"):
        cp.resolve(kuhn, cp.opponent(kuhn, "uniform", 1), "moves:1")
    for words in ({"gadget": "unsafe"}, {"prior": "blueprint"}, {"values": "profile"}):
        with pytest.raises(cp.InputError, match=r"needs? the opponent's part"):
            cp.resolve(kuhn, cp.opponent(kuhn, "uniform", 0), "moves:1", **words)


def test_bounds_without_a_model_are_refused_at_once(kuhn: cp.GameTree) -> None:
    solved_so_far: list[int] = []
    with pytest.raises(cp.InputError, match="model"):
        cp.resolve(kuhn, "uniform", "moves:1", bounds=True, watch=lambda done, _: solved_so_far.append(done))
    assert not solved_so_far


def test_a_limit_of_seconds_is_kept(kuhn: cp.GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not run as it is: it would never end."""
    asked: list[int] = []
    advance = Iterates.advance
    monkeypatch.setattr(Iterates, "advance", lambda self, n: (asked.append(n), advance(self, min(n, 1000)))[1])
    cp.resolve(kuhn, "uniform", "moves:1", stop=cp.Stop(seconds=0.05))
    assert max(asked) < 10**9
