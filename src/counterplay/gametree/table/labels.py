"""Texts of infosets and actions, made on demand by replaying one history of each infoset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import Game, action_name
from counterplay.gametree.table.histories import Histories
from counterplay.treeplex.treeplex import Labels

Ints = NDArray[np.int32]


def replay(rules: Game, histories: Histories, history: int) -> Any:
    """The state at `history`."""
    state = rules.root()
    for step in histories.path(history):
        state = rules.child(state, rules.actions(state)[step])
    return state


def history_text(rules: Game, histories: Histories, history: int) -> tuple[Any, str]:
    """The state at `history`, and its actions as text."""
    state, words = rules.root(), []
    for step in histories.path(history):
        action = rules.actions(state)[step]
        words.append(action_name(rules, state, action))
        state = rules.child(state, action)
    return state, " ".join(words)


def labels_of(rules: Game, histories: Histories, player: int, first: Ints) -> Callable[[Ints], Labels]:
    """A function from the lanes (infosets,) of a player's infosets to their labels.

    Args:
        rules: the game.
        histories: its histories.
        player: whose.
        first: (infosets,) one history of each.
    """

    def make(lanes: Ints) -> Labels:
        infosets, actions = [], []
        for history in first.tolist():
            state = replay(rules, histories, history)
            infosets.append(rules.infoset(state, player))
            names = tuple(action_name(rules, state, action) for action in rules.actions(state))
            if len(set(names)) < len(names):
                twice = next(name for i, name in enumerate(names) if name in names[:i])
                raise InputError(f"{rules.name}: two actions at the infoset '{infosets[-1]}' are named '{twice}'")
            actions.append(names)
        labels = Labels(infosets, actions, lanes.tolist())
        if len(labels.index) < len(infosets):
            twice = next(text for i, text in enumerate(infosets) if labels.index[text] != i)
            raise InputError(f"{rules.name}: two infosets of player {player} have the same label '{twice}'")
        return labels

    return make
