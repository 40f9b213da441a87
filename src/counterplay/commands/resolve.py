"""The commands that re-solve a blueprint, and that show one gadget. Registered in `registry.py`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isfinite, isnan
from typing import Annotated, Any

import typer

from counterplay.commands.options.inputs import (
    check_opponents,
    chips_of,
    endings_for,
    exploitability_of,
    load_game,
    naming_solver,
    opponent_of,
    stop_of,
)
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import (
    STRATEGIES,
    Epsilon,
    Normalised,
    Record,
    ResultFlags,
    ShownFlags,
    Workers,
)
from counterplay.commands.options.work_options import check_work
from counterplay.commands.value_output import report
from counterplay.commands.whole_game_values import resolve_on_boards
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.progress_line import Update, progress_line

_LP, _USUAL = "lp", "cfr+"
_SOLVING, _MEASURING = "solving subgames", "measuring the result"


@dataclass(frozen=True)
class ResolveFlags:
    """The settings of re-solving, and further measurements: keywords of `resolve`."""

    gadget: Annotated[
        str | None, typer.Option("--gadget", help="unsafe, resolving, max-margin, reach-max-margin or full.")
    ] = None
    prior: Annotated[
        str, typer.Option("--prior", metavar="P", help="none, uniform, blueprint or a .json file of weights.")
    ] = "none"
    epsilon: Epsilon = None
    alpha: Annotated[float, typer.Option("--alpha", help="Exploitation level of SES, 0 to 1.")] = 0.0
    error: Annotated[
        float, typer.Option("--error", help="Add an error of this L1 distance to the estimated range.")
    ] = 0.0
    normalised: Normalised = None
    values: Annotated[
        str | None, typer.Option("--values", help="Alternative values: best-response, or profile (as SES has it).")
    ] = None
    only: Annotated[
        str | None, typer.Option("--only", metavar="INFOSET", help="Solve only the subgame of this own infoset.")
    ] = None
    continuation: Annotated[
        bool,
        typer.Option("--continuation", help="Also the optimal continuation: earlier decisions fixed, the rest free."),
    ] = False
    interval: Annotated[
        bool, typer.Option("--interval", help="Also the least and most exploitable equilibria of the gadget games.")
    ] = False
    record: Record = None
    workers: Workers = 1
    bounds: Annotated[bool, typer.Option("--bounds", help="Also the bounds of SES.")] = False


@dataclass(frozen=True)
class SolverFlags:
    """The solver of each subgame, and its stopping rule."""

    solver: Annotated[str | None, typer.Option("--solver", help="lp, cfr, cfr+ (default), dcfr, pcfr+ or pdcfr+.")] = (
        None
    )
    method: Annotated[str | None, typer.Option("--method", hidden=True)] = None
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability",
            metavar="CHIPS",
            help="Stop a minimiser here: chips (or 1%) in the gadget game, given that it is reached.",
        ),
    ] = None
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="Of a minimiser (5000, if nothing else stops it).")
    ] = None
    seconds: Annotated[float | None, typer.Option("--seconds", help="Stop each subgame after so many seconds.")] = None

    @property
    def name(self) -> str:
        """The solver; `--method` is its older name."""
        if self.solver is not None and self.method is not None and self.solver != self.method:
            raise InputError("--method is another name of --solver; give one of them")
        return self._given or _USUAL

    @property
    def asked(self) -> dict[str, Any]:
        """The keyword of `resolve`; without one it is the usual solver of what is solved."""
        return {} if self._given is None else {"solver": self.name}

    @property
    def _given(self) -> str | None:
        return self.solver or self.method

    def check(self) -> None:
        """Reject limits that the linear program does not use."""
        for limit in ("exploitability", "iterations", "seconds"):
            if self.name == _LP and getattr(self, limit) is not None:
                raise InputError(f"lp is exact and takes no --{limit}")


@dataclass(frozen=True)
class DrawnBoardFlags:
    """In whole games of hold'em: boards that are drawn, and the trust in the model there."""

    boards: Annotated[
        str | None,
        typer.Option(
            "--boards", help="In whole games of hold'em: what so many drawn boards solved again change, or all."
        ),
    ] = None
    p: Annotated[float, typer.Option("--p", help="With --boards: the opponent is the model with this probability.")] = (
        0.0
    )

    value: Annotated[
        str | None,
        typer.Option("--value", help="With --boards: solve their street alone, over portfolio:A;B or net:FILE."),
    ] = None

    @property
    def count(self) -> int | str:
        """A number of boards, or all.

        Raises:
            InputError: it is neither.
        """
        text = self.boards or ""
        if text != "all" and not (text.isdecimal() and len(text) < 8):
            raise InputError(f"--boards is a number or all, not {quoted(text)}")
        return text if text == "all" else int(text)

    def check_none(self) -> None:
        """Refuse what goes with boards only."""
        for name in ("p", "value"):
            if getattr(self, name):
                raise InputError(f"--{name} goes with --boards")


