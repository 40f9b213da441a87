"""The commands that re-solve a blueprint, and that show one gadget."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan
from typing import Annotated, Any

import counterplay as cp
from counterplay.blueprints.resolve_fields import ResolveFields
from counterplay.commands.on_flops import resolve_on_boards
from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.printing import report, show_gadget, show_json
from counterplay.errors import InputError, quoted
from counterplay.files import check_writable
from counterplay.option import Option
from counterplay.progress_line import progress_line

_LP, _USUAL = "lp", "cfr+"
_SOLVING, _MEASURING = "solving subgames", "measuring the result"
BlueprintText = Annotated[str, Option("A strategy file, or any opponent's text.", metavar="S")]
ResolverSeat = Annotated[int, Option("The resolver's seat.", least=0, most=1)]


@dataclass(frozen=True)
class SolverFlags:
    """The solver of each subgame, and its stopping rule."""

    solver: Annotated[str | None, "lp, cfr, cfr+ (default), dcfr, pcfr+ or pdcfr+."] = None
    exploitability: Annotated[
        str | None,
        Option("Stop a minimiser here: chips (or 1%) in the gadget game, given that it is reached.", metavar="CHIPS"),
    ] = None
    iterations: Annotated[int | None, Option("Of a minimiser (5000, if nothing else stops it).", least=1)] = None
    seconds: Annotated[float | None, "Stop each subgame after so many seconds."] = None

    def check(self) -> None:
        """Reject limits that the linear program does not use."""
        for limit in ("exploitability", "iterations", "seconds"):
            if (self.solver or _USUAL) == _LP and getattr(self, limit) is not None:
                raise InputError(f"lp is exact and takes no --{limit}")


@takes_records("resolve leduc --blueprint cfr:10 --at round --prior blueprint")
def resolve(
    *,
    game: Annotated[
        str, Option("leduc, goofspiel:5, openspiel:leduc_poker, path.efg, ...", metavar="GAME", positional=True)
    ],
    blueprint: BlueprintText,
    at: Annotated[
        str,
        Option(
            "moves:N, round, round:N or game; several nest. In whole games of hold'em flop, turn or river.",
            metavar="PLACE",
        ),
    ],
    to: Annotated[str | None, Option("A model: for --alpha, and to measure gains.", metavar="OPPONENT")] = None,
    public: Annotated[str, "Public states: computed, or declared by the game."] = "computed",
    seat: ResolverSeat = 0,
    boards: Annotated[
        str | None, "In whole games of hold'em: what so many drawn boards solved again change, or all."
    ] = None,
    p: Annotated[float, "With --boards: the opponent is the model with this probability."] = 0.0,
    leaf: Annotated[str | None, "With --boards: solve their street alone, over portfolio:A;B or net:FILE."] = None,
    how: ResolveFields,
    solver: SolverFlags,
    result: shared.ResultFlags,
) -> None:
    """Solve the subgames of a blueprint again behind a gadget: exploitability before and after. Ctrl-C keeps the solved."""
    check_writable(result.output, *shared.endings_for(game))
    shared.check_work(how)
    solver.check()
    if public not in ("computed", "declared"):
        raise InputError(f"--public is computed or declared, not {quoted(public)}")
    amount = shared.exploitability_of(solver.exploitability)
    shared.check_opponents(game, blueprint, to)
    tree = shared.load_game(game, result.memory, result.output)
    stop = shared.stop_of(shared.chips_of(amount, tree), solver.iterations, solver.seconds)
    settings = {
        "seat": seat, "model": to, "stop": stop, "seed": result.seed, **vars(how), "declared": public == "declared",
    }  # fmt: skip
    if solver.solver:
        settings["solver"] = solver.solver
    if boards is not None:
        place = (at, shared.count_of("boards", boards))
        resolve_on_boards(tree, blueprint, place, {**settings, "p": p, "leaf": leaf}, result)
        return
    if p or leaf:
        raise InputError(f"--{'p' if p else 'leaf'} goes with --boards")
    both = result.output is not None and result.output.suffix not in shared.STRATEGIES
    beside = cp.opponent(tree, to or blueprint, 1 - seat, result.seed) if both else None
    places = [word.strip() for word in at.split(",")]
    with progress_line(_SOLVING, result.as_json) as line, shared.naming_solver():

        def watch(done: int, subgames: int) -> None:
            if line and done < subgames:
                line(f"{_SOLVING}: {done:,} of {subgames:,}", done, subgames)
            elif line:
                line(_MEASURING, done, None)

        solved = cp.resolve(tree, blueprint, places, watch=watch if line else None, **settings)
    facts = {**solved.facts, "blueprint": blueprint}
    lines = dict(facts)  # each measure of a group has a name of its own
    for part in ("equilibria", "safety"):
        for name, number in (lines.pop(part) or {}).items():
            lines[f"{part} {name}"] = number if isfinite(number) else "no bound"
    for name in ("before", "after", "mixing"):
        lines[f"exploitability_{name}"] = lines.pop(name)
    report(tree, facts, _names(lines), result, lines=lines, strategies=[solved.strategy], model=beside)


@takes_records("gadget leduc --blueprint cfr:10 --gadget max-margin --subgame 2")
def gadget(
    *,
    game: Annotated[str, Option("leduc, goofspiel:5, path.efg, river.toml, ...", metavar="GAME", positional=True)],
    blueprint: BlueprintText,
    at: Annotated[str, Option("moves:N, round, round:N or game.", metavar="PLACE")] = "round",
    kind: Annotated[str, Option("unsafe, resolving, max-margin, reach-max-margin or full.", "--gadget")] = "resolving",
    number: Annotated[int, Option("Which of the subgames there, from 1.", "--subgame", least=1)] = 1,
    only: Annotated[str | None, Option("The subgame of this own infoset instead.", metavar="INFOSET")] = None,
    seat: ResolverSeat = 0,
    solver: Annotated[str, "lp, cfr+, ..."] = _USUAL,
    shown: shared.ShownFlags,
) -> None:
    """Show the gadget of a subgame: the opponent's roots, the branches there with their payoffs, and how the solution uses
    them."""
    from counterplay.blueprints.gadget_drawing import draw_gadget

    shared.check_opponents(game, blueprint, None)
    with progress_line("solving the gadget game", shown.as_json), shared.naming_solver():
        drawn = draw_gadget(
            shared.load_game(game, None), blueprint, at, number, gadget=kind, only=only, seat=seat, solver=solver,
            seed=shown.seed,
        )  # fmt: skip
    if shown.as_json:
        show_json({**drawn.facts, "seed": shown.seed})
    else:
        show_gadget(drawn)


def _names(shown: dict[str, Any]) -> list[str]:
    """The lines in their order, without those that were not requested."""
    tilts = [
        name for name in ("epsilon", "alpha", "error") if shown[name] or (name == "epsilon" and shown[name] == 0.0)
    ]
    won = [f"{what}_{part}" for what in ("gain", "value") for part in ("before", "after", "mixing")]
    further = ("continuation", *(name for name in won if name in shown), "exploitability_mixing")
    return [
        "game", "seat", "blueprint", "at", "gadget", "prior", *tilts, "variant", "solver", "ties",
        "states", "skipped", "game_value", "exploitability_before", "exploitability_after", "bound",
        *(name for name in further if shown[name] is not None),
        *(name for name in shown if name.startswith(("equilibria ", "safety "))),
        *([] if isnan(shown["gap"]) else ["gap"]), "seconds",
    ]  # fmt: skip
