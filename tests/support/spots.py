"""Small spots of hold'em."""

from __future__ import annotations

from typing import Any

from counterplay import Spot
from counterplay.poker.spots.spot_game import SpotGame
from tests.support.public_trees import toy

RIVER = ("Qs Jh 2h 8d 3c", "QQ,KQs,T9s,76s", "JJ,AQs,98s,65s", 100, 200, "75%, a")


def river(**more: Any) -> Spot:
    return Spot(*RIVER, raises=2, **more)  # type: ignore[arg-type]


def turn(seed: int = 3, bets: str = "a", hands: int = 8) -> SpotGame:
    """A spot on the turn of a deck of eight cards."""
    return SpotGame("toy", toy(seed, "turn", bets, hands=hands), 10.0, 0.01)


def turn_spot() -> Spot:
    return Spot("Ks 8h 8d 4c", "AKs,QJs", "QQ,JTs", 100, 100, "a", raises=1)  # type: ignore[arg-type]
