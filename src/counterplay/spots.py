"""The command that solves spots of hold'em. Registered in `cli.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.options import Json, Memory, Seed
from counterplay.show import note_interrupt, show_facts, show_json

if TYPE_CHECKING:
    from counterplay.poker.solved import Node, SolvedSpot
    from counterplay.poker.spot import Spot

_SOLVED = ".spot"
_PLAYERS = ("oop", "ip")


def spot(
    board: Annotated[str | None, typer.Option("--board", help="3, 4 or 5 cards: 'Qs Jh 2h 8d 3c'.")] = None,
    oop: Annotated[str | None, typer.Option("--oop", metavar="RANGE", help="Out of position: 'QQ+,AKs:0.5'.")] = None,
    ip: Annotated[str | None, typer.Option("--ip", metavar="RANGE", help="In position.")] = None,
    pot: Annotated[float | None, typer.Option("--pot", help="Chips in the middle.")] = None,
    stack: Annotated[
        str | None, typer.Option("--stack", metavar="CHIPS", help="Left in front of both, or OOP,IP.")
    ] = None,
    bets: Annotated[
        str | None,
        typer.Option("--bets", metavar="SIZES", help="'50%, a; river: 33%, 75%; raise: 2.5x' (50%, 100%, a)."),
    ] = None,
    raises: Annotated[int | None, typer.Option("--raises", help="Most bets and raises a street.")] = None,
    rake: Annotated[float | None, typer.Option("--rake", help="Share of the final pot for the house, 0 to 1.")] = None,
    rake_cap: Annotated[float | None, typer.Option("--rake-cap", help="Most chips of rake.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A TOML file with these, or a solved .spot file to look at.")
    ] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", metavar="PATH", help="Show this node: 'x b100 c Ah'; several times.")
    ] = None,
    method: Annotated[str | None, typer.Option("--method", help="cfr, cfr+, dcfr, pcfr+ or pdcfr+.")] = None,
    exploitability: Annotated[
        float | None, typer.Option("--exploitability", help="Stop at this, in per cent of the pot (0.5).")
    ] = None,
    iterations: Annotated[int | None, typer.Option("--iterations", help="Stop after this many iterations.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Stop after this many seconds.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the solution (.spot).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Solve a river, turn or flop spot of hold'em, and show its strategy. Ctrl-C keeps the best so far."""
    check_writable(output, _SOLVED)
    if memory is not None and not memory > 0.0:
        raise InputError(f"--memory must be above 0 GiB, not {memory:g}")
    given = {
        "board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack and _stack(stack), "bets": bets,
        "raises": raises, "rake": rake, "rake_cap": rake_cap,
    }  # fmt: skip
    table = {name: value for name, value in given.items() if value is not None}
    limits = {"exploitability": exploitability, "iterations": iterations, "seconds": seconds}
    limits = {name: value for name, value in limits.items() if value is not None}
    if file is not None and file.suffix == _SOLVED:
        if table or limits or method:
            raise InputError(f"{file} is solved already: it takes --node, and no other spot or limit")
        from counterplay.poker.spot_file import load

        solved = load(file)
    else:
        if limits.get("exploitability") == 0.0 and len(limits) == 1:
            raise InputError("at an exploitability of 0 a solve never ends: give --iterations or --seconds as well")
        solved = _solve(_spot(table, file), limits, method, memory, node, as_json)
    if output:
        solved.save(output)
    nodes = [solved.node(path) for path in node or [""]]
    if as_json:
        show_json(
            {**solved.facts, "seed": seed, "spot": solved.spot.table(), "nodes": [_facts(solved, one) for one in nodes]}
        )
        return
    part = f"{solved.facts['exploitability']:.4g} chips, {solved.facts['exploitability_percent']:.3g} % of the pot"
    show_facts({**solved.facts, "exploitability": part}, ["method", "iterations", "exploitability", "seconds"])
    for one in nodes:
        _show(solved, one)
    note_interrupt(solved.facts)


def _stack(text: str) -> float | list[float]:
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise InputError(f"--stack takes one number of chips or two, OOP,IP, not '{text}'")
    return numbers[0] if len(numbers) == 1 else numbers


def _spot(table: dict[str, Any], file: Path | None) -> Spot:
    """The spot of a file, with what the options say in its place, or of the options alone."""
    from counterplay.poker.spot import Spot

    if file is None:
        return Spot.from_table(table)
    return Spot.from_table({**Spot.from_file(file).table(), **table})


def _solve(
    spot: Spot, limits: dict[str, Any], method: str | None, memory: float | None, nodes: list[str] | None, quiet: bool
) -> SolvedSpot:
    """Say how large it is, refuse what cannot be, and solve."""
    from counterplay.measure.progress import Bar
    from counterplay.poker.estimate import size_of
    from counterplay.poker.solved import EXPLOITABILITY, METHOD, solve_spot, stop_of

    size = size_of(spot.betting, spot.cards)
    if not quiet:
        print(size, flush=True)
    limit = None if memory is None else memory * 2**30
    size.check(limit)
    for path in nodes or []:  # the betting part of a path is known before the work
        check_path(spot, path)
    wanted = {"exploitability": EXPLOITABILITY, **limits}
    with Bar(stop_of(spot, **wanted), quiet) as progress:
        return solve_spot(spot, method=method or METHOD, memory=limit, progress=progress, **wanted)


def check_path(spot: Spot, path: str) -> None:
    """Refuse a path that the betting tree does not have.

    Raises:
        InputError: naming the step.
    """
    from counterplay.poker.solved import split

    spot.betting.find(split(path)[0])


def _facts(solved: SolvedSpot, node: Node) -> dict[str, Any]:
    """A node as plain numbers: of every hand in either range its weights, values, equities and probabilities."""
    from counterplay.poker.cards import hand_text

    hands = {}
    for k, cards in enumerate(solved.spot.deck.hands.tolist()):
        if node.ranges[0][k] > 0.0 or node.ranges[1][k] > 0.0:
            hands[hand_text(cards)] = {
                "ranges": [one[k] for one in node.ranges],
                "values": [one[k] for one in node.values],
                "equities": [one[k] for one in node.equities],
                "probabilities": node.probabilities[k].tolist(),
            }
    return {
        "path": node.path, "player": node.player, "actions": list(node.actions), "pot": node.pot,
        "values": list(node.means), "equities": list(node.shares), "hands": hands,
    }  # fmt: skip


def _show(solved: SolvedSpot, node: Node) -> None:
    """Values and equities of both players, and the strategy of the one who acts."""
    from counterplay.poker.cards import cards_text
    from counterplay.poker.grid import show_strategy

    print(f"\n{node.path or 'root'}: board {cards_text(node.board)}, pot {node.pot:g}")
    for player, name in enumerate(_PLAYERS):
        acts = " to act" if node.player == player else ""
        value = round(node.means[player], 9) + 0.0  # no traces of rounding, no -0
        print(f"{name:3}  EV {value:.6g}  equity {100.0 * node.shares[player]:.4g} %{acts}")
    if node.player is None:
        return
    print()
    sys.stdout.flush()
    show_strategy(node.probabilities, node.actions, node.ranges[node.player], deck=solved.spot.deck)
