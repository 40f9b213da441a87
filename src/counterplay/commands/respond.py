"""The commands that answer a model, and that measure a strategy. Registered in `cli.py`."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.commands.inputs import (
    RespondSeat,
    Seat,
    check_opponents,
    check_solver,
    endings_for,
    load_game,
    opponent_of,
    progress_bar,
    risk_of,
    save_strategies,
    seat_in,
    stop_of,
)
from counterplay.commands.options import (
    Alpha,
    Depth,
    Epsilon,
    Gadget,
    Json,
    Memory,
    Output,
    Prior,
    Seed,
    Solve,
    Solver,
    Spec,
    To,
    Value,
)
from counterplay.commands.output import note_interrupt, show_facts, show_json, show_note
from counterplay.commands.value_output import with_units
from counterplay.files import check_writable

_SHOWN = [
    "game", "seat", "method", "p", "alpha", "p_from", "depth", "gadget", "prior", "value", "solve", "steps", "game_value",
    "value_against_model", "gain", "exploitability", "gain_percent", "exploitability_percent", "seconds",
]  # fmt: skip


def respond(
    game: Spec,
    to: To,
    seat: RespondSeat = Seat.FIRST,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="One of those below; by default safe, rnr or br: as --max-exploitability, --p or neither is given.",
        ),
    ] = None,
    p: Annotated[
        float | None,
        typer.Option("--p", help="Trust in the model, 0 to 1; weight in mix and cdbr-ne."),
    ] = None,
    max_exploitability: Annotated[
        str | None,
        typer.Option(
            "--max-exploitability",
            metavar="CHIPS",
            help="For safe, or instead of --p: chips a hand, or 1% of a spot's pot (of the span).",
        ),
    ] = None,
    depth: Depth = None,
    gadget: Gadget = None,
    value: Value = None,
    solve: Solve = None,
    alpha: Alpha = None,
    prior: Prior = None,
    epsilon: Epsilon = None,
    solver: Solver = "auto",
    seconds: Annotated[float | None, typer.Option(help="Stop each iterative solve after so many seconds.")] = None,
    output: Output = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Compute a counter-strategy to a model of the opponent: what it wins (gain) and what it risks (exploitability)."""
    from counterplay.responses.method_options import method_of
    from counterplay.responses.respond import respond as respond_to

    check_writable(output, *endings_for(game))
    check_solver(solver)
    most = risk_of(max_exploitability)
    far = {"gadget": gadget, "value": value, "alpha": alpha, "prior": prior, "epsilon": epsilon}
    record = method_of(method, p=p, max_exploitability=most, depth=depth, solve=solve, **far)
    check_opponents(game, to)
    tree = load_game(game, memory)
    stop = None if seconds is None else stop_of(getattr(tree, "fine", 1e-5 * tree.span), seconds=seconds)
    model = opponent_of(tree, to, 1 - int(seat), seed)
    with progress_bar(stop, as_json, tree) as progress:
        answer = respond_to(
            tree, model, record, solver=solver, stop=stop, progress=progress, seed=seed
        )  # fmt: skip
    if output:
        save_strategies(tree, [answer.strategy], output, model)
    if as_json:
        show_json(answer.facts())
        return
    facts = answer.facts()
    show_facts(*with_units({**facts, "game": f"{answer.game} against {to}"}, _SHOWN, tree), tree.span)
    show_note(facts)
    note_interrupt(facts)


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

    check_opponents(game, strategy, against)
    tree = load_game(game, memory)
    player = int(seat) if seat is not None else seat_in(strategy)
    mine = opponent_of(tree, strategy, player, seed)
    model = opponent_of(tree, against, 1 - player, seed) if against else None
    facts = measure(tree, mine, model).facts()
    if as_json:
        show_json({**facts, "seed": seed})
        return
    show_facts(*with_units(facts, list(facts), tree), tree.span)
    show_note(facts)
