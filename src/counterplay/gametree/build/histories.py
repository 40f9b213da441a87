"""The table of all histories of a game, and the texts of infosets and actions, made on demand by replaying one history of
each infoset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F64, I8, I32, lock_fields
from counterplay.display import brief
from counterplay.errors import InputError, check_encodable
from counterplay.games.game import Game, action_name
from counterplay.treeplex.treeplex import Labels


class TooLargeError(InputError):
    """The game has more histories than the limit."""


@dataclass(frozen=True, eq=False)
class Histories:
    """All H histories in preorder (a parent stands before its children; children in the order of the actions), in
    read-only arrays.

    Attributes:
        parent: (H,) index of the parent; -1 at the root.
        action: (H,) the number of the parent's action that leads here, from 0; 0 at the root.
        player: (H,) the player to act: 0, 1, CHANCE or TERMINAL.
        reach: (H,) chance's probability of the path here.
        info: two (H,) arrays, the augmented infoset of each player. Numbers are per player, from 0; some may be unused.
            At terminals the number is -1.
        utility: (H,) chips of player 0 at terminals, else 0.
    """

    parent: I32
    action: NDArray[np.int16]
    player: I8
    reach: F64
    info: tuple[I32, I32]
    utility: F64

    def __post_init__(self) -> None:
        # Numbers are refused where the culprit has a name: when a game is enumerated and compiled.
        names = ("action", "player", "reach", "utility")
        for name, array in [*((name, getattr(self, name)) for name in names), *(("info", one) for one in self.info)]:
            if np.shape(array) != np.shape(self.parent):
                raise InputError(f"{name} must have the shape {np.shape(self.parent)}, not {np.shape(array)}")
        lock_fields(self, "parent", "info", "action", "player", "reach", "utility")

    def __repr__(self) -> str:
        return brief(self, f"{len(self):,}")

    def __len__(self) -> int:
        return len(self.parent)

    def path(self, history: int) -> list[int]:
        """The action numbers from the root to `history`."""
        steps: list[int] = []
        while (parent := int(self.parent[history])) >= 0:
            steps.append(int(self.action[history]))
            history = parent
        return steps[::-1]


def replay(rules: Game, histories: Histories, history: int) -> Any:
    """The state at `history`."""
    state = rules.root()
    for step in histories.path(history):
        state = rules.child(state, rules.actions(state)[step])
    return state


def replay_each(rules: Game, histories: Histories, which: Iterable[int]) -> Iterator[Any]:
    """The states at the histories `which`, one after the other; of each path only what differs from the path before it
    is played. No state is given twice: whoever changes one changes no other."""
    steps, trail = list[int](), [rules.root()]
    for history in which:
        path = histories.path(history)
        if not path:
            yield rules.root()
            continue
        same = 0
        while same < min(len(steps), len(path) - 1) and steps[same] == path[same]:
            same += 1
        del steps[same:], trail[same + 1 :]
        for step in path[same:-1]:
            trail.append(rules.child(trail[-1], rules.actions(trail[-1])[step]))
            steps.append(step)
        yield rules.child(trail[-1], rules.actions(trail[-1])[path[-1]])


def history_text(rules: Game, histories: Histories, history: int) -> tuple[Any, str]:
    """The state at `history`, and its actions as text."""
    state, words = rules.root(), []
    for step in histories.path(history):
        action = rules.actions(state)[step]
        words.append(action_name(rules, state, action))
        state = rules.child(state, action)
    return state, " ".join(words)


def check_names(rules: Game, infoset: str, names: Sequence[str]) -> None:
    """Raise an InputError for names of an infoset's actions under which no strategy can be saved: two alike, or no
    UTF-8."""
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f"{rules.name}: two actions at the infoset '{infoset}' are named '{twice}'")
    check_encodable(names, f"{rules.name}: an action at the infoset '{infoset}'")


def labels_of(rules: Game, histories: Histories, player: int, first: I32) -> Callable[[I32], Labels]:
    """A function from the lanes (infosets,) of a player's infosets to their labels; `first`, (infosets,), is one
    history of each."""

    def make(lanes: I32) -> Labels:
        infosets, actions = [], []
        for state in replay_each(rules, histories, first.tolist()):
            infosets.append(rules.infoset(state, player))
            actions.append(tuple(action_name(rules, state, action) for action in rules.actions(state)))
            check_names(rules, infosets[-1], actions[-1])
        check_encodable(infosets, f"{rules.name}: an infoset of player {player}")
        labels = Labels(infosets, actions, lanes.tolist())
        if len(labels.index) < len(infosets):
            twice = next(text for i, text in enumerate(infosets) if labels.index[text] != i)
            raise InputError(f"{rules.name}: two infosets of player {player} have the same label '{twice}'")
        return labels

    return make
