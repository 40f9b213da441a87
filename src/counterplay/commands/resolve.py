"""The command that re-solves a blueprint. Registered in `cli.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.inputs import (
    check_opponents,
    chips_of,
    endings_for,
    exploitability_of,
    load_game,
    opponent_of,
    save_strategies,
    stop_of,
)
from counterplay.commands.options import STRATEGIES, Json, Memory, Output, Seed
from counterplay.commands.output import note_interrupt, show_facts, show_json
from counterplay.commands.value_output import with_units
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable

if TYPE_CHECKING:
    from counterplay.blueprints.resolve_subtrees import Watch

_LP, _USUAL = "lp", "cfr+"


def resolve(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="leduc, goofspiel:5, openspiel:leduc_poker, path.efg, ...")
    ],
    blueprint: Annotated[
        str, typer.Option("--blueprint", metavar="S", help="A strategy file, or any opponent's text.")
    ],
    at: Annotated[str, typer.Option("--at", metavar="PLACE", help="moves:N, round, round:N or game; several nest.")],
    gadget: Annotated[
        str | None,
        typer.Option("--gadget", help="unsafe, resolving, max-margin, reach-max-margin or full."),
    ] = None,
    prior: Annotated[
        str, typer.Option("--prior", metavar="P", help="none, uniform, blueprint or a .json file of weights.")
    ] = "none",
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Tremble toward the prior (0.001; lp takes its limit 0).")
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="Exploitation level of SES, 0 to 1.")] = 0.0,
    to: Annotated[
        str | None, typer.Option("--to", metavar="OPPONENT", help="A model: for --alpha, and to measure gains.")
    ] = None,
    error: Annotated[float, typer.Option("--error", help="Make the estimated range wrong by this L1 distance.")] = 0.0,
    normalised: Annotated[
        bool | None, typer.Option("--normalised/--unnormalised", help="Count all infosets alike; as SES does.")
    ] = None,
    values: Annotated[
        str | None, typer.Option("--values", help="Alternative values: best-response, or profile (as SES has it).")
    ] = None,
    public: Annotated[
        str, typer.Option("--public", help="Public states: computed, or declared by the game.")
    ] = "computed",
    only: Annotated[
        str | None, typer.Option("--only", metavar="INFOSET", help="Solve only the subgame of this own infoset.")
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--solver", help="lp, cfr, cfr+ (default), dcfr, pcfr+ or pdcfr+.")
    ] = None,
    method: Annotated[str | None, typer.Option("--method", hidden=True)] = None,
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability",
            metavar="CHIPS",
            help="Stop a minimiser here: chips (or 1%) in the gadget game, given that it is reached.",
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="Of a minimiser (5000, if nothing else stops it).")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Stop each subgame after so many seconds.")] = None,
    continuation: Annotated[
        bool,
        typer.Option("--continuation", help="Also the optimal continuation: earlier decisions fixed, the rest free."),
    ] = False,
    interval: Annotated[
        bool, typer.Option("--interval", help="Also the least and most exploitable equilibria of the gadget games.")
    ] = False,
    bounds: Annotated[bool, typer.Option("--bounds", help="Also the bounds that SES promises.")] = False,
    seat: Annotated[int, typer.Option("--seat", min=0, max=1, help="The resolver's seat.")] = 0,
    output: Output = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Solve the subgames of a blueprint again behind a gadget: exploitability before and after. Ctrl-C keeps the solved."""
    from counterplay.blueprints.resolve import resolve as resolve_it

    check_writable(output, *endings_for(game))
    chosen = _chosen(solver, method)
    declared, amount = _is_declared(public), exploitability_of(exploitability)
    _check_stop(chosen, exploitability, iterations, seconds)
    check_opponents(game, blueprint, to)
    tree = load_game(game, memory)
    stop = stop_of(chips_of(amount, tree), iterations, seconds)
    beside = opponent_of(tree, to or blueprint, 1 - seat, seed) if output and output.suffix not in STRATEGIES else None
    with _bar(as_json) as watch:
        found = resolve_it(
            tree, blueprint, [word.strip() for word in at.split(",")], seat=seat, gadget=gadget, prior=prior,
            epsilon=epsilon, alpha=alpha, model=to, error=error, normalised=normalised, values=values,
            declared=declared, only=only, solver=chosen, stop=stop, continuation=continuation, interval=interval,
            bounds=bounds, seed=seed, watch=watch,
        )  # fmt: skip
    if output:
        save_strategies(tree, [found.strategy], output, beside)
    _show({**found.facts(), "blueprint": blueprint}, as_json, tree)


def _is_declared(public: str) -> bool:
    """Whether public states are those that the game declares."""
    if public not in ("computed", "declared"):
        raise InputError(f"--public is computed or declared, not {quoted(public)}")
    return public == "declared"


def _chosen(solver: str | None, method: str | None) -> str:
    """The solver; `--method` is its name of earlier days."""
    if solver is not None and method is not None and solver != method:
        raise InputError("--method is another name of --solver; give one of them")
    return solver or method or _USUAL


def _check_stop(solver: str, exploitability: str | None, iterations: int | None, seconds: float | None) -> None:
    """Refuse what the linear program has no use for."""
    given = {"exploitability": exploitability, "iterations": iterations, "seconds": seconds}
    for name, number in given.items():
        if solver == _LP and number is not None:
            raise InputError(f"lp is exact and takes no --{name}")


def _show(facts: dict[str, Any], as_json: bool, game: Any) -> None:
    """The answer as JSON or as lines."""
    if as_json:
        show_json(facts)
        return
    _show_lines(facts, game)
    note_interrupt(facts)


def _show_lines(facts: dict[str, Any], game: Any) -> None:
    """The lines of an answer; what was not asked for is left out."""
    shown = dict(facts)
    for part in ("equilibria", "safety"):
        for name, number in (shown.pop(part) or {}).items():
            shown[f"{part} {name}"] = number if isfinite(number) else "no bound"
    shown["exploitability_before"], shown["exploitability_after"] = shown.pop("before"), shown.pop("after")
    names = ["game", "seat", "blueprint", "at", "gadget", "prior"]
    names += [
        name for name in ("epsilon", "alpha", "error") if shown[name] or (name == "epsilon" and shown[name] == 0.0)
    ]
    names += [
        "solver",
        *(["ties"] if shown["ties"] else []),
        "states",
        "skipped",
        "game_value",
        "exploitability_before",
        "exploitability_after",
    ]
    shown["exploitability_mixing"] = shown.pop("mixing")
    asked = ("continuation", "gain_before", "gain_after", "gain_mixing", "exploitability_mixing")
    names += [name for name in asked if shown[name] is not None]
    names += [name for name in shown if name.startswith(("equilibria ", "safety "))]
    show_facts(*with_units(shown, [*names, "gap", "seconds"], game))


@contextmanager
def _bar(quiet: bool) -> Iterator[Watch | None]:
    """A progress bar on stderr, only where a person watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("solving subgames", total=None)
        yield lambda done, count: bar.update(task, completed=done, total=count)
