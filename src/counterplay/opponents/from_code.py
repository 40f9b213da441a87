"""Strategies from code: a function of the infoset, or an OpenSpiel policy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from counterplay.errors import InputError, quoted, reason
from counterplay.games.formats.openspiel import OpenSpielGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.treeplex.strategy import Strategy


def from_function(game: GameTree, function: Any, player: int) -> Strategy:
    """The strategy of a function `f(infoset)` or `f(infoset, actions)`.

    The function gets the infoset's text (and a tuple of the actions' texts) and returns {action: probability}, or the
    probabilities in the order of the actions.

    Raises:
        InputError: the function fails, or what it returns is no distribution, naming the infoset.
    """
    if not callable(function):
        raise InputError("an opponent must be a function from infoset to probabilities")
    labels = game.trees[player].labels
    ask: Callable[..., Any] = function if takes_actions(function) else lambda infoset, _: function(infoset)
    table = {}
    for infoset, actions in zip(labels.infosets, labels.actions, strict=True):
        try:
            row = ask(infoset, actions)
        except Exception as error:
            raise InputError(f"the opponent failed at {quoted(infoset)}: {reason(error)}") from None
        table[infoset] = as_mapping(infoset, actions, row)
    return Strategy.from_table(game.trees[player], table)


def takes_actions(function: Any) -> bool:
    """Whether a function can be called with an infoset and its actions."""
    try:
        inspect.signature(function).bind("infoset", ())
    except (TypeError, ValueError):
        return False
    return True


def as_mapping(infoset: str, actions: tuple[str, ...], row: Any) -> Mapping[str, float]:
    """What a function returned, by action; a sequence is in the order of the actions.

    Raises:
        InputError: neither of these, naming the infoset.
    """
    if isinstance(row, Mapping):
        return row
    try:
        numbers = list(row)
    except TypeError:
        raise InputError(f"the opponent must return probabilities at {quoted(infoset)}, not {row!r}") from None
    if len(numbers) != len(actions):
        raise InputError(
            f"the opponent returned {len(numbers)} probabilities for {len(actions)} actions at {quoted(infoset)}"
        )
    return dict(zip(actions, numbers, strict=True))


def from_policy(game: GameTree, policy: Any, player: int) -> Strategy:
    """The strategy of an OpenSpiel policy (`action_probabilities(state)`), in a game that came from OpenSpiel.

    Raises:
        InputError: the game is not OpenSpiel's, the policy fails, or it returns no distribution.
    """
    if not isinstance(game.rules, OpenSpielGame):
        raise InputError(f"an OpenSpiel policy needs the game loaded as openspiel:..., not {game.name}")
    labels, table = game.trees[player].labels, {}
    for number, (infoset, names) in enumerate(zip(labels.infosets, labels.actions, strict=True)):
        state = game.state(int(game.first[player][number]))
        try:
            probabilities = policy.action_probabilities(state)
        except Exception as error:
            raise InputError(f"the policy failed at {quoted(infoset)}: {reason(error)}") from None
        row = dict.fromkeys(names, 0.0)
        for action, probability in probabilities.items():
            row[state.action_to_string(player, action)] = float(probability)
        table[infoset] = row
    return Strategy.from_table(game.trees[player], table)


def from_actor(game: GameTree, actor: Any, player: int) -> Strategy:
    """The strategy of somebody who acts at any state (see `opponents.actors`), asked at the first one of each infoset."""
    labels, table = game.trees[player].labels, {}
    for number, (infoset, names) in enumerate(zip(labels.infosets, labels.actions, strict=True)):
        odds = actor.odds(game.rules, game.state(int(game.first[player][number])))
        table[infoset] = {name: odds.get(name, 0.0) for name in names}
    return Strategy.from_table(game.trees[player], table)
