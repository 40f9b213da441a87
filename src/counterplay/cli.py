"""The command line: parse, call the library, print. Every number comes from the functions that Python users call."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from counterplay import playing, refining, spots
from counterplay.errors import InputError
from counterplay.files import check_folder, check_writable
from counterplay.options import (
    PICTURES,
    STRATEGIES,
    Alpha,
    Depth,
    Epsilon,
    Gadget,
    Json,
    Memory,
    Prior,
    Seed,
    Solve,
    Solver,
    Spec,
    To,
    Value,
)
from counterplay.show import announce, note_interrupt, show_facts, show_json, show_points, show_results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from counterplay.experiments.contests import Asked, Contest
    from counterplay.solvers.cfr import Stop
    from counterplay.subgames.compile import GameTree
    from counterplay.treeplex.strategy import Strategy

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Counter-strategies in two-player zero-sum games: win the most from a modelled opponent, safely.",
)


class Seat(StrEnum):
    """A seat, as text of the command line."""

    FIRST = "0"
    SECOND = "1"


RespondSeat = Annotated[Seat, typer.Option("--seat", help="The responder's seat; the opponent has the other.")]


_INTERRUPTED = 130
"""Exit code after Ctrl-C with nothing to show."""


def main() -> NoReturn:
    """Run the command line; a mistake of the user's becomes one sentence and exit code 2."""
    try:
        app()
    except (InputError, MemoryError) as error:
        _fail(str(error) or "there is not enough memory", 2)
    except OSError as error:
        _fail(f"cannot write the output: {error.strerror}", 2)
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            print("interrupted", file=sys.stderr, flush=True)
            os._exit(_INTERRUPTED)  # at once: a linear program may still be running in its thread
        raise
    sys.exit(0)


def _fail(message: str, code: int) -> NoReturn:
    print(f"counterplay: {message}", file=sys.stderr)
    sys.exit(code)


@app.command(epilog="Example: counterplay games")
def games(as_json: Json = False, seed: Seed = 0) -> None:  # noqa: ARG001 - every command takes the same two
    """List the games that come with the library."""
    from counterplay.games import GAMES

    if as_json:
        show_json([{"game": name, "example": entry.example, "about": entry.about} for name, entry in GAMES.items()])
        return
    width = max(len(entry.example) for entry in GAMES.values())
    for entry in GAMES.values():
        print(f"{entry.example:{width}}  {entry.about}")
    print("\nAlso: openspiel:NAME, path.efg (Gambit), module:Class (your own).")


