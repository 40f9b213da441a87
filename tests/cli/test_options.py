"""Options: what the help of a command lists is taken in some call."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from counterplay.commands.parsing.program import program
from tests.support.commands import Runner
from tests.support.documents import check_document
from tests.support.pages import ROOT

_WHOLE = "holdem:deck=12,stack=2bb,bets=a,last=flop,buckets=2"
_TURN = _WHOLE.replace("flop", "turn")
_BOARD = "--board 'Qs Jh 2h 8d 3c' --oop QQ --ip JJ,AQs --pot 10 --stack 5 --bets a --raises 1"
_HANDS = "kuhn-hands.jsonl"
CALLS = (
    "hands --empty-store",
    "games --json",
    "solve kuhn --solver cfr+ --precision single --exploitability 0.5 --iterations 9 --seconds 9 --memory 1 --seed 1 "
    "--json -o new.cps",
    "examples new --json",
    "respond kuhn --to uniform --seat 1 --method cdrnr --p 0.5 --depth 1 --gadget resolving --solve per-state "
    "--prior uniform --epsilon 0.01 --normalised --leaf cfr:2 --solver cfr+ --iterations 3 --seconds 9 --memory 1 "
    "--seed 1 --json -o new.json",
    "respond kuhn --to uniform --max-exploitability 0.1 --solver lp",
    "respond ses_matrix --to uniform --seat 1 --method ses --alpha 0.5 --depth 1",
    "respond kuhn --to uniform --method rnr --p 0.5 --precision single --solver cfr+ --iterations 3",
    f"respond kuhn --to hands:{_HANDS},player=cfr:5 --method br --posterior 2",
    f"evaluate kuhn uniform --against nash --seat 0 --hands {_HANDS} --player uniform --prior uniform --memory 1 --seed 1 "
    "--json",
    f"evaluate kuhn hands:{_HANDS},player=uniform --coverage",
    "frontier kuhn --to uniform --methods cdrnr --seat 1 --points 2 --depth 1 --gadget resolving --solve per-state "
    "--prior uniform --epsilon 0.01 --normalised --leaf cfr:2 --solver cfr+ --memory 1 --seed 1 --json -o new.csv",
    "frontier kuhn --to uniform --methods rnr --points 2 --precision single --solver cfr+ --workers 1 --record new.work",
    "frontier kuhn --to 'uniform;nash' --methods br --within 0.1",
    "export kuhn --profile uniform --memory 1 --seed 1 --json -o new.efg",
    "misread kuhn --models 'uniform;nash' --methods 'br;rnr:p=0.5' --seat 1 --memory 1 --seed 1 --json",
    "resolve kuhn --blueprint uniform --at moves:1 --to random:1 --public declared --seat 1 --gadget max-margin "
    "--prior uniform --epsilon 0.01 --alpha 0.5 --error 0.1 --normalised --values profile --continuation --bounds "
    "--solver cfr+ --iterations 3 --exploitability 0.5 --seconds 9 --memory 1 --seed 1 --json -o new.json",
    "resolve kuhn --blueprint uniform --at moves:1 --interval --solver lp --workers 1",
    "resolve kuhn --blueprint uniform --at moves:1 --only 0pb --solver lp",
    "gadget kuhn --blueprint uniform --at moves:1 --gadget max-margin --subgame 1 --seat 1 --solver lp --json --seed 1",
    "gadget kuhn --blueprint uniform --at moves:1 --only 0pb",
    "match kuhn uniform nash --hands 20 --reveal all --anytime --blocks --aivat --memory 1 --seed 1 --json",
    "match kuhn uniform nash --hands 2 --seat 1 --log new.jsonl",
    "play kuhn --against uniform --seat 1 --hands 1 --review --log new.jsonl --memory 1 --seed 1",
    f"review kuhn {_HANDS} --against cfr:5 --player uniform --worst 1 --aivat --memory 1 --seed 1 --json",
    f"hands {_HANDS} --format match --json",
    "hands heads_up.phhs --game holdem:stack=100bb --format phh -o new.phhs",
    f"model kuhn --hands {_HANDS} --player uniform --seat 0 --prior uniform --weight 5 --by em --reveal showdown "
    "--coverage --memory 1 --seed 1 --json -o new.cps",
    "villain heads_up.phhs --player everyone --format phh --show VPIP --seed 1",
    "villain heads_up.phhs --player everyone --json -o new.csv",
    f"spot {_BOARD} --rake 0.05 --rake-cap 1 --bb 1 --node x --values --solver cfr+ --exploitability 50 "
    "--iterations 9 --seconds 9 --precision double --memory 1 --seed 1 --json -o new.spot",
    "spot --file river.spot --node x --ranges gto+ --csv new.csv",
    "spot --file river.spot --lock leak.txt --p 0.5 --elsewhere solved --grid",
    "spot --file river.spot --lock leak.txt --max-exploitability 1% --side-by-side",
    f"spot {_BOARD} --villain 'profile:fold to=40' --opponent ip",
    "walk river.spot",
    "compare river.spot river.spot --nodes 1 --json --seed 1",
)
"""Calls that end well; all are tiny."""
SLOW = (
    "reproduce rps --quick --workers 1 -o out --json",
    "report --oop AA --ip KK --pot 10 --stack 5 --bets a --raises 1 --rake 0.05 --rake-cap 1 --bb 1 --flops 'As 7h 2d' "
    "--node x --exploitability 50 --precision double --workers 1 --record new.work --memory 1 --seed 1 --json -o new.csv",
    "report --file flop.toml --flops 'As 7h 2d' --exploitability 50 --lock leak.txt --p 0.5 --elsewhere solved",
    "report --file flop.toml --flops 'As 7h 2d' --exploitability 50 --lock leak.txt --max-exploitability 5%",
    f"model {_WHOLE} --profile VPIP=60 --prior uniform",
    f"match {_WHOLE} uniform uniform --hands 2 --game-b {_WHOLE}",
    f"evaluate {_WHOLE} uniform --against uniform --boards 2 --workers 1 --record new.work",
    f"respond {_WHOLE} --to uniform --method rnr --p 0.5 --iterations 2 --keep",
    f"respond {_WHOLE} --to uniform --methods br,lbr --flops 2 --blueprint small.cpb --workers 1 --record new.work",
    f"respond {_WHOLE} --to uniform --flops 2 --method br --blueprint small.cpb --keep",
    f"frontier {_WHOLE} --to uniform --methods rnr --points 2 --flops 2 --blueprint small.cpb --plot new.png",
    f"blueprint {_TURN} --method public --iterations 2 --seconds 9 --exploitability 1000000 --threads 1 "
    "--training new.train --memory 1 --seed 1 --json -o new.cpb",
    f"blueprint {_WHOLE} --method cfr-br --minutes 1 --split 2 --sum-every 2 --workers 1 --iterations 2 -o new.cpb",
    "learn value kuhn --depth 1 --samples 2 --asked 2 --rounds 1 --responses --solver cfr:2 --width 2 --layers 1 --epochs 1 "
    "--half --workers 1 --record new.work --memory 1 --seed 1 --json -o new.cpn",
    "learn policy kuhn --teacher uniform --steps 1 --width 2 --layers 1 --record new.work --memory 1 --seed 1 --json "
    "-o new.cpn",
    "learn response kuhn --to uniform --seat 1 --rounds 1 --width 2 --layers 1 --record new.work --memory 1 --seed 1 "
    "--json -o new.cpn",
    "learn river --bets a --raises 1 --deck T --rivers 2 --asked 2 --solver cfr:2 --knots 2 --width 2 --layers 1 --epochs 1 "
    "--workers 1 --record new.work --seed 1 --json -o new.cpn",
    f"blueprint {_WHOLE} --file small.cpb --node 'call, check' --board 'As Kh Ac' --record new.work --workers 1",
    "blueprint holdem:flop,raises=1,lowest=Q,buckets=2 --method cfr-br --iterations 2 --seconds 9 --threads 1 --split 2 "
    "--sum-every 2 --workers 1 --training new.train --memory 1 --seed 1 --json -o new.cpb",
    "blueprint holdem:flop,raises=1,lowest=Q,buckets=lossless --minutes 1 --exploitability 1000000",
    f"resolve {_WHOLE} --blueprint uniform --at flop --to uniform --boards 2 --p 0.5 --record new.work",
    f"resolve {_TURN} --blueprint uniform --at flop --to uniform --boards 2 --leaf 'portfolio:uniform;passive'",
    "frontier kuhn --to uniform --methods br --points 2 --plot new.png",
    "demo --plot new.png --json --seed 1",
    "warm --json",
    "doctor --json",
    "cache --empty samples --json",
    "learn value kuhn --depth 1 --public --largest 100 --samples 2 --epochs 1 -o new.cpn",
    "villain heads_up.phhs --player everyone --game holdem:stack=100bb,bets=fcpa --to uniform --boards 1",
    "villain heads_up.phhs --player everyone --spot river.spot --seat ip",
)
"""The same, for what takes longer."""
TALKING = ("acpc-dealer", "acpc-client", "slumbot", "page", "mcp")
"""Commands that wait for another program: `test_protocol_commands.py` and the tests of the page run them."""
EVERYTHING = {"reproduce": {"--all", "--rows"}, "model": {"--trust"}}
"""Options for hours of work, and for hands of whole hold'em."""


