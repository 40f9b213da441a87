"""Games expanded on the way, compiled as far as they are expanded."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import Game
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.partial_tree import grow, seed
from counterplay.gametree.build.size_estimate import BYTES_PER_HISTORY, default_memory
from counterplay.gametree.compile.compile import GameTree, compile_histories

Longs = NDArray[np.int64]
_BUDGETS: WeakKeyDictionary[GameTree, float] = WeakKeyDictionary()
"""Bytes that a game expanded on the way may take, however it is expanded further."""
_BYTES = 2 * BYTES_PER_HISTORY
"""Per history: what was expanded before is still there while the new whole is compiled."""
END = 10**6
"""More levels than any game has."""


def only_root(rules: Game) -> GameTree:
    """A game of which nothing is expanded yet.

    Raises:
        InputError: a game that is not written as rules.
    """
    return compile_histories(rules.name, rules, seed(_rules(rules)))


def expand_game(game: GameTree, which: Longs, levels: int, memory: float | None = None) -> GameTree:
    """The same game, with histories of the limit expanded `levels` levels more.

    Args:
        game: of whose histories and augmented infosets all keep their numbers.
        which: (n,) histories of the limit; whole public states.
        levels: how far.
        memory: GiB that the whole may take; by default what the game so far was allowed, or half of the machine's.

    Raises:
        InputError: it would take more memory, or the game is not written as rules.
    """
    budget = _BUDGETS.get(game, default_memory()) if memory is None else memory * 2**30
    table = grow(_rules(game.rules), game.histories, which, levels, int(budget / _BYTES))
    found = compile_histories(game.name, game.rules, table)
    _BUDGETS[found] = budget
    return found


def to_the_end(game: GameTree, which: Longs) -> GameTree:
    """The same with everything below these histories."""
    return expand_game(game, which, END)


def _rules(game: Game) -> FastGame:
    if not isinstance(game, FastGame):
        raise InputError(f"{game.name} is not written as rules, so that it cannot be expanded on the way")
    return game