@takes_records
def resolve(
    *,
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="leduc, goofspiel:5, openspiel:leduc_poker, path.efg, ...")
    ],
    blueprint: Annotated[
        str, typer.Option("--blueprint", metavar="S", help="A strategy file, or any opponent's text.")
    ],
    at: Annotated[
        str,
        typer.Option(
            "--at",
            metavar="PLACE",
            help="moves:N, round, round:N or game; several nest. In whole games of hold'em flop, turn or river.",
        ),
    ],
    to: Annotated[
        str | None, typer.Option("--to", metavar="OPPONENT", help="A model: for --alpha, and to measure gains.")
    ] = None,
    public: Annotated[
        str, typer.Option("--public", help="Public states: computed, or declared by the game.")
    ] = "computed",
    seat: Annotated[int, typer.Option("--seat", min=0, max=1, help="The resolver's seat.")] = 0,
    drawn: DrawnBoardFlags,
    how: ResolveFlags,
    solver: SolverFlags,
    result: ResultFlags,
) -> None:
    """Solve the subgames of a blueprint again behind a gadget: exploitability before and after. Ctrl-C keeps the solved."""
    from counterplay.blueprints.whole_game.resolve import resolve as resolve_it

    check_writable(result.output, *endings_for(game))
    check_work(how)
    solver.check()
    declared, amount = _is_declared(public), exploitability_of(solver.exploitability)
    check_opponents(game, blueprint, to)
    tree = load_game(game, result.memory, result.output)
    stop = stop_of(chips_of(amount, tree), solver.iterations, solver.seconds)
    asked = {"seat": seat, "model": to, **solver.asked, "stop": stop, "seed": result.seed, **vars(how)}
    if drawn.boards is not None:
        on_boards = {**asked, "declared": declared, "p": drawn.p, "value": drawn.value}
        resolve_on_boards(tree, blueprint, (at, drawn.count), on_boards, result)
        return
    drawn.check_none()
    both = result.output is not None and result.output.suffix not in STRATEGIES
    beside = opponent_of(tree, to or blueprint, 1 - seat, result.seed) if both else None
    with progress_line(_SOLVING, result.as_json) as line, naming_solver():
        watch = partial(_show_progress, line) if line else None
        found = resolve_it(
            tree, blueprint, [word.strip() for word in at.split(",")], declared=declared, watch=watch, **asked
        )
    facts = {**found.facts(), "blueprint": blueprint}
    lines = _lines(facts)
    report(tree, facts, _names(lines), result, lines=lines, strategies=[found.strategy], model=beside)


@takes_records
def gadget(
    *,
    game: Annotated[str, typer.Argument(metavar="GAME", help="leduc, goofspiel:5, path.efg, river.toml, ...")],
    blueprint: Annotated[
        str, typer.Option("--blueprint", metavar="S", help="A strategy file, or any opponent's text.")
    ],
    at: Annotated[str, typer.Option("--at", metavar="PLACE", help="moves:N, round, round:N or game.")] = "round",
    kind: Annotated[
        str, typer.Option("--gadget", help="unsafe, resolving, max-margin, reach-max-margin or full.")
    ] = "resolving",
    number: Annotated[int, typer.Option("--subgame", min=1, help="Which of the subgames there, from 1.")] = 1,
    only: Annotated[
        str | None, typer.Option("--only", metavar="INFOSET", help="The subgame of this own infoset instead.")
    ] = None,
    seat: Annotated[int, typer.Option("--seat", min=0, max=1, help="The resolver's seat.")] = 0,
    solver: Annotated[str, typer.Option("--solver", help="lp, cfr+, ...")] = "cfr+",
    shown: ShownFlags,
) -> None:
    """Show the gadget of a subgame: the opponent's roots, the branches there with their payoffs, and how the solution uses
    them."""
    from counterplay.blueprints.gadget_drawing import draw_gadget
    from counterplay.commands.printing.gadgets import show_gadget
    from counterplay.commands.printing.output import show_json

    check_opponents(game, blueprint, None)
    with progress_line("solving the gadget game", shown.as_json), naming_solver():
        found = draw_gadget(
            load_game(game, None),
            blueprint,
            at,
            number,
            gadget=kind,
            only=only,
            seat=seat,
            solver=solver,
            seed=shown.seed,
        )
    if shown.as_json:
        show_json({**found.facts(), "seed": shown.seed})
    else:
        show_gadget(found)


def _show_progress(line: Update, done: int, subgames: int) -> None:
    """What is done now: after the last subgame the result is measured."""
    if done < subgames:
        line(f"{_SOLVING}: {done:,} of {subgames:,}", done, subgames)
    else:
        line(_MEASURING, done, None)


def _is_declared(public: str) -> bool:
    """Whether public states are those that the game declares."""
    if public not in ("computed", "declared"):
        raise InputError(f"--public is computed or declared, not {quoted(public)}")
    return public == "declared"


def _lines(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts of a result as lines: each measure of a group has a name of its own."""
    shown = dict(facts)
    for part in ("equilibria", "safety"):
        for name, number in (shown.pop(part) or {}).items():
            shown[f"{part} {name}"] = number if isfinite(number) else "no bound"
    shown["exploitability_before"], shown["exploitability_after"] = shown.pop("before"), shown.pop("after")
    shown["exploitability_mixing"] = shown.pop("mixing")
    return shown


def _names(shown: dict[str, Any]) -> list[str]:
    """The lines in their order; what was not asked for is left out."""
    set_ones = [
        name for name in ("epsilon", "alpha", "error") if shown[name] or (name == "epsilon" and shown[name] == 0.0)
    ]
    won = [f"{what}_{part}" for what in ("gain", "value") for part in ("before", "after", "mixing")]
    asked = ("continuation", *(name for name in won if name in shown), "exploitability_mixing")
    return [
        "game", "seat", "blueprint", "at", "gadget", "prior", *set_ones, "variant", "solver", "ties",
        "states", "skipped", "game_value", "exploitability_before", "exploitability_after", "bound",
        *(name for name in asked if shown[name] is not None),
        *(name for name in shown if name.startswith(("equilibria ", "safety "))),
        *([] if isnan(shown["gap"]) else ["gap"]), "seconds",
    ]  # fmt: skip
