"""The commands that make and show blueprints of whole games of hold'em. Registered in `cli.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.blueprint_node import facts_of, nodes_of, show
from counterplay.commands.inputs import check_memory, exploitability_of
from counterplay.commands.options import RECORDS, Json, Memory, Record, Seed, Spec, Workers
from counterplay.commands.output import LongWork, note_interrupt, show_facts, show_json
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.poker.betting.stakes import MILLI, Amount, Stakes
from counterplay.work.processes import check_workers

if TYPE_CHECKING:
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, Watch
    from counterplay.poker.whole_game.blueprints.measure_work import MeasureWork
    from counterplay.poker.whole_game.holdem import HoldemGame
    from counterplay.poker.whole_game.measure import BlueprintMeasure
    from counterplay.poker.whole_game.rules import Holdem
    from counterplay.work.work_record import WorkRecord

_ENDINGS = (".cpb", ".fhp")
_METHODS = ("public", "external", "cfr", "cfr+", "dcfr")
_BUCKETS, _ITERATIONS = 200, 4000
_MINUTE = 60.0

Method = Annotated[
    str | None, typer.Option("--method", help="public or external sampling; over all boards cfr, cfr+, dcfr (public).")
]
Iterations = Annotated[
    int | None, typer.Option("--iterations", help="Stop after this many (4000, if nothing else stops it).")
]
Seconds = Annotated[float | None, typer.Option("--seconds", help="Stop after this many seconds.")]
Risk = Annotated[
    str | None,
    typer.Option("--exploitability", metavar="MBB", help="Stop at so many milli-big-blinds a hand, or at 0.01chips."),
]
Threads = Annotated[int | None, typer.Option("--threads", help="For methods over all boards (1).")]
File = Annotated[Path | None, typer.Option("--file", help="Show a blueprint that is made already (.cpb, .fhp).")]
Node = Annotated[
    list[str] | None, typer.Option("--node", metavar="PATH", help="Show this node: 'raise 4, call', 'c x x'.")
]
Saved = Annotated[Path | None, typer.Option("-o", "--output", help="Save the blueprint (.cpb).")]


def blueprint(
    game: Spec,
    method: Method = None,
    iterations: Iterations = None,
    seconds: Seconds = None,
    minutes: Annotated[float | None, typer.Option("--minutes", help="Stop after this many minutes.")] = None,
    exploitability: Risk = None,
    threads: Threads = None,
    file: File = None,
    node: Node = None,
    board: Annotated[
        str | None, typer.Option("--board", help="The cards of nodes after the flop is dealt: 'Qs Jh 2h'.")
    ] = None,
    output: Saved = None,
    workers: Workers = 1,
    record: Record = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Make a blueprint of a whole game of hold'em, or show one: exploitability in the game without buckets, and strategies
    as grids. Ctrl-C keeps the best so far."""
    from counterplay.poker.whole_game.game_text import is_whole_game, read_holdem

    if seconds is not None and minutes is not None:
        raise InputError("--seconds and --minutes say the same")
    if not is_whole_game(game):
        raise InputError(f"blueprints are made of whole games, such as holdem:flop,buckets=200, not of {quoted(game)}")
    rules = read_holdem(game)
    limits = {
        "method": method, "iterations": iterations, "threads": threads,
        "seconds": seconds if minutes is None else _MINUTE * minutes,
        "exploitability": exploitability_of(exploitability, MILLI),
    }  # fmt: skip
    asked = {name: value for name, value in limits.items() if value is not None}
    run_blueprint(Show(file, node, board, output, memory, as_json, workers, record), rules, asked, seed)


