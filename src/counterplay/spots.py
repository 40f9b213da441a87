"""The command that solves spots of hold'em. Registered in `cli.py`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.options import Json, Memory, Seed
from counterplay.show import note_interrupt, show_facts, show_json

if TYPE_CHECKING:
    from counterplay.poker.leaks import Leaks
    from counterplay.poker.locked import LockedAnswer
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
    precision: Annotated[
        str | None,
        typer.Option("--precision", help="double, or single: half the memory, faster (double; on flops single)."),
    ] = None,
    lock: Annotated[Path | None, typer.Option("--lock", help="A file with one player's leaks; what to do?")] = None,
    p: Annotated[float | None, typer.Option("--p", help="With --lock: how likely the leaks are (surely).")] = None,
    max_exploitability: Annotated[
        str | None,
        typer.Option("--max-exploitability", metavar="SHARE", help="With --lock: most to be won back: '1%' or chips."),
    ] = None,
    elsewhere: Annotated[
        str | None,
        typer.Option("--elsewhere", help="With --lock: where none is, the player is free or as solved (free)."),
    ] = None,
    grid: Annotated[bool, typer.Option("--grid", help="With --lock: show changes as 13x13 grids.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the solution (.spot).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Solve a river, turn or flop spot of hold'em, and show its strategy, or what to do against a player with leaks. Ctrl-C
    keeps the best so far."""
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
    dials = {"p": p, "max_exploitability": max_exploitability, "elsewhere": elsewhere}
    leaks = _leaks(lock, {name: value for name, value in dials.items() if value is not None}, grid)
    if file is not None and file.suffix == _SOLVED:
        if table or limits or method or precision:
            raise InputError(f"{file} is solved already: it takes --node, and no other spot or limit")
        from counterplay.poker.spot_file import load

        solved = load(file)
        if leaks and "opponent" in solved.facts:
            raise InputError(f"{file} is an answer to leaks already, not an equilibrium")
        if leaks:
            leaks.check(solved.spot)
    else:
        if limits.get("exploitability") == 0.0 and len(limits) == 1:
            raise InputError("at an exploitability of 0 a solve never ends: give --iterations or --seconds as well")
        asked = _spot(table, file)
        if leaks:
            leaks.check(asked)
            limits = {"exploitability": leaks.accuracy(asked), **limits}
        single = False if leaks and precision is None else _is_single(precision)
        solved = _solve(asked, limits, method, memory, node, as_json, single)
    found = leaks and leaks.answer(solved, limits.get("exploitability"), as_json)
    if found:
        solved = found.answered
    if output:
        solved.save(output)
    nodes = [solved.node(path) for path in node or ([] if found else [""])]
    if as_json:
        told = {"seed": seed, "spot": solved.spot.table(), "nodes": [_facts(solved, one) for one in nodes]}
        show_json({**solved.facts, **told, **(_changes(found) if found else {})})
        return
    if found:
        from counterplay.poker.told import report

        print("\n".join(["", *report(found, grid=grid)]))
        for one in nodes:
            _show(solved, one)
        return
    part = f"{solved.facts['exploitability']:.4g} chips, {solved.facts['exploitability_percent']:.3g} % of the pot"
    show_facts({**solved.facts, "exploitability": part}, ["method", "iterations", "exploitability", "seconds"])
    for one in nodes:
        _show(solved, one)
    note_interrupt(solved.facts)


@dataclass(frozen=True)
class _Asked:
    """What to do against leaks. file: they were read from it. dials: of `locked.answer`."""

    file: Path
    leaks: Leaks
    dials: dict[str, Any]

    def check(self, spot: Spot) -> None:
        """Refuse leaks and numbers that do not fit the spot."""
        from counterplay.poker.locked import check_spot, chips
        from counterplay.poker.meant import check

        check_spot(spot)
        if "max_exploitability" in self.dials:
            chips(self.dials["max_exploitability"], spot.pot)
        try:
            check(self.leaks, spot)
        except InputError as error:
            raise InputError(f"{self.file}: {error}") from None

    def accuracy(self, spot: Spot) -> float:
        """Per cent of the pot to which a spot is solved for a lock, unless the user says."""
        from counterplay.poker.locked import ACCURACY

        return ACCURACY[spot.street]

    def answer(self, solved: SolvedSpot, accuracy: float | None, quiet: bool) -> LockedAnswer:
        """Lock, and answer."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locked import answer
        from counterplay.poker.locks import lock

        locked = lock(solved, self.leaks)
        with Bar(None, quiet) as progress:
            return answer(locked, **self.dials, accuracy=accuracy or None, progress=progress)


def _leaks(file: Path | None, dials: dict[str, Any], grid: bool) -> _Asked | None:
    """What is asked of a lock; nothing may be asked without one."""
    if file is None:
        if dials or grid:
            name = next(iter(dials), "grid").replace("_", "-")
            raise InputError(f"--{name} needs a --lock")
        return None
    from counterplay.poker.leaks import load_leaks
    from counterplay.poker.locked import check_dials

    check_dials(**dials)
    return _Asked(file, load_leaks(file), dials)


def _changes(found: LockedAnswer) -> dict[str, Any]:
    """How the strategy changed, as plain numbers and texts."""
    from counterplay.poker.changes import changes

    return {"changes": [one.facts() for one in changes(found.solved, found.answered, found.player)]}


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
    spot: Spot,
    limits: dict[str, Any],
    method: str | None,
    memory: float | None,
    nodes: list[str] | None,
    quiet: bool,
    single: bool | None,
) -> SolvedSpot:
    """Say how large it is, refuse what cannot be, and solve."""
    from counterplay.measure.progress import Bar
    from counterplay.poker.estimate import size_of
    from counterplay.poker.solved import EXPLOITABILITY, METHOD, in_single, solve_spot, stop_of

    single = in_single(spot) if single is None else single
    size = size_of(spot.betting, spot.cards, single=single)
    if not quiet:
        print(size, flush=True)
    limit = None if memory is None else memory * 2**30
    size.check(limit)
    for path in nodes or []:  # the betting part of a path is known before the work
        check_path(spot, path)
    wanted = {"exploitability": EXPLOITABILITY, **limits}
    with Bar(stop_of(spot, **wanted), quiet) as progress:
        return solve_spot(spot, method=method or METHOD, memory=limit, single=single, progress=progress, **wanted)


def _is_single(precision: str | None) -> bool | None:
    if precision not in (None, "single", "double"):
        raise InputError(f"--precision is single or double, not '{precision}'")
    return None if precision is None else precision == "single"


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
