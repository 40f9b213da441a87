"""The protocol of a game: a tree of states with two players, chance, information sets and a zero-sum utility."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

LARGEST_UTILITY = 1e100
"""In size; sums of utilities over many hands stay finite."""
CHANCE = 2
"""Result of `Game.player` where chance acts (0 and 1 are the players)."""
TERMINAL = 3
"""Result of `Game.player` where the game is over."""
LIMIT = 4
"""The player in a table of histories where a partly expanded game stops; no `Game.player` returns it."""


@runtime_checkable
class Game(Protocol):
    """Rules of a two-player zero-sum game with perfect recall, as functions of a state.

    A state is any value: a tuple of moves, an array, an object. The methods never change it. Five optional members:
    `augmented = True` declares that `infoset` also accepts the player who does not act (what that player knows there),
    which makes public states finer; `action_name(state, action)` names an action where `str(action)` is unsuitable;
    `picture(state, player)` draws what a player knows, for human players; `public(state) -> str` describes the common
    knowledge at a non-terminal state, possibly coarsely: equal texts are one declared public state, and players must be
    able to distinguish states with different texts; `stop(state) -> bool` marks the public states at which a look-ahead
    of depth `game` ends, and is called once for each, at its first state."""

    @property
    def name(self) -> str:
        """The display name."""

    def root(self) -> Any:
        """The initial state."""

    def player(self, state: Any) -> int:
        """The player to act: 0, 1, `CHANCE` or `TERMINAL`."""

    def actions(self, state: Any) -> Sequence[Hashable]:
        """The legal actions (or chance outcomes), in a fixed order."""

    def chance(self, state: Any) -> Sequence[float]:
        """The probabilities of `actions(state)` at a chance state; they sum to 1."""

    def child(self, state: Any, action: Any) -> Any:
        """The state after `action`."""

    def infoset(self, state: Any, player: int) -> str:
        """The knowledge of `player` at `state`: equal texts are one information set."""

    def utility(self, state: Any) -> float:
        """Chips that player 0 receives from player 1 at a terminal state."""


def chance_fault(odds: Sequence[float], actions: int, tolerance: float = 1e-9) -> str:
    """The fault of chance's probabilities of some actions, in words to follow "the chance probabilities"; "" if none.
    tolerance: of their sum."""
    # Written so that what is not a number fails, too.
    if len(odds) == actions > 0 and min(odds) >= 0.0 and max(odds) < 2.0 and abs(math.fsum(odds) - 1.0) <= tolerance:
        return ""
    if len(odds) != actions:
        return f"are {list(odds)} for {actions} actions"
    wrong = next((p for p in odds if not p >= 0.0), None)
    if wrong is not None:
        return f"are {list(odds)}, and {wrong} is {'negative' if wrong < 0.0 else 'no number'}"
    return f"are {list(odds)} and do not sum to 1"


def action_name(game: Game, state: Any, action: Any) -> str:
    """The text of an action in strategy files and tables."""
    named = getattr(game, "action_name", None)
    return str(named(state, action)) if named else str(action)
