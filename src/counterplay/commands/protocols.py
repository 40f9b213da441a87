"""The commands that play against other programs: an ACPC dealer and client, and Slumbot."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import RunFlags, ShownFlags, Spec, check_agents, output_option
from counterplay.commands.printing import number, report
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.option import Option
from counterplay.progress_line import Update, progress_line
from counterplay.texts.readers import whole_of

if TYPE_CHECKING:
    from counterplay.agents.agent import Player
    from counterplay.poker.whole_game.rules import Holdem

AgentText = Annotated[str, Option("A blueprint (.cpb), or any agent of `match`.", metavar="AGENT", positional=True)]
_PASSWORD = "COUNTERPLAY_SLUMBOT_PASSWORD"
_SHORTEST, _LONGEST = 1e-3, 1e6
"""Seconds to wait for another program."""


@takes_records("acpc-dealer holdem:stack=200bb,bets=fcpa --hands 1000 -o match.log")
def acpc_dealer(
    *,
    game: Spec,
    hands: Annotated[int, Option("How many hands to deal.", least=1)] = 1000,
    ports: Annotated[str, Option("Ports of the two players; 0 is a free one.", metavar="N,N")] = "0,0",
    output: Annotated[Path | None, output_option("Log of all hands (.log).")] = None,
    mirrored: Annotated[bool, Option("Play each deal in both seats.", "--mirrored/--single")] = True,
    timeout: Annotated[float, "Seconds for a decision."] = 60.0,
    shown: ShownFlags,
) -> None:
    """Deal a match to two programs on this machine that speak the protocol of the Annual Computer Poker Competition."""
    from counterplay.protocols.acpc import Dealer, DealerMatch

    check_writable(output, ".log")
    _check_seconds("--timeout", timeout, _SHORTEST)
    rules = _holdem(game)
    numbers = [port for word in ports.split(",") if (port := whole_of(word)) is not None and port < 65_536]
    if len(numbers) != 2 or ports.count(",") != 1:
        raise InputError(f"--ports must be two numbers from 0 to 65535, as in 16001,16002, not {quoted(ports)}")
    dealer = Dealer((numbers[0], numbers[1]))
    try:
        print(f"waiting for two players on ports {dealer.ports[0]} and {dealer.ports[1]}", file=sys.stderr, flush=True)
        match = DealerMatch(rules.limits, rules.deck, hands, shown.seed, mirrored, timeout)
        with ExitStack() as stack:
            log = None if output is None else stack.enter_context(_log(output))
            line = stack.enter_context(progress_line("waiting", shown.as_json))
            found = dealer.play(match, log, _watch(line, hands))
    finally:
        dealer.close()
    facts = {
        "game": game, "hands": len(found.won), "chips": [sum(found.won), -sum(found.won)],
        "replaced": found.replaced, "seed": shown.seed, "interrupted": found.interrupted, "failure": found.failure,
    }  # fmt: skip
    lines = {
        "chips of the first player": number(sum(found.won), "+.6g"),
        "illegal actions replaced": len(found.replaced),
    }
    report(None, facts, ["hands", *lines], shown, lines=lines)
    if found.failure:
        raise InputError(found.failure)


@contextmanager
def _log(path: Path) -> Iterator[TextIO]:
    """A file whose writer flushes every line and is told of a full disk, so that closing it has nothing to tell."""
    stream = path.open("w", encoding="ascii")
    try:
        yield stream
    finally:
        with suppress(OSError):
            stream.close()


@takes_records("acpc-client holdem:stack=200bb,bets=fcpa hunl.cpb --at 127.0.0.1:16001")
def acpc_client(
    *,
    game: Spec,
    agent: AgentText,
    at: Annotated[str, Option("Where the dealer listens.", metavar="HOST:PORT")],
    timeout: Annotated[float, "Seconds to wait for the dealer."] = 600.0,
    run: RunFlags,
) -> None:
    """Play an agent at a dealer with the Annual Computer Poker Competition's protocol. Bets may have any size."""
    from counterplay.protocols.acpc import connect_to, play_at_dealer

    _check_seconds("--timeout", timeout, _SHORTEST)
    rules, make = _players(game, agent, run)
    host, _, number_of_port = at.rpartition(":")  # 127.0.0.1:16001 or [::1]:16001
    port = whole_of(number_of_port) or 0
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not host or not 0 < port < 65_536:
        raise InputError(f"--at must be a host and a port, as in 127.0.0.1:16001, not {quoted(at)}")
    with connect_to(host, port, timeout) as dealer, progress_line("playing", run.as_json) as line:
        found = play_at_dealer(dealer, rules, make, seed=run.seed, watch=_watch(line, None))
    facts = {
        "game": game, "agent": agent, "hands": len(found.won), "chips": sum(found.won), "seed": run.seed,
        "interrupted": found.interrupted, "unfinished": found.unfinished, "failure": found.failure,
    }  # fmt: skip
    note = f"hand {found.unfinished} was not finished, and does not count"
    below = [] if found.unfinished is None else [lambda: print(note, file=sys.stderr)]
    report(None, facts, ["hands", "chips"], run, lines={"chips": number(sum(found.won), "+.6g")}, below=below)
    if found.failure:
        raise InputError(found.failure)


