"""Spots: a board, two ranges, chips and bets; solved, saved, played. A spot is accepted wherever a game is."""

from __future__ import annotations

from typing import Any

from counterplay.problem.solvable_game import register_conversion


def _as_game(source: Any) -> Any:
    """The game of a spot; what makes it is imported when there is one."""
    from counterplay.poker.spots.spot_game import as_spot_game

    return as_spot_game(source)


for _kind in ("spot.Spot", "solution.SolvedSpot"):
    register_conversion(f"{__name__}.{_kind}", _as_game)
