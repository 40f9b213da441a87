"""Walks in preorder: their records, turned into arrays of parents, reaches and augmented infosets; and errors about
malformed games: what is wrong, in one sentence that names the infoset and the history."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I32, I64, Flags
from counterplay.errors import InputError, check_encodable, quoted
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name, chance_fault
from counterplay.gametree.build.histories import Histories, history_text, replay
from counterplay.jit import kernel

NO_LABEL: Any = object()
"""Stands for the label of a player who does not act, in a game that says no more about what that player knows."""


class PreorderRecord(NamedTuple):
    """The record of a walk in preorder. children: number of children of every history. utility: chips of player 0 at
    each terminal. actor, labels: at other histories the player to act, and for each player the number of the label.
    odds: the probabilities of all chance outcomes. numbers: for each player, the number of each label; `NO_LABEL` has
    number 0."""

    children: array[int]
    utility: array[float]
    actor: array[int]
    labels: tuple[array[int], array[int]]
    odds: array[float]
    numbers: tuple[dict[Any, int], dict[Any, int]]


def new_record() -> PreorderRecord:
    """An empty record, whose `numbers` give every new label the next number."""
    numbers: tuple[defaultdict[Any, int], defaultdict[Any, int]] = (defaultdict(), defaultdict())
    for known in numbers:
        known[NO_LABEL] = 0
        known.default_factory = known.__len__
    return PreorderRecord(array("i"), array("d"), array("b"), (array("i"), array("i")), array("d"), numbers)


def table_of(record: PreorderRecord) -> Histories:
    """The histories of a record, which may end early; `info` holds numbers of labels, 0 at terminals."""
    children, actor = np.array(record.children, np.int32), np.array(record.actor, np.int8)
    parent, action, player, reach = _unfold(children, actor, np.array(record.odds))
    inner, utility = children > 0, np.zeros(len(children))
    ends = np.flatnonzero(~inner)[: len(record.utility)]
    utility[ends] = record.utility
    info0, info1 = np.zeros(len(children), np.int32), np.zeros(len(children), np.int32)
    info0[inner], info1[inner] = record.labels
    return Histories(parent, action, player, reach, (info0, info1), utility)


@kernel(allocates=True)
def _unfold(children: Any, actor: Any, odds: Any) -> Any:
    """Parent, action, player and reach of every history."""
    total = len(children)
    parent, action = np.empty(total, np.int32), np.zeros(total, np.int16)
    player, reach = np.full(total, TERMINAL, np.int8), np.ones(total)
    tried, first = np.zeros(total, np.int32), np.zeros(total, np.int64)
    # at: the parent of history h, climbed to from the last one; inner, dealt: how many actors and odds are used up.
    at, inner, dealt = -1, 0, 0
    for h in range(total):
        while at >= 0 and tried[at] == children[at]:
            at = parent[at]
        parent[h] = at
        if at >= 0:
            action[h], reach[h] = tried[at], reach[at]
            if player[at] == CHANCE:
                reach[h] *= odds[first[at] + tried[at]]
            tried[at] += 1
        if children[h] > 0:
            player[h] = actor[inner]
            inner += 1
            if player[h] == CHANCE:
                first[h] = dealt
                dealt += children[h]
            at = h
    return parent, action, player, reach


@kernel(allocates=True)
def own_sequences(parent: Any, action: Any, player: Any, children: Any, label: Any, who: int) -> Any:
    """The last own sequence of `who` at each history, if each label is one infoset; 0 is the empty sequence.

    Returns: (H,) sequences; and two histories of one infoset with different own sequences, which is imperfect recall
    (-1 under perfect recall).
    """
    labels = label.max() + 1
    last, first, base = np.zeros(len(parent), np.int64), np.full(labels, -1, np.int32), np.zeros(labels, np.int64)
    # base[l]: the first sequence of the infoset with label l; that of its action k is base[l] + k.
    sequences = 1
    for h in range(len(parent)):
        up = parent[h]
        if up >= 0:
            last[h] = base[label[up]] + action[h] if player[up] == who else last[up]
        if player[h] == who:
            one = first[label[h]]
            if one < 0:
                first[label[h]], base[label[h]] = h, sequences
                sequences += children[h]
            elif last[one] != last[h]:
                return last, one, h
    return last, -1, -1


def infosets(sequence: I64, label: I32, inner: Flags) -> I32:
    """(H,) a number for each pair of own sequence and label, in order of first visit; -1 at terminals."""
    numbers = np.full(len(label), -1, np.int32)
    if inner.any():
        pairs = sequence[inner] * (int(label.max()) + 1) + label[inner]
        _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
        by_visit = np.empty(len(first), np.int32)
        by_visit[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        numbers[inner] = by_visit[which]
    return numbers


MOST_ACTIONS = np.iinfo(np.int16).max
ACTORS = (0, 1, CHANCE)
"""Who may act at a history that is not terminal."""


def fault(who: Any, actions: int, odds: Sequence[float]) -> str:
    """What is wrong with a history that is not terminal, where `@` stands for its place; "" if nothing is. `odds` are
    the probabilities of its actions where chance acts."""
    if wrong := player_fault(who):
        return wrong
    if not 0 < actions <= MOST_ACTIONS:
        return f"there are {actions} actions @, not 1 to {MOST_ACTIONS:,}"
    wrong = chance_fault(odds, actions) if who == CHANCE else ""
    return wrong and f"the chance probabilities @ {wrong}"


def player_fault(who: Any) -> str:
    """The same of the player to act alone."""
    return "" if who in ACTORS else f"the player @ is {who!r}, not 0, 1, chance or terminal"


def fault_at(game: Game, table: Histories, history: int) -> InputError:
    """The error at a history whose player, actions or probabilities a kernel has found wrong."""
    state: Any = replay(game, table, history)
    who = game.player(state)
    actions = len(game.actions(state)) if who in ACTORS else 0
    sentence = fault(who, actions, game.chance(state) if who == CHANCE else ())
    text = history_text(game, table, history)[1]
    return error_after(game, text, sentence or "the chance probabilities @ do not sum to 1")


def describe_place(game: Game, table: Histories, history: int) -> str:
    """The place of a history: `after 'Deal:0 Bet'`, or `at the start`."""
    return _place(history_text(game, table, history)[1])


def _place(text: str) -> str:
    return f"after '{text}'" if text else "at the start"


def error_here(game: Game, record: PreorderRecord, sentence: str) -> InputError:
    """The error at the history that a walk has reached but not recorded; `@` in the sentence is replaced by the place."""
    table = _with_next(record)
    return error_after(game, history_text(game, table, len(table) - 1)[1], sentence)


def error_after(game: Game, text: str, sentence: str) -> InputError:
    """The error at the history with these actions; `@` in the sentence is replaced by the place."""
    return InputError(f"{game.name}: {sentence.replace('@', _place(text), 1)}")


def _with_next(record: PreorderRecord) -> Histories:
    """The recorded histories and the next one."""
    return table_of(record._replace(children=record.children + array("i", [0])))


def compare_menus(game: Game, record: PreorderRecord, who: int, label: int) -> None:
    """Raise an InputError if the actions of the next history are named differently from those at the first one of its
    infoset."""
    table = _with_next(record)
    first, last = int(np.flatnonzero((table.player == who) & (table.info[who] == label))[0]), len(table) - 1
    before, now = _names(game, table, first), _names(game, table, last)
    if before != now:
        raise InputError(
            f"{game.name}: the infoset '{_text(record, who, label)}' of player {who} has the actions {_listed(before)} "
            f"{describe_place(game, table, first)}, but {_listed(now)} {describe_place(game, table, last)}"
        )


def imperfect_recall(game: Game, table: Histories, who: int, one: int, other: int) -> InputError:
    """The error for two histories of one infoset that the player reached by different own actions."""
    label = game.infoset(replay(game, table, other), who)
    above = other
    while above > one:
        above = int(table.parent[above])
    what = "occurs twice on one path" if above == one else "is reached by different own actions"
    return InputError(
        f"{game.name}: player {who} has imperfect recall, since the infoset {quoted(label)} {what}, "
        f"{describe_place(game, table, one)} and {describe_place(game, table, other)}"
    )


def check_texts(game: Game, record: PreorderRecord, who: int) -> None:
    """Raise an InputError for labels that are not texts, or no UTF-8: strategies could not be saved under them."""
    labels = [label for label in record.numbers[who] if label is not NO_LABEL]
    for label in labels:
        if not isinstance(label, str):
            raise InputError(f"{game.name}: the infosets of player {who} must be named by texts, not by {label!r}")
    check_encodable(labels, f"{game.name}: an infoset of player {who}")


def _names(game: Game, table: Histories, history: int) -> list[str]:
    state: Any = replay(game, table, history)
    return [action_name(game, state, action) for action in game.actions(state)]


def _text(record: PreorderRecord, who: int, number: int) -> str:
    return str(list(record.numbers[who])[number])


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
