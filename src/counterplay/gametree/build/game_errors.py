"""Errors about malformed games: what is wrong, in one sentence that names the infoset and the history."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.errors import InputError, check_encodable, quoted
from counterplay.games.game import CHANCE, Game, action_name, chance_fault
from counterplay.gametree.build.histories import Histories, history_text, replay
from counterplay.gametree.build.preorder import NO_LABEL, PreorderRecord, table_of

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
