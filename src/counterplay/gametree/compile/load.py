"""Loading of games from every source: a spec, an `.efg` file, OpenSpiel, a user's class, an object; and compilation of
lazily expanded games."""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from counterplay.arrays import I64
from counterplay.errors import InputError, check_encodable, quoted, reason
from counterplay.games import DOORS, GAMES, GameSpec, make_game, no_game
from counterplay.games.game import Game
from counterplay.games.kernel_rules import FastGame
from counterplay.games.spec_text import called, is_plugin
from counterplay.gametree.build.histories import Histories, TooLargeError
from counterplay.gametree.build.partial_tree import grow, seed
from counterplay.gametree.build.size_estimate import (
    BYTES_PER_HISTORY,
    BYTES_PER_WALKED_HISTORY,
    Listing,
    Watch,
    estimate_size,
)
from counterplay.gametree.compile.compile import GameTree, compile_histories
from counterplay.memory_limit import default_memory

_ANY = 1e9
"""GiB of a game that fitted already."""
_SMALL = 200_000
"""Games up to this many histories are compiled without an estimate."""
_PER_BYTE = 8
"""The least memory in bytes per byte of an .efg file."""
_MEMBERS = ("name", "root", "player", "actions", "chance", "child", "infoset", "utility")
"""Of the `Game` protocol."""
_RULES_SPEED, _PYTHON_SPEED = 5e6, 4e5  # histories per second, for the estimate


def load(
    source: Any, *, memory: float | None = None, say: Callable[[str], None] | None = None, watch: Watch | None = None
) -> GameTree:
    """Load and compile a game.

    Args:
        source: a `GameSpec` or its text (`leduc`, `goofspiel:5`), `openspiel:leduc_poker`, `path.efg`, `module:Class`, an
            object with the `Game` protocol, or an OpenSpiel game; a compiled game is returned as it is.
        memory: the limit in GiB; half of the machine's memory by default.
        say: called with one line with the estimated size before anything large is built; stderr by default.
        watch: called with the number of histories listed so far and their estimated total.

    Raises:
        InputError: unknown game, one that does not fit, or a malformed one (imperfect recall, general sum, chance
            probabilities that do not sum to 1).
    """
    if isinstance(source, GameTree):
        return source
    say = say or partial(print, file=sys.stderr)
    budget = default_memory() if memory is None else memory * 2**30
    if not 0.0 < budget < float("inf"):
        raise InputError(f"the memory limit must be a positive number of GiB, not {memory}")
    path = Path(source) if isinstance(source, str | Path) and str(source).endswith(".efg") else None
    size = path.stat().st_size if path and path.is_file() else 0
    if _PER_BYTE * size > budget:  # refused before it is read
        raise TooLargeError(
            f"{path} has {size / 2**30:.3g} GiB of text, too much for the memory limit of {budget / 2**30:.3g} GiB"
        )
    rules = find_game(source)
    name = str(source) if isinstance(source, str | Path) else rules.name
    check_encodable([name], "the game")
    try:
        return compile_histories(name, rules, _histories(rules, budget, say, watch))
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise _failed(name, error) from error


def find_game(source: Any) -> Game:
    """The rules that `source` names, not compiled; those of a compiled game.

    Raises:
        InputError: unknown game, a member of the `Game` protocol that is missing or fails, or a name that is no text.
    """
    if isinstance(source, str | Path):
        return _by_text(str(source))
    if isinstance(source, GameTree):
        return source.rules
    if isinstance(source, GameSpec):
        return source.make()
    if type(source).__module__.startswith("pyspiel"):
        from counterplay.games.formats.openspiel import from_openspiel

        return from_openspiel(source)
    return _checked(source, type(source).__name__)


def source_of(game: GameTree) -> Any:
    """The text from which another process loads a game again; its rules, if no text names them."""
    try:
        named = find_game(game.name)
    except InputError:
        return game.rules
    return game.name if (type(named), named.name) == (type(game.rules), game.rules.name) else game.rules


def _rules_again(name: str) -> FastGame:
    return _rules(find_game(name))


def _loaded_again(source: Any) -> GameTree:
    return load(source, memory=_ANY, say=lambda _: None)


copyreg.pickle(GameTree, lambda game: (_loaded_again, (source_of(game),)))  # compiled rules cannot be pickled
copyreg.pickle(FastGame, lambda rules: (_rules_again, (rules.name,)))


def _by_text(spec: str) -> Game:
    name, _, rest = spec.partition(":")
    if spec.endswith(".efg"):
        from counterplay.games.formats.efg import read_efg

        return read_efg(spec)
    if name == "openspiel":
        from counterplay.games.formats.openspiel import from_openspiel

        return from_openspiel(rest)
    if name in GAMES or not rest:
        return make_game(spec)
    if not is_plugin(spec, DOORS):
        raise no_game(spec)
    game = called(spec, "game", (*GAMES, *DOORS), factories=True)
    return _checked(game, quoted(spec))


def _checked(game: Any, what: str) -> Game:
    """Anybody's object as a game, if it has the members of one and a name that is a text."""
    try:
        lacking = [member for member in _MEMBERS if not hasattr(game, member)]
        name = None if lacking else game.name
    except Exception as error:
        raise _failed(what, error) from error
    if lacking:
        raise InputError(f"{what} is not a game: it lacks the member {quoted(lacking[0])} of the Game protocol")
    if not isinstance(name, str):
        raise InputError(f"{what}: the name of a game must be a text, not {type(name).__name__}")
    check_encodable([name], f"{what}: the game")
    return game  # type: ignore[no-any-return]


def _failed(what: str, error: Exception) -> InputError:
    """The error for rules, which may be anybody's code, that raise one."""
    return InputError(f"{what}: the rules failed with {reason(error)}")


def _histories(rules: Game, budget: float, say: Callable[[str], None], watch: Watch | None) -> Histories:
    from counterplay.gametree.build.enumerate_game import enumerate_histories
    from counterplay.gametree.build.generate import generate

    fast = isinstance(rules, FastGame)
    per_second = _RULES_SPEED if fast else _PYTHON_SPEED
    per_history = BYTES_PER_HISTORY if fast else BYTES_PER_WALKED_HISTORY
    limit = int(budget / per_history)
    count = Listing(rules.name, budget, 0.0 if fast else 2.0 * BYTES_PER_HISTORY, say, watch)

    def expected() -> int:
        """The estimated number of histories, which is announced; rejects a game that is surely too large. Since the
        estimate is random, other games are rejected when the count passes the limit."""
        size = estimate_size(rules, per_second, per_history, limit=limit)
        count.expected = size.histories
        if size.histories > _SMALL:
            say(f"{rules.name}: {size}")
            count.announced = True
        if size.least > limit:
            raise TooLargeError(f"{rules.name} has {size}, more than the memory limit of {budget / 2**30:.3g} GiB")
        return int(min(limit, size.histories + size.error)) + 1

    if isinstance(rules, FastGame):
        return generate(rules, min(limit, _SMALL) + 1, limit, expected, count)
    return enumerate_histories(rules, expected(), limit, count)


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