def _commands() -> Iterator[tuple[str, Any]]:
    """Every command with its name, also those of a group."""
    root: Any = typer.main.get_command(program())
    groups = [("", root)]
    for prefix, group in groups:
        for name, one in group.commands.items():
            if hasattr(one, "commands"):
                groups.append((f"{prefix}{name} ", one))
            else:
                yield prefix + name, one


def _called(name: str) -> set[str]:
    """The options with which a command is called."""
    calls = [shlex.split(call) for call in (*CALLS, *SLOW)]
    return {word for words in calls if words[: len(name.split())] == name.split() for word in words}


@pytest.mark.parametrize(("name", "command"), [one for one in _commands() if one[0] not in TALKING])
def test_every_option_of_the_help_is_in_a_call_that_ends_well(name: str, command: Any) -> None:
    offered = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    rest = _called(name) | EVERYTHING.get(name, set()) | {"--help"}
    assert [one.opts for one in offered if rest.isdisjoint(one.opts)] == []


@pytest.mark.parametrize("call", [*CALLS, *(pytest.param(call, marks=pytest.mark.slow) for call in SLOW)])
def test_calls_end_well(call: str, run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    if call.startswith("learn"):
        pytest.importorskip("torch")
    here = Path.cwd()
    if call.startswith("cache"):
        monkeypatch.setenv("COUNTERPLAY_CACHE", str(here))  # never that of whoever runs the tests
    for file in (*(ROOT / "tests" / "files").iterdir(), *(ROOT / "examples" / "hands").iterdir()):
        shutil.copy(file, here)
    (here / "leak.txt").write_text("opponent ip\nfacing a bet: fold +10%\n")
    (here / "flop.toml").write_text("oop='KK'\nip='QQ'\npot=10\nstack=5\nbets='a'\nraises=1\n")
    if "small.cpb" in call:
        assert run("blueprint", _WHOLE, "--iterations", "2", "-o", "small.cpb").code == 0
    ended = run(*shlex.split(call), typed="q\n")
    assert ended.code == 0, ended.err
    if "--seed 1" in call and "--json" in call:
        assert '"seed": 1' in ended.out, "a seed is recorded in the result"
    if "--json" in call:
        check_document(json.loads(ended.out))


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *((name, "--seed") for name in ("games", "examples", "warm", "doctor", "cache", "reproduce")),
        ("learn river", "--memory"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(command: str, option: str, run: Runner) -> None:
    """Commands that draw nothing take no seed, and those that keep no game in memory no limit of it."""
    ended = run(*command.split(), option, "1")
    assert (ended.code, ended.out) == (2, "")
    assert f"no such option: {option}" in ended.err.lower()
    ended = run("learn", "value", "kuhn", "--depth", "1", "--public", "--memory", "1")
    assert "takes no --memory" in ended.err


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("villain heads_up.phhs --player everyone --boards 1", "--boards goes with --to"),
        ("evaluate kuhn uniform --prior nash", "--prior goes with --hands"),
        (f"spot {_BOARD} --rake-cap 1", "--rake-cap goes with --rake"),
        ("report --oop AA --ip KK --pot 10 --stack 5 --bets a --rake-cap 1", "--rake-cap goes with --rake"),
    ],
)
def test_an_option_without_the_one_that_it_goes_with_is_refused(call: str, said: str, run: Runner) -> None:
    shutil.copy(ROOT / "examples" / "hands" / "heads_up.phhs", Path.cwd())
    ended = run(*shlex.split(call))
    assert (ended.code, ended.err.strip()) == (2, f"counterplay: {said}")


def test_a_cap_goes_with_the_rake_that_an_option_takes_away(run: Runner) -> None:
    spot = "board='Qs Jh 2h 8d 3c'\noop='AA'\nip='KK'\npot=10\nstack=5\nbets='a'\nrake_cap=1\n"
    Path("capped.toml").write_text(spot + "rake=0.05\n")
    Path("idle.toml").write_text(spot)
    assert run("spot", "--file", "capped.toml", "--rake", "0").code == 0
    ended = run("spot", "--file", "idle.toml")
    said = "counterplay: idle.toml: the rake_cap of a spot does nothing without a rake"
    assert (ended.code, ended.err.strip()) == (2, said)
