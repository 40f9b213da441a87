"""The protocol that solvers and methods ask of a game: a compiled one, or a spot of hold'em."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from counterplay.errors import InputError
from counterplay.games.game import Game
from counterplay.leaves.protocol import Leaves
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.treeplex import Treeplex

T = TypeVar("T")
U = TypeVar("U")


class SolvableGame(Protocol):
    """A `GameTree`, or a `SpotGame`, whose players are dealt from ranges: that is what binds them in its subgame."""

    @property
    def name(self) -> str:
        """For tables."""

    @property
    def trees(self) -> tuple[Treeplex, Treeplex]:
        """Of players 0 and 1."""

    @property
    def subgame(self) -> Subgame:
        """The whole game as one problem."""

    @property
    def payoff(self) -> Leaves:
        """Its leaves."""

    @property
    def span(self) -> float:
        """Largest minus smallest utility."""


_CONVERSIONS: dict[type, Callable[[Any], Any]] = {}


def register_conversion(kind: type, convert: Callable[[Any], Any]) -> None:
    """Let objects of a type, such as spots, stand for the games that `convert` makes of them."""
    _CONVERSIONS[kind] = convert


def as_compiled(source: Any) -> Any:
    """A game as it is; of a question that has a game, such as a spot, that game.

    Raises:
        InputError: it is not in memory as a whole.
    """
    convert = next((_CONVERSIONS[kind] for kind in type(source).__mro__ if kind in _CONVERSIONS), None)
    game = source if convert is None else convert(source)
    if not hasattr(game, "trees"):
        name = f"'{source}'" if isinstance(source, str) else getattr(source, "name", type(source).__name__)
        raise InputError(f"{name} is not a game in memory; counterplay.load makes one, where it fits")
    return game


def rules_of(source: Any) -> Game:
    """The rules by which hands of a game are played: its own, if it is compiled or a question; else it is rules itself."""
    if isinstance(source, Game):
        return source
    rules: Game = as_compiled(source).rules
    return rules


def by_kind(registry: Mapping[type, T], game: Any, other: U) -> T | U:
    """What a registry has for games of a kind; `other` for those that it does not list."""
    return next((registry[kind] for kind in type(game).__mro__ if kind in registry), other)
