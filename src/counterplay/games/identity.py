"""Identity of games by their texts: no file is opened, no user code is imported."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from counterplay.errors import InputError
from counterplay.games import GAMES, make_game
from counterplay.games.kernel_rules import FastGame

_LONGEST = 1000


def is_other_game(named: str, wanted: str) -> bool:
    """Return whether one text surely names another game than a second.

    Texts of the games that come with the library are compared by what they mean: `leduc` is `leduc:bets=2/4`; those of
    OpenSpiel by their short names. A path or `module:name` may be any game, and so may an object of any name: there the
    infosets decide, as they always do. Only a plain word that is no game's name is none of the library's."""
    first, second = _known(named), _known(wanted)
    if first is None or second is None:
        return second is not None and second[0] != _OPENSPIEL and not any(mark in named for mark in ":./\\")
    return first != second and (first[0] == _OPENSPIEL) == (second[0] == _OPENSPIEL)


_OPENSPIEL = "openspiel"


def _known(text: str) -> tuple[str, Any] | None:
    """A game that comes with the library or with OpenSpiel; None for any other."""
    head, _, rest = text.partition(":")
    if len(text) > _LONGEST or text.endswith(".efg"):
        return None
    if head == _OPENSPIEL:
        return head, rest.partition("(")[0]
    return _of_library(text, head) if head in GAMES else None


@lru_cache(64)
def _of_library(text: str, head: str) -> tuple[str, Any]:
    """What the text of a game that comes with the library means; a log names its game in every hand."""
    try:
        game = make_game(text)
    except InputError:
        return head, text
    return head, game.rules if isinstance(game, FastGame) else game.name
