"""What each seat is told of a hand when it is over, in games in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.play_hand import Hand
from counterplay.opponents.counting.observed_hand import Move, consistent_ends
from counterplay.opponents.counting.sight import SHOWDOWN, Sight, checked_reveal


class ToldMoves:
    """The moves of finished hands as a seat may know them.

    Args:
        game: compiled.
        reveal: what is revealed at the end (see `Sight`).
    """

    def __init__(self, game: GameTree, reveal: str = SHOWDOWN) -> None:
        self._sights = tuple(Sight(game, seat, reveal) for seat in (0, 1))
        self._kept: dict[tuple[int, int], tuple[Move, ...]] = {}

    def __call__(self, hand: Hand, seat: int) -> tuple[Move, ...]:
        """The moves of a hand; None for the texts that the seat cannot know."""
        sight = self._sights[seat]
        key = seat, int(consistent_ends(sight.game, hand)[0])
        if key not in self._kept:
            self._kept[key] = sight.told(key[1])
        return self._kept[key]


def told_by(agents: Iterable[Any], reveal: str = SHOWDOWN) -> ToldMoves | None:
    """What agents are told of hands: the moves, if one of them learns in a game in memory; else None.

    Raises:
        InputError: nothing can be revealed like this.
    """
    checked_reveal(reveal)
    game = next((game for agent in agents if (game := getattr(agent, "learns_in", None))), None)
    return None if game is None else ToldMoves(game, reveal)
