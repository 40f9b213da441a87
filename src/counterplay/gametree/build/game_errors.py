"""Errors about malformed games: one sentence that names the infoset and the history."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.games.game import Game, action_name
from counterplay.gametree.build.preorder import NO_LABEL, PreorderRecord, table_of
from counterplay.gametree.table.histories import Histories
from counterplay.gametree.table.labels import history_text, replay


def describe_place(game: Game, table: Histories, history: int) -> str:
    """The place of a history: `after 'Deal:0 Bet'`, or `at the start`."""
    text = history_text(game, table, history)[1]
    return f"after '{text}'" if text else "at the start"


def error_here(game: Game, record: PreorderRecord, sentence: str) -> InputError:
    """The error at the history that a walk has reached but not recorded; `@` in the sentence is replaced by
    the place.
    """
    table = _with_next(record)
    return InputError(f"{game.name}: {sentence.replace('@', describe_place(game, table, len(table) - 1))}")


def _with_next(record: PreorderRecord) -> Histories:
    """The recorded histories and the next one."""
    return table_of(record._replace(children=record.children + array("i", [0])))


def compare_menus(game: Game, record: PreorderRecord, who: int, label: int) -> None:
    """Reject the next history if its actions are named differently from those at the first history of its infoset.

    Raises:
        InputError: they differ.
    """
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
    """Reject labels that are not texts: strategies could not be saved under them.

    Raises:
        InputError: a label is not a text.
    """
    for label in record.numbers[who]:
        if not isinstance(label, str) and label is not NO_LABEL:
            raise InputError(f"{game.name}: the infosets of player {who} must be named by texts, not by {label!r}")


def _names(game: Game, table: Histories, history: int) -> list[str]:
    state: Any = replay(game, table, history)
    return [action_name(game, state, action) for action in game.actions(state)]


def _text(record: PreorderRecord, who: int, number: int) -> str:
    return str(list(record.numbers[who])[number])


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
