"""Games, one per file, and their specs: texts such as `liars_dice:1,4`.

Door: `game.Game` (the protocol), `kernel_rules.FastGame` (rules to be compiled), and
`GameSpec` here, whose text names a game.

Registry: `GAMES` here, name to module and function.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from counterplay.errors import InputError, unknown
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.games.spec_text import parameters, spec_of
from counterplay.texts.arguments import Checked

__all__ = [
    "CHANCE", "DOORS", "GAMES", "TERMINAL", "Game", "GameEntry", "GameSpec", "action_name", "make_game", "no_game",
]  # fmt: skip


@dataclass(frozen=True)
class GameEntry:
    """One entry of the catalogue; `factory` is `module:function` below this package and takes the spec's parameters."""

    factory: str
    example: str
    about: str


GAMES = {
    example.partition(":")[0]: GameEntry(factory, example, about)
    for factory, example, about in (
        ("kuhn:make", "kuhn", "Kuhn poker"),
        ("leduc:make", "leduc", "Leduc poker"),
        ("goofspiel:make", "goofspiel:5", "Goofspiel with secret bids, fixed point order"),
        ("liars_dice:make", "liars_dice:1,4", "Liar's dice"),
        ("battleships:make", "battleships:2,2,1x1", "Battleships; 5,5,2x2/2x2 is for sampling only"),
        ("tictactoe:make", "tictactoe", "Tic-tac-toe"),
        ("rps:make", "rps:2", "Biased rock-paper-scissors in rounds, each revealed"),
        ("matrix:make", "matrix:1 -1/-1 1", "Any matrix game: rows split by /, payoffs by spaces"),
        ("matrix:matching_pennies", "matching_pennies:2,1,0", "Matching pennies, biased or not"),
        ("matrix:ses_matrix", "ses_matrix", "The matrix game of Liu et al. 2022; the columns respond"),
        ("examples:cdrnr_fig2", "cdrnr_fig2", "Milec et al. 2024: why unsafe resolving is unsafe"),
        ("examples:cdrnr_fig3", "cdrnr_fig3", "Milec et al. 2024: gadgets misjudge exploitability"),
        ("examples:cdrnr_fig10", "cdrnr_fig10", "Milec et al. 2024: CDBR below a Nash equilibrium"),
        (
            "examples:margin_counterexample",
            "cdrnr_fig8_margin",
            "Ours, with the effect of figures 4, 8, 9 of Milec et al. 2024: max-margin loses three of five actions",
        ),
        (
            "examples:resolving_counterexample",
            "cdrnr_fig8_resolving",
            "Ours, with the effect of figures 4, 8, 9 of Milec et al. 2024: resolving loses three of five actions",
        ),
        ("examples:ggse_fig1", "ggse_fig1", "Kubíček et al. 2026: matching pennies with a forfeit"),
        ("examples:ggse_fig5", "ggse_fig5", "Kubíček et al. 2026: one gadget, unequal equilibria"),
        ("examples:ggse_fig8", "ggse_fig8", "Kubíček et al. 2026: both gadgets return a bad blueprint"),
        ("examples:ggse_fig11", "ggse_fig11", "Kubíček et al. 2026: max-margin misses the equilibrium"),
    )
}
"""Games by name."""
DOORS = ("openspiel", "holdem", "fhp")
"""Other texts of games begin with these."""


@dataclass(frozen=True)
class GameSpec(metaclass=Checked):
    """A game of the catalogue with its parameters: the record of a text such as `leduc:4,cap=3`.

    The parameters are those of the game's factory, which is where they are declared, with their defaults.

    Attributes:
        name: in `GAMES`.
        values: of the parameters, by name; the defaults of the others are added.

    Raises:
        InputError: no such game, or no such parameter.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        known = inspect.signature(self.factory).parameters
        for key in self.values:
            if key not in known:
                raise unknown("parameter", key, list(known), lacks=self.name)
        usual = {key: one.default for key, one in known.items()}
        object.__setattr__(self, "values", {**usual, **self.values})

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The game that a text names: `NAME` or `NAME:value,value,key=value`, values in the order of the parameters.

        Raises:
            InputError: unknown game, unknown parameter, or a parameter out of its bounds.
        """
        name, _, rest = text.partition(":")
        if name not in GAMES:
            raise no_game(text)
        return cls(name, parameters(name, rest, cls(name).factory))

    def __str__(self) -> str:
        return spec_of(self.name, self.factory, **self.values)

    @property
    def factory(self) -> Callable[..., Game]:
        """The function or class that makes the game."""
        if self.name not in GAMES:
            raise no_game(self.name)
        module, _, function = GAMES[self.name].factory.partition(":")
        return getattr(importlib.import_module(f"counterplay.games.{module}"), function)  # type: ignore[no-any-return]

    def make(self) -> Game:
        """The rules.

        Raises:
            InputError: a parameter that the game refuses.
        """
        return self.factory(**self.values)


def make_game(spec: str) -> Game:
    """The game that a spec names; errors as in `GameSpec.from_text`."""
    return GameSpec.from_text(spec).make()


def no_game(spec: str) -> InputError:
    """The error for a spec that names no game."""
    return unknown("game", spec, (*GAMES, *DOORS), listed=sorted(GAMES))
