"""AIVAT in any game whose histories can be listed: sets of histories that the other side cannot tell apart.

A set has every history that agrees with what the other side has seen, weighted by chance and by the known side's
strategy. The other side acts alike in all of them, so its strategy is not needed. At an event of chance or of the known
side, and at an action of the other side from which it learns something, a set splits into those that the other side can tell
apart afterwards; what the value function says of the one that came, less what it says on average, is the luck of the event
(Burch, Schmid, Moravčík and Bowling 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.measure.play_hand import Hand

Policy = Callable[[str], Mapping[str, float]]
"""The probability of each action at an infoset, both as texts."""
HistorySet = list[tuple[Any, float]]
"""States with their weights."""


class HistoryAivat:
    """Corrected results of hands of a game that describes every state to both players (`augmented`). known: of each
    seat, the policy of the known side there. value: of a state to player 0, any function of it."""

    def __init__(self, game: Game, known: tuple[Policy, Policy], value: Callable[[Any], float]) -> None:
        if not getattr(game, "augmented", False):
            raise InputError(f"AIVAT needs rules that say what both players see at every state; {game.name} has none")
        self._game, self._known, self._value = game, known, value

    def chips(self, hand: Hand, seat: int) -> float:
        """Corrected chips of a seat whose player is known."""
        game, state = self._game, self._game.root()
        here, luck = [(state, 1.0)], 0.0
        for who, name in hand.moves:
            state = self._child(state, name)
            theirs = who == 1 - seat
            moves = ((name, self._child(one, name), p) for one, p in here) if theirs else self._events(here, seat)
            sets: dict[Hashable, HistorySet] = {}
            for text, child, weight in moves:
                sets.setdefault(self._seen(child, text, 1 - seat), []).append((child, weight))
            here = sets[self._seen(state, name, 1 - seat)]
            if len(sets) > 1:  # else nothing was learned
                luck += _mean(here, self._value) - _mean([one for some in sets.values() for one in some], self._value)
        paid = getattr(game, "utilities", lambda end: (game.utility(end), -game.utility(end)))
        return _mean(here, lambda end: paid(end)[seat]) - (luck if seat == 0 else -luck)

    def _events(self, here: HistorySet, seat: int) -> Iterator[tuple[str, Any, float]]:
        """The name, state and weight of everything that chance and the known side may do."""
        for state, weight in here:
            for name, action, odds in moves_at(self._game, state, self._known[seat]):
                if weight * odds > 0.0:
                    yield name, self._game.child(state, action), weight * odds

    def _seen(self, state: Any, name: str, player: int) -> Hashable:
        """What a player has seen, after an event of a name; where the hand is over it no longer matters."""
        who = self._game.player(state)
        return ("end", name) if who == TERMINAL else (who == player, self._game.infoset(state, player))

    def _child(self, state: Any, name: str) -> Any:
        game = self._game
        return next(game.child(state, a) for a in game.actions(state) if action_name(game, state, a) == name)


def moves_at(game: Game, state: Any, policy: Policy) -> Iterator[tuple[str, Any, float]]:
    """The name, action and probability of each move at a state, by chance or by a policy of the acting player."""
    actions, who = list(game.actions(state)), game.player(state)
    names = [action_name(game, state, action) for action in actions]
    if who == CHANCE:
        return zip(names, actions, game.chance(state), strict=True)
    row = policy(game.infoset(state, who))
    return zip(names, actions, [row[name] for name in names], strict=True)


def _mean(states: HistorySet, value: Callable[[Any], float]) -> float:
    """The weighted mean of a value over states."""
    total = sum(weight for _, weight in states)
    return sum(weight * value(state) for state, weight in states) / total


def values_of_histories(game: Game, policies: tuple[Policy, Policy]) -> Callable[[Any], float]:
    """The value of every state of a small game to player 0 when both play their policies; each is computed once."""
    found: dict[Hashable, float] = {}

    def value(state: Any) -> float:
        who = game.player(state)
        if who == TERMINAL:
            return game.utility(state)
        key = state.tobytes() if isinstance(state, np.ndarray) else state
        if key not in found:
            moves = moves_at(game, state, policies[0 if who == CHANCE else who])
            found[key] = sum(p * value(game.child(state, action)) for _, action, p in moves if p > 0.0)
        return found[key]

    return value
