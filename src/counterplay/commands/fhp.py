"""The command `fhp`: blueprints of Flop Hold'em, an alias of `blueprint holdem:flop`. Registered in `cli.py`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from counterplay.commands.blueprint import (
    File,
    Iterations,
    Method,
    Node,
    Risk,
    Saved,
    Seconds,
    Show,
    Threads,
    run_blueprint,
)
from counterplay.commands.inputs import exploitability_of
from counterplay.commands.options import Json, Memory, Seed
from counterplay.errors import InputError
from counterplay.poker.betting.stakes import MILLI

_BUCKETS = 200


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
    rules = None if file is not None else _rules(asked)
    run_blueprint(Show(file, node, flop, output, memory, as_json), rules, asked, seed)


def _rules(asked: dict[str, Any]) -> Any:
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
