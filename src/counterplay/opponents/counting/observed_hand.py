"""One hand as a player saw it, and the ends of the game that it may have had."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import I64
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, TERMINAL, action_name
from counterplay.gametree.compile.children import children_of
from counterplay.gametree.compile.compile import GameTree

Move = tuple[int, str | None]
_TOLERANCE, _ROUNDING = 1e-9, 1e-14
"""Of a result: shares of the span of the payoffs, and of the largest one."""
_NAMES: WeakKeyDictionary[GameTree, dict[Hashable, list[str]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class ObservedHand:
    """A hand of any game.

    Attributes:
        moves: the acting player (0, 1 or `CHANCE`) and the text of the action, in order; None in place of a text that was
            not seen.
        utility: chips that player 0 won; None where it is not known.
    """

    moves: tuple[Move, ...]
    utility: float | None = None


def consistent_ends(game: GameTree, hand: Any) -> I64:
    """(n,) the ends of the game that agree with a hand: its moves where they were seen, its players, its result. hand:
    an `ObservedHand`, or anything with `moves` and `utility` or `won` (chips of player 0), such as the record of a match
    or of a log."""
    table, children = game.histories, children_of(game)
    moves, utility = _checked(hand)
    here = np.zeros(1, np.int64)
    for number, (who, name) in enumerate(moves):
        there = here[table.player[here] == who]
        found = [child for h in there.tolist() for child in _children_named(game, children.of(h), h, name)]
        if not found:
            raise InputError(f"no hand of {game.name} has {_told(who, name)} as move {number + 1}")
        here = np.array(found, np.int64)
    here = here[table.player[here] == TERMINAL]
    if utility is not None:
        scale = _TOLERANCE * game.span + _ROUNDING * float(np.abs(table.utility).max())
        here = here[np.abs(table.utility[here] - utility) <= scale]
    if not len(here):
        result = "" if utility is None else f" with a result of {utility:g} chips"
        raise InputError(f"no hand of {game.name} ends after these {len(moves)} moves{result}")
    return np.asarray(here, np.int64)


def _checked(hand: Any) -> tuple[list[Move], float | None]:
    """The moves of a hand, and its result."""
    try:
        moves = [(who, name) for who, name in hand.moves]
        utility = hand.utility if hasattr(hand, "utility") else hand.won
        return moves, None if utility is None else float(utility)
    except (AttributeError, TypeError, ValueError):
        raise InputError("a hand has moves, each who acts and a text or None, and a result, a number or None; "
                         f"{quoted(hand)} has not") from None  # fmt: skip


def _told(who: int, name: str | None) -> str:
    actor = "chance" if who == CHANCE else f"player {who}"
    return f"a move of {actor}" if name is None else f"{quoted(name)} of {actor}"


def _children_named(game: GameTree, children: Iterable[Any], history: int, name: str | None) -> list[int]:
    """The children of a history by an action of this name, or all if it was not seen."""
    if name is None:
        return [int(child) for child in children]
    return [int(child) for child, one in zip(children, action_names(game, history), strict=True) if one == name]


def action_names(game: GameTree, history: int) -> list[str]:
    """The names of the actions at a history, those of an infoset or of a chance node kept once made."""
    table = game.histories
    who = int(table.player[history])
    key: Hashable = ("chance", history) if who == CHANCE else (who, int(table.info[who][history]))
    kept = _NAMES.setdefault(game, {})
    if key not in kept:
        state = game.state(history)
        kept[key] = [action_name(game.rules, state, action) for action in game.rules.actions(state)]
    return kept[key]
