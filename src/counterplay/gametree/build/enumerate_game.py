"""Enumeration of games with the `Game` protocol, in plain Python, into the table of all histories.

A game may offer a faster method, `expand(state) -> (player, actions, odds, label0, label1, children)`: everything about
a non-terminal state in one call. `actions` is a list, equal at equal infosets; `odds` are the probabilities at chance,
else `()`; the labels are `infoset(state, 0)` and `infoset(state, 1)`; a terminal child is given as its utility, a
`float`. The call may overwrite the state, which is not used again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game
from counterplay.gametree.build.histories import Histories, TooLargeError, check_names
from counterplay.gametree.build.preorder import (
    MOST_ACTIONS,
    NO_LABEL,
    PreorderRecord,
    check_texts,
    compare_menus,
    describe_place,
    error_here,
    fault,
    imperfect_recall,
    infosets,
    new_record,
    own_sequences,
    table_of,
)
from counterplay.gametree.build.size_estimate import Count

_PAUSE = 500  # histories between two looks at what they take


def enumerate_histories(game: Game, expected: int, limit: int, count: Count | None = None) -> Histories:  # noqa: ARG001 (lists grow alone; called like `generate`)
    """All histories of `game`; `count` is called now and then with the number so far.

    Raises:
        TooLargeError: more than `limit` histories.
        InputError: the game has imperfect recall, chance that is not a probability distribution, an infoset whose
            actions differ, a decision without actions, or a utility that is not finite.
    """
    record = _record(game, limit, count)
    table = table_of(record)
    for h in np.flatnonzero(~np.isfinite(table.utility))[:1].tolist():
        raise InputError(f"{game.name}: the utility {describe_place(game, table, h)} is {table.utility[h]}")
    info = []
    for who, label in enumerate(table.info):
        check_texts(game, record, who)
        sequence, one, other = own_sequences(
            table.parent, table.action, table.player, np.array(record.children), label, who
        )
        if other >= 0:
            raise imperfect_recall(game, table, who, one, other)
        info.append(infosets(sequence, label, table.player != TERMINAL))
    return Histories(table.parent, table.action, table.player, table.reach, (info[0], info[1]), table.utility)


def _record(game: Game, limit: int, count: Count | None) -> PreorderRecord:
    """The record of a walk over a stack of states still to visit, in which a float is the utility of a terminal."""
    stack, expand = _start(game)
    record = new_record()
    numbers0, numbers1 = record.numbers
    add_children, add_utility, add_actor = record.children.append, record.utility.append, record.actor.append
    add_label0, add_label1 = record.labels[0].append, record.labels[1].append
    menus: tuple[dict[int, Any], dict[int, Any]] = ({}, {})
    seen, pop, pause = len(stack), stack.pop, min(limit, _PAUSE)
    while stack:
        item = pop()
        if type(item) is float:
            add_children(0)
            add_utility(item)
            continue
        who, actions, odds, label0, label1, after = expand(item)
        number0, number1, size = numbers0[label0], numbers1[label1], len(after)
        decides = who == 0 or who == 1
        if not (decides and 0 < size <= MOST_ACTIONS) and (wrong := fault(who, size, odds)):
            raise error_here(game, record, wrong)
        if decides:
            number = number1 if who else number0
            menu = menus[who].setdefault(number, actions)
            if menu is actions:
                check_names(game, label1 if who else label0, list(map(str, actions)))
            elif menu != actions:
                compare_menus(game, record, who, number)
        else:
            record.odds.extend(odds)
        seen += size
        if seen > pause:
            if seen > limit:
                raise TooLargeError(f"{game.name} has more than {limit:,} histories, more than the memory limit allows")
            if count:
                count(len(record.children))
            pause = min(limit, seen + _PAUSE)
        add_children(size)
        add_actor(who)
        add_label0(number0)
        add_label1(number1)
        after.reverse()
        stack += after
    return record


def _start(game: Game) -> tuple[list[Any], Callable[[Any], Any]]:
    root = game.root()
    who = game.player(root)
    fast: Callable[[Any], Any] | None = getattr(game, "expand", None)
    if who == TERMINAL:
        return [float(game.utility(root))], fast or _expander(game)
    return ([root], fast) if fast else ([(root, who)], _expander(game))


def _expander(game: Game) -> Callable[[Any], Any]:
    """`expand` for a game without it; it takes pairs of a state and its player, since a bare state may be a float."""
    player, child, infoset, utility = game.player, game.child, game.infoset, game.utility
    named = getattr(game, "action_name", None)
    augmented = getattr(game, "augmented", False)

    def expand(pair: tuple[Any, int]) -> Any:
        state, who = pair
        legal = list(game.actions(state))
        chances = [float(p) for p in game.chance(state)] if who == CHANCE else ()
        label0 = infoset(state, 0) if augmented or who == 0 else NO_LABEL
        label1 = infoset(state, 1) if augmented or who == 1 else NO_LABEL
        children: list[Any] = []
        for action in legal:
            after = child(state, action)
            next_ = player(after)
            children.append(float(utility(after)) if next_ == TERMINAL else (after, next_))
        names = [str(named(state, action)) for action in legal] if named and who != CHANCE else legal
        return who, names, chances, label0, label1, children

    return expand
