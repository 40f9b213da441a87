"""Every command and its module, so that a run imports no more than it needs; and the program, as the parser has it: help
with lists of names, and errors of words in one sentence.

A command of another distribution is an entry point of the group `counterplay.commands`; it is looked up when it is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from counterplay import catalogue
from counterplay.about import PAPERS, entry_point
from counterplay.errors import InputError

COMMANDS = {
    "games": "games:games",
    "solve": "games:solve",
    "reproduce": "reproduce",
    "demo": "games:demo",
    "examples": "games:examples",
    "respond": "respond:respond",
    "evaluate": "respond:evaluate",
    "frontier": "frontier:frontier",
    "export": "games:export",
    "misread": "frontier:misread",
    "resolve": "resolve:resolve",
    "gadget": "resolve:gadget",
    "match": "playing:match",
    "play": "playing:play",
    "review": "playing:review",
    "hands": "hands:hands",
    "model": "model:model",
    "villain": "hands:villain",
    "acpc-dealer": "protocols:acpc_dealer",
    "acpc-client": "protocols:acpc_client",
    "slumbot": "protocols:slumbot",
    "spot": "spot:spot",
    "walk": "solved_spots:walk",
    "compare": "solved_spots:compare",
    "report": "spot:report_flops",
    "blueprint": "blueprint:blueprint",
    "page": "page:page",
    "mcp": "page:mcp",
    "learn": "learn:learn",
    "warm": "warm:warm",
    "doctor": "doctor:doctor",
    "cache": "doctor:cache",
}
"""Commands in the order of the help: module inside `commands` and function, or a group of commands; its documentation is the
help. The name alone of a command that `counterplay-papers` brings."""
_GROUP = "counterplay.commands"
_WIDEST = 120
"""Columns beyond which lines are hard to read."""
_METHODS = ("Methods (--method)", catalogue.METHODS)
_OPPONENTS = ("Opponents", catalogue.OPPONENTS)
_LOOK = (
    ("Solvers (--solver)", catalogue.SOLVERS),
    ("Gadgets (--gadget)", catalogue.GADGETS),
    ("Value functions (--leaf)", catalogue.VALUES),
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
_SECTIONS: dict[str, tuple[tuple[str, Mapping[str, str]], ...]] = {
    "solve": (("Solvers (--solver)", catalogue.SOLVERS),),
    "respond": (_METHODS, _OPPONENTS, *_LOOK),
    "evaluate": (_OPPONENTS,),
    "frontier": (("Methods (--methods)", catalogue.METHODS), _OPPONENTS, *_LOOK),
    "resolve": (("Places (--at)", catalogue.PLACES), _LOOK[1], _LOOK[3], ("Solvers (--solver)", _SOLVERS), _OPPONENTS),
    "match": _AGENTS,
    "play": _AGENTS,
    "review": _AGENTS,
}
"""What the help of a command lists, by the command's name."""
_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "it is no whole number",
    "Input should be a valid number, unable to parse string as a number": "it is no number",
    "Input should be": "it must be",
    "Value error, ": "",
}
"""Words of the validator's, and ours."""


def load_command(name: str) -> Any:
    """The function of a command, or its group; of a command that is not installed a function that says so."""
    module, _, function = COMMANDS[name].partition(":")
    if not function:
        return entry_point(_GROUP, module) or not_installed
    return getattr(import_module(f"counterplay.commands.{module}"), function)


def not_installed(words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> NoReturn:  # noqa: ARG001
    """Reproduce tables and figures of papers. Needs another package: pip install 'counterplay[papers]'."""
    raise InputError(PAPERS)


vars(not_installed)["example"] = "Example: counterplay reproduce cdbr-table1 --quick"


class ListingCommand(TyperCommand):
    """A command whose help lists the names that its texts may use."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        for title, table in _SECTIONS.get(self.name or "", ()):
            with formatter.section(title):
                formatter.write_dl(list(table.items()), col_max=38)
        super().format_epilog(ctx, formatter)


class Brief(TyperGroup):
    """The program with its commands; an error of the parser's is an error like our own."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        with _in_one_sentence():
            return super().make_context(*words, **options)

    def invoke(self, ctx: Any) -> Any:
        with _in_one_sentence():
            return super().invoke(ctx)


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        shown: Any = error
        if not hasattr(shown, "format_message") or type(error).__name__ == "NoArgsIsHelpError":  # which shows the help
            raise
        text = shown.format_message().strip().rstrip(".")
        for theirs, ours in _WORDS.items():
            text = text.replace(theirs, ours)
        of = getattr(shown, "ctx", None)
        path = f" ({of.command_path} -h shows all)" if of is not None else ""
        raise InputError(text[:1].lower() + str(InputError(text[1:])) + path) from None


@cache
def program(names: tuple[str, ...] = tuple(COMMANDS)) -> typer.Typer:
    """The program with some of its commands; what they import is imported."""
    made = typer.Typer(
        cls=Brief, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST},
        help="Counter-strategies in two-player zero-sum games: win the most from a modelled opponent, safely.",
    )  # fmt: skip
    made.callback()(counterplay)
    for name in names:
        command = load_command(name)
        if isinstance(command, typer.Typer):
            made.add_typer(command, name=name)
            continue
        kind = ListingCommand if name in _SECTIONS else None
        settings = {"ignore_unknown_options": True} if command is not_installed else None
        made.command(name, cls=kind, epilog=vars(command)["example"], context_settings=settings)(command)
    return made


def _say_version(asked: bool) -> None:
    if asked:
        from counterplay.about import version

        print(f"counterplay {version()}")
        raise typer.Exit


def counterplay(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_say_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""
