"""Solved spots that several files share, and blueprints of toy games in few iterations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import pytest

import counterplay as cp
from counterplay import SolvedSpot, Spot, solve_spot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.whole_game.blueprints import blueprint as usual_blueprint
from tests.support.leak_spots import BLANK, RIVER
from tests.support.public_trees import leduc


@pytest.fixture(scope="module", autouse=True)
def quick_blueprints() -> Iterator[None]:
    """The blueprint of a game from which responses are measured takes few iterations; what tests say holds whatever is
    measured from, but where a file says otherwise. None is left to other folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(usual_blueprint, "ITERATIONS", 300)
        patch.setattr(usual_blueprint, "_BASES", WeakKeyDictionary())
        yield


@pytest.fixture(scope="session")
def catcher() -> SolvedSpot:
    """Oop has the nuts or nothing and may go all-in for the pot of 100; ip has a hand between, and calls or folds."""
    bets = "ip: none; oop: a; ip raise: none; oop raise: a"
    return solve_spot(Spot(BLANK, "KhKd,7h6h", "AcAd", 100, 100, bets), percent_of_pot=0.001)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def river() -> SolvedSpot:
    """Many hands, small enough for the linear program."""
    asked = Spot(RIVER, "QQ,AJs,KTs,T9s,A5s,99", "KK,AQs,J9s,T9s,65s,88", 200, 550, "75%, a")  # type: ignore[arg-type]
    return solve_spot(asked, percent_of_pot=0.005)


@pytest.fixture(scope="session")
def turn() -> SolvedSpot:
    asked = Spot("Qs Jh 2h 8d", "QQ,AKs,JTs,A5s", "TT,AQ,KQ,9h8h", 200, 400, "75%, a", raises=1)  # type: ignore[arg-type]
    return solve_spot(asked, percent_of_pot=0.2)


@pytest.fixture(scope="session")
def both() -> tuple[SpotGame, Any]:
    """Leduc as a public tree with ranges, and enumerated."""
    return SpotGame("leduc", leduc(), 2.0, 0.001), cp.load("leduc")
