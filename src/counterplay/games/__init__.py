"""Games, one a file, and how a text such as `liars_dice:1,4` becomes one.

Door: `game.Game` (the protocol), `kernel_rules.FastGame` (rules to be compiled), and `make_game` here (text to game).

Registry: `GAMES` here, name to module and function.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from counterplay.errors import InputError, unknown
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name
from counterplay.games.parameters import parameters

__all__ = ["CHANCE", "DOORS", "GAMES", "TERMINAL", "Game", "GameEntry", "action_name", "make_game", "no_game"]


@dataclass(frozen=True)
class GameEntry:
    """One line of the catalogue; `factory` is `module:function` below this package, and has the spec's parameters."""

    factory: str
    example: str
    about: str


GAMES: dict[str, GameEntry] = {
    "kuhn": GameEntry("kuhn:make", "kuhn", "Kuhn poker"),
    "leduc": GameEntry("leduc:make", "leduc", "Leduc poker"),
    "goofspiel": GameEntry("goofspiel:make", "goofspiel:5", "Goofspiel with secret bids, fixed point order"),
    "liars_dice": GameEntry("liars_dice:make", "liars_dice:1,4", "Liar's dice"),
    "battleships": GameEntry(
        "battleships:make", "battleships:2,2,1x1", "Battleships; 5,5,2x2/2x2 is for sampling only"
    ),
    "tictactoe": GameEntry("tictactoe:make", "tictactoe", "Tic-tac-toe"),
    "rps": GameEntry("rps:make", "rps:2", "Biased rock-paper-scissors in rounds, each revealed"),
    "matrix": GameEntry("matrix:make", "matrix:1 -1/-1 1", "Any matrix game: rows split by /, payoffs by spaces"),
    "matching_pennies": GameEntry(
        "matrix:matching_pennies", "matching_pennies:2,1,0", "Matching pennies, biased or not"
    ),
    "ses_matrix": GameEntry(
        "matrix:ses_matrix", "ses_matrix", "The matrix game of Liu et al. 2022; the columns respond"
    ),
    "cdrnr_fig2": GameEntry("examples:cdrnr_fig2", "cdrnr_fig2", "Milec et al. 2024: why unsafe resolving is unsafe"),
    "cdrnr_fig3": GameEntry("examples:cdrnr_fig3", "cdrnr_fig3", "Milec et al. 2024: gadgets misjudge exploitability"),
    "cdrnr_fig10": GameEntry("examples:cdrnr_fig10", "cdrnr_fig10", "Milec et al. 2024: CDBR below a Nash equilibrium"),
    "cdrnr_fig8_margin": GameEntry(
        "counterexamples:margin_counterexample",
        "cdrnr_fig8_margin",
        "Ours, with the effect of figures 4, 8, 9 of Milec et al. 2024: max-margin loses three of five actions",
    ),
    "cdrnr_fig8_resolving": GameEntry(
        "counterexamples:resolving_counterexample",
        "cdrnr_fig8_resolving",
        "Ours, with the effect of figures 4, 8, 9 of Milec et al. 2024: resolving loses three of five actions",
    ),
    "ggse_fig1": GameEntry("examples:ggse_fig1", "ggse_fig1", "Kubíček et al. 2026: matching pennies with a forfeit"),
    "ggse_fig5": GameEntry("examples:ggse_fig5", "ggse_fig5", "Kubíček et al. 2026: one gadget, unequal equilibria"),
    "ggse_fig8": GameEntry(
        "examples:ggse_fig8", "ggse_fig8", "Kubíček et al. 2026: both gadgets return a bad blueprint"
    ),
    "ggse_fig11": GameEntry(
        "examples:ggse_fig11", "ggse_fig11", "Kubíček et al. 2026: max-margin misses the equilibrium"
    ),
}


DOORS = ("openspiel", "holdem", "fhp")
"""Other texts of games begin with these."""


def make_game(spec: str) -> Game:
    """The game that a spec names: `NAME` or `NAME:value,value,key=value`, values in the order of the parameters.

    Raises:
        InputError: no such game, or a parameter that the game does not have or refuses.
    """
    name, _, rest = spec.partition(":")
    if name not in GAMES:
        raise no_game(spec)
    module, _, function = GAMES[name].factory.partition(":")
    factory = getattr(importlib.import_module(f"counterplay.games.{module}"), function)
    game: Game = factory(**parameters(name, rest, factory))
    return game


def no_game(spec: str) -> InputError:
    """The sentence about a spec that names no game."""
    return unknown("game", spec, (*GAMES, *DOORS), listed=sorted(GAMES))
