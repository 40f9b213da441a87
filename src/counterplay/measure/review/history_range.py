"""The range that a player shows in a game written as rules: what the other can believe after each action.

A set of histories is carried along the hand: all that agree with what the other has seen, weighted by chance and by a
strategy that the player is assumed to play.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.measure.review.hand_review import Belief, PlayedMove

Policy = Callable[[str], Mapping[str, float]]
"""The probability of each action at an infoset, both as texts."""
_MOST = 20_000
"""Histories beyond which a range is not computed."""
_LEAST = 1e-9
"""Weight of an action that the assumed strategy never takes, so that the range does not become empty."""


class _History(NamedTuple):
    """A history: its state and weight, the infoset at which the player acted last, and the last move."""

    state: Any
    weight: float
    infoset: str
    action: str


def shown_ranges(game: Game, steps: Sequence[PlayedMove], seat: int, policy: Policy) -> list[Belief | None]:
    """After each action of a seat, the probability of each of its infosets before the action, as the other can believe.

    Args:
        game: describes every state to both players (`augmented`).
        steps: of the hand.
        seat: whose range it is.
        policy: that the seat is assumed to play.
    """
    found: list[Belief | None] = []
    here = [_History(game.root(), 1.0, "", "")]
    for step in steps:
        seen = _seen(game, step.after, step.action, 1 - seat)
        after = _next(game, here, step, seat, policy)
        here = [one for one in after if _seen(game, one.state, one.action, 1 - seat) == seen]
        if step.who == seat:
            found.append(_shares(here) if here else None)
        if not 0 < len(here) <= _MOST:
            break
    own = sum(step.who == seat for step in steps)
    return found + [None] * (own - len(found))


def _next(game: Game, here: list[_History], step: PlayedMove, seat: int, policy: Policy) -> list[_History]:
    """The histories after a move."""
    after = []
    for state, weight, text, _ in here:
        if game.player(state) != step.who:
            continue
        actions = list(game.actions(state))
        names = [action_name(game, state, action) for action in actions]
        if step.who == CHANCE:
            moves = zip(names, actions, game.chance(state), strict=True)
        else:
            own = step.who == seat
            text = game.infoset(state, seat) if own else text
            row = policy(text) if own and len(names) > 1 else {}
            moves = zip(names, actions, [max(row.get(name, 1.0), _LEAST) for name in names], strict=True)
        # Both players' moves may be hidden; of the other's, they know which it was.
        known = step.who == 1 - seat
        after += [
            _History(game.child(state, action), weight * odds, text, name)
            for name, action, odds in moves
            if odds > 0.0 and (not known or name == step.action)
        ]
    return after


def _seen(game: Game, state: Any, action: str, player: int) -> Hashable:
    """What a player has seen after a move; at the end of a hand, the move itself."""
    return action if game.player(state) == TERMINAL else game.infoset(state, player)


def _shares(here: list[_History]) -> Belief:
    total = sum(one.weight for one in here)
    found: dict[str, float] = {}
    for _, weight, text, _ in here:
        found[text] = found.get(text, 0.0) + weight / total
    return found