def fhp(
    method: Method = None,
    buckets: Annotated[int | None, typer.Option("--buckets", help="Of similar hands on the flop (200).")] = None,
    lossless: Annotated[bool, typer.Option("--lossless", help="No buckets: solve the game itself.")] = False,
    iterations: Iterations = None,
    seconds: Seconds = None,
    exploitability: Risk = None,
    raises: Annotated[int | None, typer.Option("--raises", help="Most bets and raises a street (3).")] = None,
    lowest: Annotated[str | None, typer.Option("--lowest", help="The deck's lowest rank: T for a toy (2).")] = None,
    threads: Threads = None,
    file: File = None,
    node: Node = None,
    flop: Annotated[str | None, typer.Option("--flop", help="The flop of nodes that are on it: 'Qs Jh 2h'.")] = None,
    output: Saved = None,
    workers: Workers = 1,
    record: Record = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Make a blueprint of Flop Hold'em, or show one: exploitability in the game without buckets, and strategies as grids.
    Ctrl-C keeps the best so far. The same as `blueprint holdem:flop,buckets=200`."""
    given = {
        "method": method, "buckets": buckets, "iterations": iterations, "seconds": seconds, "raises": raises,
        "exploitability": exploitability_of(exploitability, MILLI), "lowest": lowest, "threads": threads,
        "lossless": lossless or None,
    }  # fmt: skip
    asked = {name: value for name, value in given.items() if value is not None}
    rules = None if file is not None else _flop_holdem(asked)
    run_blueprint(Show(file, node, flop, output, memory, as_json, workers, record), rules, asked, seed)


def _flop_holdem(asked: dict[str, Any]) -> Holdem:
    """The game that the options name."""
    from counterplay.poker.betting.rules import flop_holdem
    from counterplay.poker.cards.deck import Deck
    from counterplay.poker.whole_game.game_text import MOST_RAISES
    from counterplay.poker.whole_game.rules import Holdem

    if "lossless" in asked and "buckets" in asked:
        raise InputError("--lossless means no --buckets")
    raises, count = asked.get("raises", 3), None if "lossless" in asked else asked.get("buckets", _BUCKETS)
    for name, number in (("raises", raises), ("buckets", count)):
        if number is not None and number < 1:
            raise InputError(f"--{name} must be at least 1, not {number}")
    if raises > MOST_RAISES:
        raise InputError(f"--raises is at most {MOST_RAISES}, not {raises}")
    deck = Deck.from_rank(asked.get("lowest", "2"))
    return Holdem(flop_holdem(raises), deck=deck, buckets=None if count is None else (count,))


@dataclass(frozen=True)
class Show:
    """What is made of a blueprint: the file it is in already, nodes that are shown and their board, where it is saved, GiB
    that may be taken, whether JSON is printed, and how it is measured: in how many processes, kept where."""

    file: Path | None
    nodes: list[str] | None
    board: str | None
    output: Path | None
    memory: float | None
    as_json: bool
    workers: int
    record: Path | None


def _measured(work: MeasureWork, record: WorkRecord, want: Show) -> BlueprintMeasure:
    """Value and exploitability, flop by flop.

    Raises:
        KeyboardInterrupt: Ctrl-C; the record has the flops so far.
    """
    from counterplay.work.processes import executor_of
    from counterplay.work.run_work import run_work

    found = run_work(work, record=record, executor=executor_of(want.workers), watch=LongWork("measured", want.as_json))
    if found.interrupted:
        raise KeyboardInterrupt
    return work.finish(found.results)


def run_blueprint(want: Show, rules: Holdem | None, asked: dict[str, Any], seed: int) -> None:
    """Make or read a blueprint, save it and show it.

    Args:
        rules: the game; None is that of the file.
        asked: options that were given, by name.
    """
    check_writable(want.output, *_ENDINGS)
    check_writable(want.record, *RECORDS)
    check_memory(want.memory)
    if want.file is not None and asked:
        raise InputError(f"{want.file} is made already: it takes --node and --flop, and no --{next(iter(asked))}")
    if want.board is not None and not want.nodes:
        raise InputError("--flop says on which flop a --node is shown, and there is none")
    check_workers(want.workers)
    if want.workers > 1 and want.file is None and want.output is None:
        raise InputError("--workers measure a blueprint that is in a file: give -o or --file")
    if want.record is not None and want.file is None:
        raise InputError("--record keeps how far a blueprint in a file is measured: give --file")
    from counterplay.poker.whole_game.blueprints.measure_work import MeasureWork
    from counterplay.work.work_record import WorkRecord

    if want.file is not None:
        from counterplay.poker.whole_game.blueprints.blueprint_file import load

        game, made = load(want.file, None if rules is None else rules.game)
        nodes = nodes_of(game.betting, game.deck, want.nodes, want.board)
    else:
        assert rules is not None
        question = _checked(rules, asked, want)
        nodes = question.nodes
        game, made = _made(question, want.memory, want.as_json, seed)
    work = MeasureWork(game, made.play, want.output or want.file)
    record = WorkRecord(want.record, work.identity())  # refused before anything is written
    if want.output:
        from counterplay.poker.whole_game.blueprints.blueprint_file import save

        save(want.output, game, made)
    found = _measured(work, record, want)
    stakes = Stakes(None, 1000.0 / found.milli)
    name = "flop hold'em" if game.last == 1 else "hold'em"
    facts = {
        "game": f"{name}, {len(game.deck.cards)} cards", "buckets": str(made.play.buckets),
        "method": made.method, "iterations": made.iterations, "value": found.value, "seed": made.seed,
        "exploitability": found.exploitability, "seconds": made.seconds, "interrupted": made.interrupted,
        **stakes.facts({"value": found.value, "exploitability": found.exploitability / found.milli}),
    }  # fmt: skip
    if want.as_json:
        show_json({**facts, "nodes": [facts_of(game, made, *one) for one in nodes]})
        return
    risk = stakes.others(found.exploitability / found.milli)
    told = {
        **facts, "value": f"{stakes.rate(found.value)} for the big blind",
        "exploitability": f"{found.exploitability:.5g} milli-big-blinds a hand, {risk[0]}, without buckets",
    }  # fmt: skip
    show_facts(told, ["game", "buckets", "method", "iterations", "value", "exploitability", "seconds"])
    for one in nodes:
        show(game, made, *one)
    note_interrupt(facts)


@dataclass(frozen=True)
class _Asked:
    """What is to be made: rules, method, threads, limits of `blueprint`, and nodes with boards."""

    rules: Holdem
    method: str
    threads: int
    limits: dict[str, Any]
    nodes: list[tuple[int, tuple[int, ...]]]


def _checked(rules: Holdem, asked: dict[str, Any], want: Show) -> _Asked:
    """Refuse what cannot be, before there is any work."""
    from counterplay.poker.public_tree.thread_pool import check_threads
    from counterplay.poker.whole_game.blueprints.blueprint import check_limits

    method, threads = asked.get("method", _METHODS[0]), asked.get("threads", 1)
    if method not in _METHODS:
        raise InputError(f"--method is {', '.join(_METHODS)}, not {quoted(method)}")
    if threads < 1:
        raise InputError(f"--threads must be at least 1, not {threads}")
    check_threads(threads, "--threads")
    limits: dict[str, Any] = {
        name: asked[name] for name in ("iterations", "seconds", "exploitability") if name in asked
    }
    limits = limits or {"iterations": _ITERATIONS}
    if "exploitability" in limits:
        limits["exploitability"] = _milli(limits["exploitability"], rules.stakes)
    check_limits(limits.get("iterations"), limits.get("seconds", float("inf")), limits.get("exploitability", 0.0))
    return _Asked(rules, method, threads, limits, nodes_of(rules.betting, rules.deck, want.nodes, want.board))


def _milli(amount: Amount, stakes: Stakes) -> float:
    """Milli-big-blinds."""
    chips = amount.chips(stakes, "--exploitability")
    return amount.number if amount.unit == MILLI else 1000.0 * chips / (stakes.big_blind or 1.0)


def _made(asked: _Asked, memory: float | None, quiet: bool, seed: int) -> tuple[HoldemGame, Blueprint]:
    """Say how large it is, and solve."""
    from counterplay.poker.whole_game.abstraction.make_buckets import make_buckets
    from counterplay.poker.whole_game.blueprints.blueprint import blueprint as solve
    from counterplay.poker.whole_game.blueprints.size_estimate import size_of

    game, bytes_ = asked.rules.game, None if memory is None else memory * 2**30
    size = size_of(game, asked.rules.buckets, asked.method)
    if not quiet:
        print(size, flush=True)
    size.check(bytes_)
    with _bar(quiet) as watch:
        lanes = make_buckets(game.boards, asked.rules.buckets)
        made = solve(
            game,
            lanes,
            method=asked.method,
            seed=seed,
            threads=asked.threads,
            memory=bytes_,
            watch=watch,
            **asked.limits,
        )
    return game, made


@contextmanager
def _bar(quiet: bool) -> Iterator[Watch | None]:
    """A line on stderr that counts iterations, only where a person watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("making buckets", total=None)
        last = ""

        def watch(iterations: int, found: float) -> None:
            nonlocal last
            last = f", exploitability {found:.3g} milli-big-blinds" if found == found else last
            bar.update(task, description=f"{iterations:,} iterations{last}")

        yield watch
