"""Places of subgames: their texts, their numbers of subgames, and where a game has none."""

from __future__ import annotations

import numpy as np
import pytest

import counterplay as cp
from counterplay.subgames.cut import Place, subgames_at
from tests.support.blueprint_spots import pieces_of, slack
from tests.support.theorems import GameOf


@pytest.mark.parametrize(
    "text",
    ["", "moves", "moves:", "moves:-1", "moves:x", "moves:1.0", "moves: 1", "moves:1:2", "moves:999999999", "round:0",
     "round:", "round:x", "game:0", "game:", "rounds", "Round", "moves:1,moves:2"],
)  # fmt: skip
def test_no_such_place(text: str) -> None:
    with pytest.raises(cp.InputError, match="a place must be") as refused:
        Place.of(text)
    assert f"'{text}'" in str(refused.value)


@pytest.mark.parametrize("text", ["moves:0", "moves:1", "moves:12", "round", "round:2", "game", "game:3"])
def test_places_print_as_they_are_read(text: str) -> None:
    assert str(Place.of(text)) == text
    assert Place.of(str(Place.of(text))) == Place.of(text)
    assert Place.of("round:1") == Place.of("round")


@pytest.mark.parametrize(
    ("spec", "at", "declared", "count"),
    [("goofspiel:5", "moves:2", True, 3), ("goofspiel:5", "moves:4", True, 9), ("leduc", "round", False, 30),
     ("leduc", "round", True, 30), ("liars_dice:1,4", "moves:1", False, 8), ("liars_dice:1,4", "moves:1", True, 8)],
)  # fmt: skip
def test_the_paper_s_places_have_as_many_subgames(
    game_of: GameOf, spec: str, at: str, declared: bool, count: int
) -> None:
    """Kubíček et al. 2026, section 8. Declared states are unions of computed ones; together they hold the same histories."""
    game = game_of(spec)
    found, fine = (subgames_at(game, Place.of(at, flag), 0) for flag in (declared, False))
    assert len(found) == count
    first, second = (np.concatenate([piece.top.histories for piece in pieces]) for pieces in (found, fine))
    assert sorted(first.tolist()) == sorted(second.tolist())
    assert len(np.unique(first)) == len(first)


@pytest.mark.parametrize(
    ("spec", "at", "word"),
    [
        ("goofspiel:4", "moves:1", "do not all know"),
        ("goofspiel:4", "moves:3", "do not all know"),
        ("kuhn", "moves:3", "no path of kuhn"),
        ("kuhn", "moves:99999", "no path of kuhn"),
        ("leduc", "round:2", "no path of leduc"),
        ("kuhn", "game", "no member 'stop'"),
        ("kuhn", "round", "no rounds"),
    ],
)
def test_places_that_a_game_does_not_have(game_of: GameOf, spec: str, at: str, word: str) -> None:
    with pytest.raises(cp.InputError, match=word):
        subgames_at(game_of(spec), Place.of(at), 0)
    with pytest.raises(cp.InputError, match=word):
        cp.resolve(game_of(spec), "uniform", at)


def test_declared_states_where_none_are_declared(game_of: GameOf) -> None:
    with pytest.raises(cp.InputError, match="declares no public states"):
        cp.resolve(game_of("ggse_fig5"), "uniform", "moves:0", declared=True)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spec", ["kuhn", "leduc:merged=true", "ggse_fig5"])
def test_the_whole_game_can_be_solved_again(game_of: GameOf, spec: str, seat: int) -> None:
    """At moves:0 there is one subgame. Refined toward any prior it is not worse, and the full gadget's is an equilibrium."""
    game = game_of(spec)
    assert len(subgames_at(game, Place.of("moves:0"), 0)) == 1
    found = cp.resolve(game, "random:3", "moves:0", seat=seat, gadget="full", solver="lp", continuation=True)
    assert found.after == pytest.approx(0.0, abs=slack(game))
    assert found.continuation == pytest.approx(0.0, abs=slack(game))


@pytest.mark.parametrize(
    "spec",
    [
        "ggse_fig5",
        "kuhn",
    ],
)
def test_a_subgame_begins_where_a_player_acts(game_of: GameOf, spec: str) -> None:
    """`tops` says so: deals that follow the last move are over."""
    game = game_of(spec)
    for piece in pieces_of(game, 0, "moves:0"):
        assert np.isin(game.histories.player[piece.top.histories], (0, 1)).all()
