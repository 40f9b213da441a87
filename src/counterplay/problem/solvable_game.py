"""The protocol of games for solvers and methods: a compiled game, or a spot of hold'em."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from counterplay.errors import InputError
from counterplay.games import GameSpec
from counterplay.games.game import Game
from counterplay.texts.arguments import shown
from counterplay.texts.record import Record

if TYPE_CHECKING:  # so that a spot's fields are known without kernels
    from counterplay.leaves.protocol import Leaves
    from counterplay.problem.subgame import Subgame
    from counterplay.treeplex.treeplex import Treeplex

T = TypeVar("T")
U = TypeVar("U")


class SolvableGame(Protocol):
    """A `GameTree`, or a `SpotGame`, whose players are bound to their dealt ranges in its subgame."""

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def trees(self) -> tuple[Treeplex, Treeplex]:
        """The treeplexes of players 0 and 1."""

    @property
    def subgame(self) -> Subgame:
        """The whole game as one problem."""

    @property
    def payoff(self) -> Leaves:
        """The leaves of the whole game."""

    @property
    def span(self) -> float:
        """Largest minus smallest utility."""

    @property
    def enters_boards_alone(self) -> bool:
        """Return whether a look-ahead behind a gadget begins with one board, and not with all public states of a level."""

    @property
    def usual_depth(self) -> int | str:
        """The depth of look-aheads that give none, as `LookAhead` takes it."""


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {}


def register_conversion(kind: type | str, convert: Callable[[Any], Any]) -> None:
    """Register a conversion from objects of a type, such as spots, to games; a type may be named before it is imported."""
    _CONVERSIONS[kind if isinstance(kind, str) else _name_of(kind)] = convert


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


_LOADER = "counterplay.poker.spots.load"
"""The module of `load`, which stands above this one: it is imported when a text is given for a game."""


def as_game(source: Any) -> Any:
    """The game of a text, a path, a record or rules, as `load` brings it into memory; anything else as it is."""
    named = isinstance(source, str | Path | Record | GameSpec | Game) and _conversion(source) is None
    return import_module(_LOADER).load(source) if named else source


def as_compiled(source: Any) -> Any:
    """The game itself; for a text, a spot and the like, its game. An InputError if it is not in memory as a whole."""
    source = as_game(source)
    convert = _conversion(source)
    game = source if convert is None else convert(source)
    if not hasattr(type(game), "trees") and not hasattr(game, "trees"):  # those of a large spot take memory
        name = getattr(source, "name", None)
        raise InputError(
            f"{shown(source) if name is None else name} is not a game in memory: give a text such as 'leduc', or what "
            "counterplay.load returns"
        )
    return game


def _conversion(source: Any) -> Callable[[Any], Any] | None:
    return next(filter(None, (_CONVERSIONS.get(_name_of(kind)) for kind in type(source).__mro__)), None)


def rules_of(source: Any) -> Game:
    """The rules by which hands of a game are played: those of a compiled game or spot, else the object itself."""
    if isinstance(source, Game):
        return source
    return as_compiled(source).rules  # type: ignore[no-any-return]


def by_kind(registry: Mapping[type, T], game: Any, other: U) -> T | U:
    """The entry of a registry for the kind of a game; `other` for kinds that it does not list."""
    return next((registry[kind] for kind in type(game).__mro__ if kind in registry), other)
