"""The command that makes and shows blueprints of Flop Hold'em. Registered in `cli.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.fhp_node import facts_of, nodes_of, show
from counterplay.commands.inputs import check_memory, exploitability_of
from counterplay.commands.options import Json, Memory, Seed
from counterplay.commands.output import note_interrupt, show_facts, show_json
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.poker.betting.stakes import MILLI, Amount, Stakes

if TYPE_CHECKING:
    from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, Watch
    from counterplay.poker.whole_game.holdem import HoldemGame
    from counterplay.poker.whole_game.rules import Holdem

_ENDING = ".fhp"
_METHODS = ("public", "external", "cfr", "cfr+", "dcfr")
_BUCKETS, _ITERATIONS = 200, 4000


def fhp(
    method: Annotated[
        str | None,
        typer.Option("--method", help="public or external sampling; over all flops cfr, cfr+, dcfr (public)."),
    ] = None,
    buckets: Annotated[int | None, typer.Option("--buckets", help="Of similar hands on the flop (200).")] = None,
    lossless: Annotated[bool, typer.Option("--lossless", help="No buckets: solve the game itself.")] = False,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Stop after this many (4000, if nothing else stops it).")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Stop after this many seconds.")] = None,
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability", metavar="MBB", help="Stop at so many milli-big-blinds a hand, or at 0.01chips."
        ),
    ] = None,
    raises: Annotated[int | None, typer.Option("--raises", help="Most bets and raises a street (3).")] = None,
    lowest: Annotated[str | None, typer.Option("--lowest", help="The deck's lowest rank: T for a toy (2).")] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="For methods over all flops (1).")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="Show a blueprint that is made already (.fhp).")] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", metavar="PATH", help="Show this node: 'raise 4, call', 'c x x'.")
    ] = None,
    flop: Annotated[str | None, typer.Option("--flop", help="The flop of nodes that are on it: 'Qs Jh 2h'.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the blueprint (.fhp).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Make a blueprint of Flop Hold'em, or show one: exploitability in the game without buckets, and strategies as grids.
    Ctrl-C keeps the best so far."""
    check_writable(output, _ENDING)
    check_memory(memory)
    given = {
        "method": method, "buckets": buckets, "iterations": iterations, "seconds": seconds, "raises": raises,
        "exploitability": exploitability_of(exploitability, MILLI), "lowest": lowest, "threads": threads,
        "lossless": lossless or None,
    }  # fmt: skip
    asked = {name: value for name, value in given.items() if value is not None}
    if file is not None and asked:
        raise InputError(f"{file} is made already: it takes --node and --flop, and no --{next(iter(asked))}")
    if flop is not None and not node:
        raise InputError("--flop says on which flop a --node is shown, and there is none")
    from counterplay.poker.whole_game.measure import measure

    if file is not None:
        from counterplay.poker.whole_game.blueprints.blueprint_file import load

        game, made = load(file)
        nodes = nodes_of(game.betting, game.flops.deck, node, flop)
    else:
        question = _checked(asked, node, flop)
        nodes = question.nodes
        game, made = _made(question, memory, as_json, seed)
    if output:
        from counterplay.poker.whole_game.blueprints.blueprint_file import save

        save(output, game, made)
    found = measure(game, made.play)
    stakes = Stakes(None, 1000.0 / found.milli)
    facts = {
        "game": f"flop hold'em, {len(game.flops.deck.cards)} cards", "buckets": str(made.play.buckets),
        "method": made.method, "iterations": made.iterations, "value": found.value, "seed": made.seed,
        "exploitability": found.exploitability, "seconds": made.seconds, "interrupted": made.interrupted,
        **stakes.facts({"value": found.value, "exploitability": found.exploitability / found.milli}),
    }  # fmt: skip
    if as_json:
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
    """What is to be made: rules, method, buckets (None for none), threads, limits of `blueprint`, and nodes with boards."""

    rules: Holdem
    method: str
    buckets: int | None
    threads: int
    limits: dict[str, Any]
    nodes: list[tuple[int, tuple[int, ...]]]


def _checked(asked: dict[str, Any], node: list[str] | None, flop: str | None) -> _Asked:
    """Refuse what cannot be, before there is any work."""
    from counterplay.poker.betting.rules import flop_holdem
    from counterplay.poker.cards.deck import Deck
    from counterplay.poker.public_tree.thread_pool import check_threads
    from counterplay.poker.whole_game.blueprints.blueprint import check_limits
    from counterplay.poker.whole_game.rules import MOST_RAISES, Holdem

    method = asked.get("method", _METHODS[0])
    if method not in _METHODS:
        raise InputError(f"--method is {', '.join(_METHODS)}, not {quoted(method)}")
    if "lossless" in asked and "buckets" in asked:
        raise InputError("--lossless means no --buckets")
    raises, count = asked.get("raises", 3), None if "lossless" in asked else asked.get("buckets", _BUCKETS)
    threads = asked.get("threads", 1)
    for name, number in (("raises", raises), ("buckets", count), ("threads", threads)):
        if number is not None and number < 1:
            raise InputError(f"--{name} must be at least 1, not {number}")
    if raises > MOST_RAISES:
        raise InputError(f"--raises is at most {MOST_RAISES}, not {raises}")
    check_threads(threads, "--threads")
    rules = Holdem(flop_holdem(raises), deck=Deck.from_rank(asked.get("lowest", "2")))
    limits: dict[str, Any] = {
        name: asked[name] for name in ("iterations", "seconds", "exploitability") if name in asked
    }
    limits = limits or {"iterations": _ITERATIONS}
    if "exploitability" in limits:
        limits["exploitability"] = _milli(limits["exploitability"], rules.stakes)
    check_limits(limits.get("iterations"), limits.get("seconds", float("inf")), limits.get("exploitability", 0.0))
    return _Asked(rules, method, count, threads, limits, nodes_of(rules.betting, rules.deck, node, flop))


def _milli(amount: Amount, stakes: Stakes) -> float:
    """Milli-big-blinds."""
    chips = amount.chips(stakes, "--exploitability")
    return amount.number if amount.unit == MILLI else 1000.0 * chips / (stakes.big_blind or 1.0)


def _made(asked: _Asked, memory: float | None, quiet: bool, seed: int) -> tuple[HoldemGame, Blueprint]:
    """Say how large it is, and solve."""
    from counterplay.poker.whole_game.abstraction.buckets import cluster
    from counterplay.poker.whole_game.blueprints.blueprint import blueprint
    from counterplay.poker.whole_game.blueprints.size_estimate import size_of
    from counterplay.poker.whole_game.card_abstraction import lossless

    game, bytes_ = asked.rules.game, None if memory is None else memory * 2**30
    size = size_of(game, asked.buckets, asked.method)
    if not quiet:
        print(size, flush=True)
    size.check(bytes_)
    with _bar(quiet) as watch:
        shared = lossless(game.flops) if asked.buckets is None else cluster(game.flops, asked.buckets)
        made = blueprint(
            game, shared, method=asked.method, seed=seed, threads=asked.threads, memory=bytes_, watch=watch,
            **asked.limits,
        )  # fmt: skip
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
