"""What each seat is told of a hand when it is over: its moves in games in memory, a record of the hand in whole hold'em."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.play_hand import Hand, Told
from counterplay.measure.table_hand import ToldHoldem
from counterplay.opponents.counting.observed_hand import Move, consistent_ends
from counterplay.opponents.counting.sight import SHOWDOWN, Sight, checked_reveal
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind


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


_KINDS: dict[type, Callable[[Any, str], Told]] = {Holdem: ToldHoldem}
"""What tells of hands, by the game in which agents learn; games in memory tell the moves."""


def told_by(agents: Iterable[Any], reveal: str = SHOWDOWN) -> Told | None:
    """What agents are told of hands, if one of them learns; else None.

    Raises:
        InputError: nothing can be revealed like this.
    """
    checked_reveal(reveal)
    game = next((game for agent in agents if (game := getattr(agent, "learns_in", None))), None)
    return None if game is None else by_kind(_KINDS, game, ToldMoves)(game, reveal)
