"""The commands on games: list them, solve one, write one for other programs; and the examples and the demonstration."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import counterplay as cp
from counterplay.catalogue import SOLVERS
from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.printing import report, say, show_json, show_rows
from counterplay.errors import InputError
from counterplay.files import check_folder, check_writable, write_whole
from counterplay.option import Option
from counterplay.progress_line import progress_line
from counterplay.texts.grammar import parts

GAME, PROFILE = ".efg", ".ne"


@takes_records("games")
def games(*, shown: Annotated[shared.ShownFlags, Without("seed")]) -> None:
    """List the games that come with the library."""
    from counterplay.games import GAMES

    if shown.as_json:
        games = ({"game": name, "example": entry.example, "about": entry.about} for name, entry in GAMES.items())
        show_json({"games": list(games)})
        return
    show_rows(("<", "<1"), [(entry.example, entry.about) for entry in GAMES.values()])
    print("\nAlso: openspiel:NAME, path.efg (Gambit), module:Class (your own), spot.toml (a spot of hold'em);")
    print("and holdem:flop (Flop Hold'em), holdem:stack=200bb,bets=fcpa ..., which blueprint solves.")


@takes_records("solve leduc --solver dcfr --exploitability 0.001 -o equilibrium.json")
def solve(
    *,
    game: shared.Spec,
    solver: Annotated[str, f"{', '.join(SOLVERS)}."] = "auto",
    precision: shared.Precision = "double",
    exploitability: Annotated[
        str | None, Option("Stop there: chips a hand, or 0.1% of a spot's pot (of the span).", metavar="CHIPS")
    ] = None,
    iterations: Annotated[int | None, "Stop after this many iterations."] = None,
    seconds: Annotated[float | None, "Stop after this many seconds."] = None,
    result: shared.ResultFlags,
) -> None:
    """Compute an equilibrium. Ctrl-C keeps the best so far."""
    check_writable(result.output, *shared.endings_for(game))
    solver = shared.solver_in(solver, precision)
    fine = shared.exploitability_of(exploitability)
    stop = shared.stop_of(None if fine is None else fine.number, iterations, seconds)
    if solver == "lp" and stop is not None:
        raise InputError("lp is exact and takes no --exploitability, --iterations or --seconds")
    tree = shared.load_game(game, result.memory, result.output)
    stop = shared.stop_of(shared.chips_of(fine, tree), iterations, seconds)
    with shared.progress_bar(stop, result.as_json, tree) as progress, shared.naming_solver():
        solved = cp.solve(tree, solver=solver, stop=stop, progress=progress)
    names = ["game", "method", "iterations", "value", "nash_conv", "exploitability", "seconds"]
    report(tree, {**solved.facts, "seed": result.seed}, names, result, strategies=solved.strategies)


@takes_records("export leduc --profile nash -o leduc.efg")
def export(
    *,
    game: shared.Spec,
    output: Annotated[Path, Option("The game, for Gambit (.efg).", "-o", "--output", metavar="FILE")],
    profile: Annotated[
        str | None, Option("Strategies of both players, or one text for both; beside it (.ne).", metavar="A[;B]")
    ] = None,
    run: shared.RunFlags,
) -> None:
    """Write a game in memory as a Gambit file, and a profile beside it as Gambit writes equilibria."""
    from counterplay.games.formats.efg import write_efg, write_profile

    check_writable(output, GAME)
    beside = output.with_suffix(PROFILE)
    texts = [] if profile is None else parts(profile, ";")
    if not all(texts) or len(texts) > 2:
        raise InputError("--profile is one strategy for both players, or two: 'nash;cfr+:10'")
    if texts:
        check_writable(beside, PROFILE)
        shared.check_opponents(game, *texts)
    tree: Any = shared.load_game(game, run.memory)
    if not getattr(tree, "lists_histories", False):
        raise InputError(f"{tree.name} has no list of histories to write: {GAME} files are of games in memory")
    sides = [cp.opponent(tree, text, player, run.seed) for player, text in enumerate(texts * (3 - len(texts)))]
    with progress_line("writing", run.as_json):
        tables = [side.table() for side in sides]
        write_efg(tree.rules, output)
        if sides:
            write_profile(tree.rules, tables, beside)
    histories, files = len(tree.histories.player), [str(output), *([str(beside)] if sides else [])]
    facts = {"game": tree.name, "histories": histories, "profile": texts or None, "seed": run.seed, "files": files}
    lines = [f"{output}  {tree.name}: {histories:,} histories"]
    if sides:
        lines.append(f"{beside}  {' against '.join(dict.fromkeys(texts))}: NE and the probabilities of all actions")
    report(None, facts, [], run, below=[partial(say, lines)])


@takes_records("examples my_examples")
def examples(
    *,
    folder: Annotated[
        Path | None, Option("Copy them there; else list them.", metavar="[FOLDER]", positional=True)
    ] = None,
    shown: Annotated[shared.ShownFlags, Without("seed")],
) -> None:
    """List the examples that come with the library, or copy them: games, spots, leaks, hands, networks, scripts."""
    package = Path(__file__).resolve().parents[1]
    homes = (package / "examples", package.parents[1] / "examples")  # of an installed package, and of a checkout
    source = next((home for home in homes if (home / "leaks").is_dir()), None)
    if source is None:
        raise InputError("this installation has no examples")
    endings = (".py", ".toml", ".txt", ".cpn", ".phhs")
    files = sorted(path.relative_to(source) for path in source.rglob("*") if path.is_file() and path.suffix in endings)
    if folder is not None:
        there = next((path for path in files if (folder / path).exists()), None)
        if there is not None:
            raise InputError(f"{folder / there} exists already; nothing was copied")
        check_folder(folder)
        for path in files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / path, (source / path).read_bytes())
    names = [path.as_posix() for path in files]
    lines = [f"{'copied to' if folder else 'in'} {folder or source}:", *(f"  {name}" for name in names)]
    facts = {"folder": str(folder or source), "files": names}
    report(None, facts, [], shown, below=[lambda: print("\n".join(lines))])


@takes_records("demo --plot frontier.png")
def demo(
    *,
    plot: Annotated[Path | None, "Draw the frontier (.png, .svg, .pdf)."] = None,
    as_json: shared.Json = False,
    seed: shared.Seed = 7,
) -> None:
    """Respond to a flawed Leduc opponent with every method, and draw gain against exploitability."""
    from counterplay.figures import check_picture
    from counterplay.measure.demo import run_demo

    check_picture(plot)
    run_demo(seed, plot, as_json)
