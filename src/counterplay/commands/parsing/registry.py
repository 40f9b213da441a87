"""Every command and where it stands, so that a run imports no more than it is asked for.

A command of another distribution is an entry point of the group `counterplay.commands`; it is looked up when it is loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer

from counterplay.about import PAPERS, entry_point
from counterplay.errors import InputError

_GROUP = "counterplay.commands"


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
    "report": "flop_report:report_flops",
    "blueprint": "blueprint:blueprint",
    "page": "page:page",
    "mcp": "page:mcp",
    "learn": "learn:learn",
    "warm": "warm:warm",
}
"""Commands in the order of the help: module inside `commands` and function, or a group of commands; its documentation is the
help. The name alone of a command that `counterplay-papers` brings."""
