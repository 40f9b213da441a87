"""Every command and where it stands, so that a run imports no more than it is asked for.

A command of another distribution is an entry point of the group `counterplay.commands`; it is looked up when it is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer

from counterplay.entry_points import PAPERS, entry_point
from counterplay.errors import InputError

_GROUP = "counterplay.commands"


@dataclass(frozen=True)
class ListedCommand:
    """A command.

    Attributes:
        place: module inside `commands` and function, or a group of commands; its documentation is the help. The name alone
            of a command that `counterplay-papers` brings.
        example: a call, shown below the help; empty for a group.
    """

    place: str
    example: str = ""

    def load(self) -> Any:
        """The function, or the group; of a command that is not installed a function that says so."""
        module, _, name = self.place.partition(":")
        if not name:
            return entry_point(_GROUP, module) or not_installed
        return getattr(import_module(f"counterplay.commands.{module}"), name)


def not_installed(words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> NoReturn:  # noqa: ARG001
    """Reproduce tables and figures of papers. Needs another package: pip install 'counterplay[papers]'."""
    raise InputError(PAPERS)


COMMANDS: dict[str, ListedCommand] = {
    "games": ListedCommand("games:games", "counterplay games"),
    "solve": ListedCommand(
        "games:solve", "counterplay solve leduc --method dcfr --exploitability 0.001 -o equilibrium.json"
    ),
    "reproduce": ListedCommand("reproduce", "counterplay reproduce cdbr-table1 --quick"),
    "demo": ListedCommand("games:demo", "counterplay demo --plot frontier.png"),
    "examples": ListedCommand("games:examples", "counterplay examples my_examples"),
    "respond": ListedCommand(
        "respond:respond",
        "counterplay respond leduc --to cfr+:10 --max-exploitability 0.05 -o counter.json",
    ),
    "evaluate": ListedCommand("respond:evaluate", "counterplay evaluate leduc counter.json --against cfr+:10"),
    "frontier": ListedCommand(
        "frontier:frontier",
        "counterplay frontier leduc --to cfr+:10 --methods rnr,safe,mix -o frontier.csv --plot frontier.png",
    ),
    "export": ListedCommand("games:export", "counterplay export leduc --profile nash -o leduc.efg"),
    "misread": ListedCommand("frontier:misread", "counterplay misread leduc --models 'passive;aggressive;cfr+:10'"),
    "resolve": ListedCommand(
        "resolve:resolve", "counterplay resolve leduc --blueprint cfr:10 --at round --prior blueprint"
    ),
    "gadget": ListedCommand(
        "resolve:gadget", "counterplay gadget leduc --blueprint cfr:10 --gadget max-margin --subgame 2"
    ),
    "match": ListedCommand("playing:match", "counterplay match leduc nash cfr+:10 --hands 10000"),
    "play": ListedCommand("playing:play", "counterplay play leduc --against nash"),
    "review": ListedCommand(
        "playing:review",
        "counterplay review leduc session.jsonl --against nash --player you --worst 5",
    ),
    "hands": ListedCommand("hands:hands", "counterplay hands session.phhs --json"),
    "model": ListedCommand("model:model", "counterplay model leduc --hands match.jsonl --player bob -o villain.cps"),
    "villain": ListedCommand(
        "hands:villain",
        "counterplay villain session.phhs --player bob --game holdem:stack=100bb --to hunl.cpb",
    ),
    "acpc-dealer": ListedCommand(
        "protocols:acpc_dealer", "counterplay acpc-dealer holdem:stack=200bb,bets=fcpa --hands 1000 -o match.log"
    ),
    "acpc-client": ListedCommand(
        "protocols:acpc_client", "counterplay acpc-client holdem:stack=200bb,bets=fcpa hunl.cpb --at 127.0.0.1:16001"
    ),
    "slumbot": ListedCommand(
        "protocols:slumbot", "counterplay slumbot holdem:stack=200bb,bets=fcpa hunl.cpb --hands 200 --log slumbot.jsonl"
    ),
    "spot": ListedCommand(
        "spot:spot",
        "counterplay spot --board 'Qs Jh 2h 8d 3c' --oop 'QQ+,AK' --ip 'JJ+,KQ' --pot 200 --stack 900",
    ),
    "walk": ListedCommand("solved_spots:walk", "counterplay walk river.spot"),
    "compare": ListedCommand("solved_spots:compare", "counterplay compare mine.spot yours.spot"),
    "report": ListedCommand(
        "flop_report:report_flops",
        "counterplay report --file flop.toml --flops 23 --record flops.work -o flops.csv",
    ),
    "blueprint": ListedCommand(
        "blueprint:blueprint", "counterplay blueprint holdem:flop,buckets=200 --seconds 5 -o blueprint.cpb"
    ),
    "page": ListedCommand("page:page", "counterplay page river.spot"),
    "mcp": ListedCommand("page:mcp", "counterplay mcp --folder spots"),
    "learn": ListedCommand("learn:learn"),
    "warm": ListedCommand("warm:warm", "counterplay warm"),
}
"""By name, in the order of the help."""