@takes_records("slumbot holdem:stack=200bb,bets=fcpa hunl.cpb --hands 200 --log slumbot.jsonl")
def slumbot(
    *,
    game: Spec,
    agent: AgentText,
    hands: Annotated[int, Option("Play until so many are in the log.", least=1)] = 100,
    log: Annotated[Path | None, "Keep each hand here (.jsonl), and resume from it."] = None,
    user: Annotated[str | None, f"Log in; the password is in {_PASSWORD}."] = None,
    pause: Annotated[float, "Seconds between two requests."] = 0.5,
    url: Annotated[str | None, "Another server with the same protocol."] = None,
    run: RunFlags,
) -> None:
    """Play an agent against Slumbot through its public interface, one request at a time."""
    from counterplay.protocols.slumbot import SLUMBOT_URL, SlumbotApi, check_rules, play_slumbot

    check_writable(log, ".jsonl")
    _check_seconds("--pause", pause, 0.0)
    check_rules(_holdem(game))
    rules, make = _players(game, agent, run)
    api = SlumbotApi(url or SLUMBOT_URL, pause)
    if user is not None:
        if not (password := os.environ.get(_PASSWORD)):
            raise InputError(f"--user needs the password in the environment variable {_PASSWORD}")
        api.log_in(user, password)
    with progress_line("playing", run.as_json) as line:
        watch = _watch(line, hands)
        found = play_slumbot(api, rules, make, hands, log=log, name=agent, seed=run.seed, watch=watch)
    spread = "" if found.error is None else f" ± {found.error:.4g}"
    facts = {"game": game, "agent": agent, **vars(found), "seed": run.seed}
    lines = {
        "mbb per hand": f"{number(found.mbb, '+.4g')}{spread}",
        "Slumbot with the same cards": number(found.baseline, "+.4g"),
    }
    report(None, facts, ["hands", *lines], run, lines=lines)
    if found.failure:
        raise InputError(found.failure)


def _holdem(game: str) -> Holdem:
    from counterplay.poker.whole_game.rules import is_whole_game, read_holdem

    if not is_whole_game(game):
        raise InputError(f"{quoted(game)} is not a whole game of hold'em, such as holdem:stack=200bb,bets=fcpa")
    return read_holdem(game)


def _players(game: str, agent: str, run: RunFlags) -> tuple[Holdem, Callable[[int], Player]]:
    """The game, and the constructor of an agent for a seat."""
    from counterplay.agents.factory.agent_factory import PlayableGame
    from counterplay.agents.factory.make_agent import agent as make_agent
    from counterplay.agents.factory.make_agent import check_text

    rules = _holdem(game)
    check_agents(game, agent)
    ground = PlayableGame(game, run.memory)
    check_text(ground, agent)
    return rules, lambda seat: make_agent(ground, agent, seat, run.seed)


def _check_seconds(option: str, seconds: float, least: float) -> None:
    if not least <= seconds <= _LONGEST:
        raise InputError(f"{option} must be from {least:g} to {_LONGEST:,.0f} seconds, not {seconds:g}")


def _watch(line: Update | None, hands: int | None) -> Callable[[int, float], None] | None:
    of = f" of {hands:,}" if hands else ""
    return None if line is None else lambda done, won: line(f"{done:,}{of} hands, {won:+,.0f} chips", done, hands)
