"""Texts of infosets and actions, made on demand by replaying one history of each infoset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from counterplay.arrays import I32
from counterplay.errors import InputError, check_encodable
from counterplay.games.game import Game, action_name
from counterplay.gametree.table.histories import Histories
from counterplay.treeplex.treeplex import Labels


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
