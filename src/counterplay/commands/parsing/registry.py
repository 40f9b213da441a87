"""Every command and where it stands, so that a run imports no more than it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class ListedCommand:
    """A command.

    Attributes:
        place: module inside `commands` and function, or a group of commands; its documentation is the help.
        example: a call, shown below the help; empty for a group.
    """

    place: str
    example: str = ""

    def load(self) -> Any:
        """The function, or the group."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(f"counterplay.commands.{module}"), name)


COMMANDS: dict[str, ListedCommand] = {
    "games": ListedCommand("games:games", "counterplay games"),
    "solve": ListedCommand(
        "solve:solve", "counterplay solve leduc --method dcfr --exploitability 0.001 -o equilibrium.json"
    ),
    "reproduce": ListedCommand("reproduce:reproduce", "counterplay reproduce cdbr-table1 --quick"),
    "demo": ListedCommand("demo:demo", "counterplay demo --plot frontier.png"),
    "examples": ListedCommand("examples:examples", "counterplay examples my_examples"),
    "respond": ListedCommand(
        "respond:respond",
        "counterplay respond leduc --to cfr+:10 --max-exploitability 0.05 -o counter.json",
    ),
    "evaluate": ListedCommand("respond:evaluate", "counterplay evaluate leduc counter.json --against cfr+:10"),
    "frontier": ListedCommand(
        "frontier:frontier",
        "counterplay frontier leduc --to cfr+:10 --methods rnr,safe,mix -o frontier.csv --plot frontier.png",
    ),
    "export": ListedCommand("files.export:export", "counterplay export leduc --profile nash -o leduc.efg"),
    "misread": ListedCommand("misread:misread", "counterplay misread leduc --models 'passive;aggressive;cfr+:10'"),
    "resolve": ListedCommand(
        "resolve:resolve", "counterplay resolve leduc --blueprint cfr:10 --at round --prior blueprint"
    ),
    "gadget": ListedCommand(
        "resolve:gadget", "counterplay gadget leduc --blueprint cfr:10 --gadget max-margin --subgame 2"
    ),
    "match": ListedCommand("playing.match:match", "counterplay match leduc nash cfr+:10 --hands 10000"),
    "play": ListedCommand("playing.play:play", "counterplay play leduc --against nash"),
    "review": ListedCommand(
        "playing.review:review",
        "counterplay review leduc session.jsonl --against nash --player you --worst 5",
    ),
    "hands": ListedCommand("histories.hands:hands", "counterplay hands session.phhs --json"),
    "model": ListedCommand("model:model", "counterplay model leduc --hands match.jsonl --player bob -o villain.cps"),
    "villain": ListedCommand(
        "histories.villain:villain",
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
        "spots.spot:spot",
        "counterplay spot --board 'Qs Jh 2h 8d 3c' --oop 'QQ+,AK' --ip 'JJ+,KQ' --pot 200 --stack 900",
    ),
    "walk": ListedCommand("spots.walk:walk", "counterplay walk river.spot"),
    "compare": ListedCommand("spots.compare:compare", "counterplay compare mine.spot yours.spot"),
    "report": ListedCommand(
        "spots.flop_report:report_flops",
        "counterplay report --file flop.toml --flops 23 --record flops.work -o flops.csv",
    ),
    "blueprint": ListedCommand(
        "blueprint:blueprint", "counterplay blueprint holdem:flop,buckets=200 --seconds 5 -o blueprint.cpb"
    ),
    "page": ListedCommand("page:page", "counterplay page river.spot"),
    "mcp": ListedCommand("page:mcp", "counterplay mcp --folder spots"),
    "learn": ListedCommand("learning.learn:learn"),
    "warm": ListedCommand("warm:warm", "counterplay warm"),
}
"""By name, in the order of the help."""
