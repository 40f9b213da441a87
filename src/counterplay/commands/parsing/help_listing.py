"""Help as wide as the terminal, with lists of the names that a command's texts may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from counterplay import catalogue

WIDEST = 120
"""Columns beyond which lines are hard to read."""
_METHODS = ("Methods (--method)", catalogue.METHODS)
_OPPONENTS = ("Opponents", catalogue.OPPONENTS)
_LOOK = (
    ("Solvers (--solver)", catalogue.SOLVERS),
    ("Gadgets (--gadget)", catalogue.GADGETS),
    ("Value functions (--value)", catalogue.VALUES),
    ("Priors (--prior)", catalogue.PRIORS),
)
_AGENTS = (
    ("Agents", catalogue.AGENTS),
    _OPPONENTS,
    ("Opponents in whole games of hold'em (holdem:..., fhp)", catalogue.WHOLE_GAME_OPPONENTS),
    (
        "Agents in whole games of hold'em that compute",
        {name: catalogue.METHODS[name] for name in catalogue.WHOLE_GAME_AGENTS},
    ),
)
_SOLVERS = {name: about for name, about in catalogue.SOLVERS.items() if name != "auto"}
SECTIONS: dict[str, tuple[tuple[str, Mapping[str, str]], ...]] = {
    "solve": (("Methods (--method)", catalogue.SOLVERS),),
    "respond": (_METHODS, _OPPONENTS, *_LOOK),
    "evaluate": (_OPPONENTS,),
    "frontier": (("Methods (--methods)", catalogue.METHODS), _OPPONENTS, *_LOOK),
    "resolve": (
        ("Places (--at)", catalogue.PLACES),
        ("Gadgets (--gadget)", catalogue.GADGETS),
        ("Priors (--prior)", catalogue.PRIORS),
        ("Solvers (--solver)", _SOLVERS),
        _OPPONENTS,
    ),
    "match": _AGENTS,
    "play": _AGENTS,
    "review": _AGENTS,
}
"""What the help of a command lists, by the command's name."""


class ListingCommand(TyperCommand):
    """A command whose help lists the names that its texts may use."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The lists, then the example."""
        for title, table in SECTIONS.get(self.name or "", ()):
            with formatter.section(title):
                formatter.write_dl(list(table.items()), col_max=38)
        super().format_epilog(ctx, formatter)


def say_version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        from counterplay.about import version

        print(f"counterplay {version()}")
        raise typer.Exit
