"""The command line: parse, call the library, print. Every number comes from the functions that Python users call."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from counterplay.catalogue import SOLVERS
from counterplay.commands import blueprint, frontier, page, protocols, reproduce, resolve, respond, warm
from counterplay.commands.examples import examples
from counterplay.commands.exit import INTERRUPTED, foreign, heed_termination, leave
from counterplay.commands.files.export import export
from counterplay.commands.help_listing import WIDEST, ListingCommand, say_version
from counterplay.commands.histories import hands, villain
from counterplay.commands.learning.learn import learn
from counterplay.commands.misread import misread
from counterplay.commands.model import model
from counterplay.commands.options.inputs import (
    chips_of,
    endings_for,
    exploitability_of,
    load_game,
    progress_bar,
    solver_in,
    stop_of,
)
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import PICTURES, Json, Precision, ResultFlags, Seed, ShownFlags, Spec
from counterplay.commands.playing.match import match
from counterplay.commands.playing.play import play
from counterplay.commands.playing.review import review
from counterplay.commands.printing.output import show_json, show_rows
from counterplay.commands.spots import compare, flop_report, spot, walk
from counterplay.commands.usage_errors import Brief
from counterplay.commands.value_output import report
from counterplay.errors import InputError
from counterplay.files import check_writable

app = typer.Typer(
    cls=Brief,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
    help="Counter-strategies in two-player zero-sum games: win the most from a modelled opponent, safely.",
)


@app.callback()
def counterplay(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=say_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""


def main() -> NoReturn:
    """Run the command line; an input error becomes one sentence and exit code 2."""
    heed_termination()
    try:
        app()
    except (InputError, MemoryError) as error:
        _fail(str(error) or "there is not enough memory")
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _fail(str(InputError(f"the system reports {name}{error.strerror or error}")))
    except KeyboardInterrupt:
        _interrupted()
    except SystemExit as end:
        if place := foreign(end):
            _fail(f"the command was ended by sys.exit in {place}, where it must return or raise an error")
        if end.code == INTERRUPTED:
            _interrupted()
        leave(end.code if isinstance(end.code, int) else 0)
    leave(0)


def _interrupted() -> NoReturn:
    print("interrupted", file=sys.stderr, flush=True)
    leave(INTERRUPTED)


def _fail(message: str) -> NoReturn:
    from counterplay.jit.notice import say_last

    say_last()  # the error comes last
    print(f"counterplay: {message}", file=sys.stderr)
    leave(2)


@app.command(epilog="Example: counterplay games")
@takes_records
def games(*, shown: ShownFlags) -> None:
    """List the games that come with the library."""
    from counterplay.games import GAMES

    if shown.as_json:
        show_json([{"game": name, "example": entry.example, "about": entry.about} for name, entry in GAMES.items()])
        return
    width = 2 + max(len(entry.example) for entry in GAMES.values())
    show_rows((f"<{width}", "<1"), [(entry.example, entry.about) for entry in GAMES.values()])
    print("\nAlso: openspiel:NAME, path.efg (Gambit), module:Class (your own), spot.toml (a spot of hold'em);")
    print("and holdem:flop (Flop Hold'em), holdem:stack=200bb,bets=fcpa ..., which blueprint solves.")


@app.command(
    cls=ListingCommand,
    epilog="Example: counterplay solve leduc --method dcfr --exploitability 0.001 -o equilibrium.json",
)
@takes_records
def solve(
    *,
    game: Spec,
    method: Annotated[str, typer.Option("--method", help=f"{', '.join(SOLVERS)}.")] = "auto",
    precision: Precision = "double",
    exploitability: Annotated[
        str | None,
        typer.Option(metavar="CHIPS", help="Stop there: chips a hand, or 0.1% of a spot's pot (of the span)."),
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after this many iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    result: ResultFlags,
) -> None:
    """Compute an equilibrium. Ctrl-C keeps the best so far."""
    from counterplay.solvers.solve import solve as solve_game

    check_writable(result.output, *endings_for(game))
    method = solver_in(method, precision)
    fine = exploitability_of(exploitability)
    stop = stop_of(None if fine is None else fine.number, iterations, seconds)
    if method == "lp" and stop is not None:
        raise InputError("lp is exact and takes no --exploitability, --iterations or --seconds")
    tree = load_game(game, result.memory)
    stop = stop_of(chips_of(fine, tree), iterations, seconds)
    with progress_bar(stop, result.as_json, tree) as progress:
        found = solve_game(tree, method=method, stop=stop, progress=progress)
    names = ["game", "method", "iterations", "value", "nash_conv", "exploitability", "seconds"]
    report(tree, {**found.facts(), "seed": result.seed}, names, result, strategies=found.strategies)


app.command(epilog="Example: counterplay reproduce cdbr-table1 --quick")(reproduce.reproduce)


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


app.command(epilog="Example: counterplay examples my_examples")(examples)
app.command(
    cls=ListingCommand,
    epilog="Example: counterplay respond leduc --to cfr+:10 --max-exploitability 0.05 -o counter.json",
)(respond.respond)
app.command(cls=ListingCommand, epilog="Example: counterplay evaluate leduc counter.json --against cfr+:10")(
    respond.evaluate
)
app.command(
    cls=ListingCommand,
    epilog="Example: counterplay frontier leduc --to cfr+:10 --methods rnr,safe,mix -o frontier.csv --plot frontier.png",
)(frontier.frontier)
app.command(epilog="Example: counterplay export leduc --profile nash -o leduc.efg")(export)
app.command(epilog="Example: counterplay misread leduc --models 'passive;aggressive;cfr+:10'")(misread)
app.command(
    cls=ListingCommand, epilog="Example: counterplay resolve leduc --blueprint cfr:10 --at round --prior blueprint"
)(resolve.resolve)
app.command(epilog="Example: counterplay gadget leduc --blueprint cfr:10 --gadget max-margin --subgame 2")(
    resolve.gadget
)
app.command(cls=ListingCommand, epilog="Example: counterplay match leduc nash cfr+:10 --hands 10000")(match)
app.command(cls=ListingCommand, epilog="Example: counterplay play leduc --against nash")(play)
app.command(
    cls=ListingCommand, epilog="Example: counterplay review leduc session.jsonl --against nash --player you --worst 5"
)(review)
app.command(epilog="Example: counterplay hands session.phhs --json")(hands.hands)
app.command(epilog="Example: counterplay model leduc --hands match.jsonl --player bob -o villain.cps")(model)
app.command(epilog="Example: counterplay villain session.phhs --player bob --game holdem:stack=100bb --to hunl.cpb")(
    villain.villain
)
app.command(epilog="Example: counterplay acpc-dealer holdem:stack=200bb,bets=fcpa --hands 1000 -o match.log")(
    protocols.acpc_dealer
)
app.command(epilog="Example: counterplay acpc-client holdem:stack=200bb,bets=fcpa hunl.cpb --at 127.0.0.1:16001")(
    protocols.acpc_client
)
app.command(
    epilog="Example: counterplay slumbot holdem:stack=200bb,bets=fcpa hunl.cpb --hands 200 --log slumbot.jsonl"
)(protocols.slumbot)
app.command(
    epilog="Example: counterplay spot --board 'Qs Jh 2h 8d 3c' --oop 'QQ+,AK' --ip 'JJ+,KQ' --pot 200 --stack 900"
)(spot.spot)
app.command(epilog="Example: counterplay walk river.spot")(walk.walk)
app.command(epilog="Example: counterplay compare mine.spot yours.spot")(compare.compare)
app.command(
    "report", epilog="Example: counterplay report --file flop.toml --flops 23 --record flops.work -o flops.csv"
)(flop_report.report_flops)
app.command(epilog="Example: counterplay blueprint holdem:flop,buckets=200 --seconds 5 -o blueprint.cpb")(
    blueprint.blueprint
)
app.command(epilog="Example: counterplay fhp --buckets 200 --seconds 5 -o blueprint.fhp")(blueprint.fhp)
app.command(epilog="Example: counterplay page river.spot")(page.page)
app.command(epilog="Example: counterplay mcp --folder spots")(page.mcp)
app.add_typer(learn, name="learn")
app.command(epilog="Example: counterplay warm")(warm.warm)


if __name__ == "__main__":
    main()
