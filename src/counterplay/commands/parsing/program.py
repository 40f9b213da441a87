"""The program with its commands, as the parser has it."""

from __future__ import annotations

from functools import cache
from typing import Annotated

import typer

from counterplay.commands.parsing.help_listing import SECTIONS, WIDEST, ListingCommand, say_version
from counterplay.commands.parsing.registry import COMMANDS, not_installed
from counterplay.commands.parsing.usage_errors import Brief


@cache
def program(names: tuple[str, ...] = tuple(COMMANDS)) -> typer.Typer:
    """The program with some of its commands; what they import is imported."""
    made = typer.Typer(
        cls=Brief,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
        help="Counter-strategies in two-player zero-sum games: win the most from a modelled opponent, safely.",
    )
    made.callback()(counterplay)
    for name in names:
        entry = COMMANDS[name]
        found = entry.load()
        if isinstance(found, typer.Typer):
            made.add_typer(found, name=name)
            continue
        kind = ListingCommand if name in SECTIONS else None
        settings = {"ignore_unknown_options": True} if found is not_installed else None
        made.command(name, cls=kind, epilog=f"Example: {entry.example}", context_settings=settings)(found)
    return made


def counterplay(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=say_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""
