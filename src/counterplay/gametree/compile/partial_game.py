"""Lazily expanded games, compiled as far as they are expanded."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from counterplay.arrays import I64
from counterplay.errors import InputError
from counterplay.games.game import Game
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.partial_tree import grow, seed
from counterplay.gametree.build.size_estimate import BYTES_PER_HISTORY
from counterplay.gametree.compile.compile import GameTree, compile_histories
from counterplay.memory_limit import default_memory

_BUDGETS: WeakKeyDictionary[GameTree, float] = WeakKeyDictionary()
"""The most bytes of a lazily expanded game, however far it is expanded."""
_BYTES = 4 * BYTES_PER_HISTORY
"""Bytes per history: the old game is still in memory while the new one is compiled."""
END = 10**6
"""More levels than any game has."""


def only_root(rules: Game) -> GameTree:
    """A game with only the root, not expanded; an InputError if it is not written as rules."""
    return compile_histories(rules.name, rules, seed(_rules(rules)))


def expand_game(game: GameTree, which: I64, levels: int, memory: float | None = None) -> GameTree:
    """The game with histories of the limit, (n,), whole public states, expanded by `levels` levels; all histories and
    augmented infosets keep their numbers. The memory limit in GiB is by default that of the game so far, or half of the
    machine's.

    Raises:
        InputError: the game would exceed the limit, or is not written as rules.
    """
    budget = _BUDGETS.get(game, default_memory()) if memory is None else memory * 2**30
    table = grow(_rules(game.rules), game.histories, which, levels, int(budget / _BYTES))
    expanded = compile_histories(game.name, game.rules, table)
    _BUDGETS[expanded] = budget
    return expanded


def expand_within(game: GameTree, which: I64, levels: int, histories: int) -> GameTree:
    """`expand_game` below these histories (n,), by at most so many new ones; a TooLargeError if there are more."""
    return expand_game(game, which, levels, (len(game.histories) + histories) * _BYTES / 2**30)


def to_the_end(game: GameTree, which: I64) -> GameTree:
    """The game with everything below these histories (n,)."""
    return expand_game(game, which, END)


def _rules(game: Game) -> FastGame:
    if not isinstance(game, FastGame):
        raise InputError(f"{game.name} is not written as rules, so it cannot be expanded lazily")
    return game