@app.command(epilog="Example: counterplay solve leduc --method dcfr --exploitability 0.001 -o equilibrium.json")
def solve(
    game: Spec,
    method: Annotated[str, typer.Option("--method", help="lp, cfr, cfr+, dcfr, pcfr+, pdcfr+ or auto.")] = "auto",
    exploitability: Annotated[float | None, typer.Option(help="Stop at this exploitability, in chips.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after this many iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save both strategies (.json or .cps).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Compute an equilibrium. Ctrl-C keeps the best so far."""
    from counterplay.solvers.solve import solve as solve_game
    from counterplay.treeplex.strategy_file import save

    check_writable(output, *STRATEGIES)
    _check_solver(method)
    stop = _stop(exploitability, iterations, seconds)
    if method == "lp" and stop is not None:
        raise InputError("lp is exact and takes no --exploitability, --iterations or --seconds")
    tree = _load(game, memory)
    with _progress(stop, as_json) as progress:
        result = solve_game(tree, method=method, stop=stop, progress=progress)
    if output:
        save(result.strategies, output)
    facts = {**result.facts(), "seed": seed}
    if as_json:
        show_json(facts)
        return
    show_facts(facts, ["game", "method", "iterations", "value", "nash_conv", "exploitability", "seconds"])
    note_interrupt(facts)


@app.command(epilog="Example: counterplay respond leduc --to cfr+:10 --max-exploitability 0.05 -o counter.json")
def respond(
    game: Spec,
    to: To,
    seat: RespondSeat = Seat.FIRST,
    method: Annotated[str | None, typer.Option("--method", help="br, rnr, dbr, bne, safe, mix, cdbr, ...")] = None,
    p: Annotated[
        float | None,
        typer.Option("--p", help="Trust in the model, 0 to 1; weight in mix and cdbr-ne."),
    ] = None,
    max_exploitability: Annotated[
        float | None, typer.Option("--max-exploitability", help="In chips (safe; or instead of --p).")
    ] = None,
    depth: Depth = None,
    gadget: Gadget = None,
    value: Value = None,
    solve: Solve = None,
    alpha: Alpha = None,
    prior: Prior = None,
    epsilon: Epsilon = None,
    solver: Solver = "auto",
    seconds: Annotated[float | None, typer.Option(help="Stop an iterative solve after this many seconds.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the strategy (.json or .cps).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Compute a counter-strategy to a model of the opponent: what it wins (gain) and what it risks (exploitability)."""
    from counterplay.responses.methods import checked
    from counterplay.responses.respond import respond as respond_to

    check_writable(output, *STRATEGIES)
    _check_solver(solver)
    far = {"gadget": gadget, "value": value, "alpha": alpha, "prior": prior, "epsilon": epsilon}
    method = checked(method, p, max_exploitability, depth, ways=solve, **far).method  # type: ignore[arg-type]
    tree = _load(game, memory)
    stop = _stop(1e-5 * tree.span, None, seconds) if seconds is not None else None
    model = _opponent(tree, to, 1 - int(seat), seed)
    with _progress(stop, as_json) as progress:
        answer = respond_to(
            tree, model, method=method, p=p, max_exploitability=max_exploitability, depth=depth, solve=solve,
            solver=solver, stop=stop, progress=progress, seed=seed, **far,  # type: ignore[arg-type]
        )  # fmt: skip
    if output:
        answer.strategy.save(output)
    if as_json:
        show_json(answer.facts())
        return
    names = [
        "game",
        "seat",
        "method",
        "p",
        "alpha",
        "p_from",
        "depth",
        "gadget",
        "prior",
        "value",
        "solve",
        "game_value",
        "value_against_model",
        "gain",
        "exploitability",
        "seconds",
    ]
    show_facts({**answer.facts(), "game": f"{answer.game} against {to}"}, names)
    note_interrupt(answer.facts())


@app.command(epilog="Example: counterplay evaluate leduc counter.json --against cfr+:10")
def evaluate(
    game: Spec,
    strategy: Annotated[str, typer.Argument(help="A strategy file, or any text that --to takes.")],
    against: Annotated[
        str | None, typer.Option("--against", metavar="OPPONENT", help="A model of the other seat.")
    ] = None,
    seat: Annotated[
        Seat | None, typer.Option("--seat", help="The strategy's seat; by default that of its file.")
    ] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Measure a strategy exactly: exploitability, and value and gain against a model."""
    from counterplay.measure.evaluate import evaluate as measure
    from counterplay.treeplex.strategy_file import seats_in

    tree = _load(game, memory)
    is_file = strategy.endswith((".json", ".cps"))
    player = int(seat) if seat is not None else (seats_in(Path(strategy))[0] if is_file else 0)
    mine = _opponent(tree, strategy, player, seed)
    model = _opponent(tree, against, 1 - player, seed) if against else None
    facts = measure(tree, mine, model).facts()
    if as_json:
        show_json({**facts, "seed": seed})
        return
    show_facts(facts, list(facts))


@app.command(
    epilog="Example: counterplay frontier leduc --to cfr+:10 --methods rnr,safe,mix -o frontier.csv --plot frontier.png"
)
def frontier(
    game: Annotated[list[str], typer.Argument(metavar="GAME...", help="One game, or several to compare methods in.")],
    to: Annotated[
        list[str],
        typer.Option("--to", metavar="OPPONENT", help="As elsewhere; several times, or A;B. leduc=s1 is for one game."),
    ],
    methods: Annotated[str, typer.Option("--methods", help="Methods, separated by commas.")] = "rnr,safe,mix,bne,br",
    seat: RespondSeat = Seat.FIRST,
    points: Annotated[int, typer.Option("--points", help="Points of each method's dial.")] = 11,
    within: Annotated[
        str | None,
        typer.Option("--within", metavar="S,S", help="Table of the gain within these shares of the payoffs' span."),
    ] = None,
    depth: Depth = None,
    gadget: Gadget = None,
    value: Annotated[
        list[str] | None,
        typer.Option("--value", help="As elsewhere; several times: abd=portfolio:A;B is for one method or game."),
    ] = None,
    solve: Solve = None,
    prior: Prior = None,
    epsilon: Epsilon = None,
    solver: Solver = "auto",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the points as CSV.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw a picture (.png, .svg, .pdf).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Trace gain against exploitability for several methods. Ctrl-C keeps the points so far.

    With several games or opponents, or --within, also a table of what each method wins within limits of exploitability.
    """
    from counterplay.experiments.addressed import shares
    from counterplay.experiments.contests import Asked, contests
    from counterplay.measure.drawing import plotter

    check_writable(output)
    check_writable(plot, *PICTURES)
    if plot:
        plotter()  # refuses at once where nothing can be drawn
    _check_solver(solver)
    chosen = list(dict.fromkeys(word.strip() for word in methods.split(",") if word.strip()))
    ahead = {"depth": depth, "gadget": gadget, "ways": solve, "prior": prior, "epsilon": epsilon}
    far = {word: given for word, given in ahead.items() if given is not None}
    limits = {} if within is None else {"within": shares(within)}
    asked = Asked(
        game, to, chosen, points=points, seat=int(seat), seed=seed, far=far, values=value or [], solver=solver, **limits
    )
    among = contests(asked, lambda spec: _load(spec, memory))
    if len(among) > 1 or within is not None:
        _compare(asked, among, output, plot, as_json)
    else:
        _frontier(asked, among[0], output, plot, as_json)


def _frontier(asked: Asked, contest: Contest, output: Path | None, plot: Path | None, as_json: bool) -> None:
    """One game and opponent: the points themselves."""
    from counterplay.measure.frontier import frontier as trace
    from counterplay.measure.frontier import write_csv, write_plot

    name, to = contest.game.name, contest.source
    with _progress(None, as_json) as progress:
        found = trace(
            contest.game, contest.model, asked.methods, points=asked.points, solver=asked.solver, progress=progress,
            **contest.options,
        )  # fmt: skip
    if not found:
        raise KeyboardInterrupt
    if output:
        write_csv(found, output)
    if plot:
        write_plot(found, plot, f"{name}: seat {asked.seat} against {to}")
    if as_json:
        show_json({"game": name, "to": to, "seat": asked.seat, "seed": asked.seed, "points": [vars(x) for x in found]})
        return
    show_points(found)


def _compare(asked: Asked, among: Sequence[Contest], output: Path | None, plot: Path | None, as_json: bool) -> None:
    """Several of them: a table of what each method wins within limits."""
    from counterplay.experiments.comparison import compare, write_csv
    from counterplay.experiments.comparison_picture import draw
    from counterplay.experiments.comparison_table import facts, table

    with _progress(None, as_json) as progress:
        found = compare(asked, among, None if as_json else announce, progress)
    if output and found.traced:
        write_csv(found, output)
    if not found.games:
        raise KeyboardInterrupt
    if plot:
        draw(found, plot)
    if as_json:
        show_json(facts(found))
        return
    print(table(found))
    note_interrupt({"interrupted": found.interrupted})


NAMES = (
    "abd-figure5, abd-figure6, abd-table1, abd-table2, abd-table3, abd-tictactoe, cdbr-table1, cdbr-vs-lbr, cdrnr-leduc, "
    "cdrnr-steps, "
    "gadget-counterexamples, ggse-convergence, ggse-examples, ggse-exploitability, ggse-tests, rps, ses-fhp, "
    "ses-leduc, "
    "ses-matrix or ses-vs-rnr."
)
"""The reproductions, for the help; their modules are heavy to import."""


@app.command(epilog="Example: counterplay reproduce cdbr-table1 --quick")
def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help=NAMES)],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for CSV, PNG and record.")] = Path("out"),
    quick: Annotated[bool, typer.Option("--quick", help="Only a part of the numbers, in seconds.")] = False,
    as_json: Json = False,
    seed: Seed = 0,  # noqa: ARG001 - every command takes it; the seeds here are those of the experiment
) -> None:
    """Reproduce a table or figure of a paper, ours beside theirs. Interrupted, it goes on where it was."""
    from counterplay.experiments.reproduce import reproduce as reproduce_it
    from counterplay.experiments.reproduce import reproduction

    check_folder(output)
    experiment = reproduction(name)
    watch = None if as_json else announce
    results = reproduce_it(experiment, output, quick, watch)
    if as_json:
        show_json([vars(result) for result in results])
        return
    show_results(experiment, results)
    print(f"\nAlso in {output}: {name}.csv, {name}.png")


@app.command(epilog="Example: counterplay demo --plot frontier.png")
def demo(
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the frontier (.png, .svg, .pdf).")] = None,
    as_json: Json = False,
    seed: Seed = 7,
) -> None:
    """Respond to a flawed Leduc opponent with every method, and draw gain against exploitability."""
    from counterplay.measure.demo import run_demo

    check_writable(plot, *PICTURES)
    run_demo(seed, plot, as_json)


app.command(epilog="Example: counterplay resolve leduc --blueprint cfr:10 --at round --prior blueprint")(
    refining.resolve
)
app.command(epilog="Example: counterplay match leduc nash cfr+:10 --hands 10000")(playing.match)
app.command(epilog="Example: counterplay play leduc --against nash")(playing.play)
app.command(
    epilog="Example: counterplay spot --board 'Qs Jh 2h 8d 3c' --oop 'QQ+,AK' --ip 'JJ+,KQ' --pot 200 --stack 900"
)(spots.spot)


def _load(spec: str, memory: float | None) -> GameTree:
    from counterplay.subgames.load import load

    if memory is not None and not memory > 0.0:
        raise InputError(f"--memory must be above 0 GiB, not {memory:g}")
    return load(spec, memory=memory)


def _opponent(tree: GameTree, text: str, player: int, seed: int) -> Strategy:
    from counterplay.opponents.opponent import opponent

    return opponent(tree, text, player, seed)


def _stop(exploitability: float | None, iterations: int | None, seconds: float | None) -> Stop | None:
    """The stop that the options describe; None if none was given."""
    from counterplay.solvers.cfr import Stop

    for name, number in (("exploitability", exploitability), ("iterations", iterations), ("seconds", seconds)):
        if number is not None and not number >= 0:
            raise InputError(f"--{name} must not be negative, and is {number:g}")
    given = {"exploitability": exploitability, "iterations": iterations, "seconds": seconds}
    chosen: dict[str, Any] = {name: number for name, number in given.items() if number is not None}
    return Stop(**chosen) if chosen else None


def _check_solver(name: str) -> None:
    """Refuse, before a game is loaded, a solver that there is none of."""
    from counterplay.solvers.minimiser import minimiser

    if name not in ("auto", "lp"):
        minimiser(name)


def _progress(stop: Stop | None, quiet: bool) -> Any:
    from counterplay.measure.progress import Bar

    return Bar(stop, quiet)


if __name__ == "__main__":
    main()
