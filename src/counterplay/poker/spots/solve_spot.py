"""Solving a spot: from a spot to an (approximate) equilibrium."""

from __future__ import annotations

from math import inf
from typing import Any

from counterplay.about import version
from counterplay.errors import InputError, quoted
from counterplay.gametree.build.size_estimate import default_memory
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import has_compact_form
from counterplay.poker.compact.compact_solve import solve_compact
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.public_tree.size_estimate import DOUBLE, HALF, SINGLE, size_of
from counterplay.poker.public_tree.solve import solve_tree
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.worth import worth_facts, worth_of
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser

METHOD = "dcfr:1.5,0,4"
"""The fastest measured method to 0.3 % of the pot (benchmarks/river.py)."""
EXPLOITABILITY = 0.5
"""Per cent of the pot at which a solve stops by default."""
_FLOP = 3


def solve_spot(
    spot: Spot,
    *,
    method: Solver = METHOD,
    exploitability: float = EXPLOITABILITY,
    iterations: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    precision: str | None = None,
    progress: Progress | None = None,
) -> SolvedSpot:
    """Solve a spot.

    Args:
        spot: the question.
        method: a regret minimiser, as in `solvers.minimiser`.
        exploitability: stop at this exploitability (half of NashConv), in per cent of the pot.
        iterations, seconds: further limits.
        memory: limit in bytes; by default half of the machine's memory.
        precision: "double"; "single", with regrets and averages in float32, or "half", in 16 bits, for large spots (see
            `precision_of`). Exploitability is measured in float64.
        progress: called now and then with iterations and exploitability in chips.

    Raises:
        InputError: the spot does not fit, the method or precision is unknown, or a limit is negative.
    """
    stop, chosen = stop_of(spot, exploitability, iterations, seconds), method_of(method)
    precision = precision_of(spot, chosen, precision, memory)
    betting, cards, stakes = spot.betting, spot.cards, spot.stakes
    size = size_of(betting, cards, alike=True, precision=precision)
    size.check(memory)
    solved = _in_arrays if precision == DOUBLE else _compactly
    tree, plans, facts = solved(betting, cards, stakes, chosen, stop, progress, precision)
    facts |= {"precision": _STORED[precision], "nodes": size.nodes, "memory": size.memory, "version": version()}
    facts["exploitability_percent"] = 100.0 * facts["exploitability"] / spot.pot
    return SolvedSpot(spot, tree, plans, facts)


_STORED = {DOUBLE: "float64", SINGLE: "float32", HALF: "16 bits"}
_Solved = tuple[PublicTree, SpotPlans, dict[str, Any]]


def _in_arrays(
    betting: BettingTree, cards: Cards, stakes: Stakes, method: Minimiser, stop: Stop, progress: Progress | None, _: str
) -> _Solved:
    """The tree of all boards, plans and facts of a solve with arrays of the whole tree."""
    tree, solution = solve_tree(betting, cards, method, stop, progress)
    facts = _facts(method, solution.iterations, solution.exploitability, solution.seconds, solution.interrupted)
    return (
        tree,
        ArraySpotPlans.of_tree(tree, solution.plans),
        facts | worth_of(tree, stakes, stakes.pot or 0.0, solution),
    )


def _compactly(
    betting: BettingTree,
    cards: Cards,
    stakes: Stakes,
    method: Minimiser,
    stop: Stop,
    progress: Progress | None,
    precision: str,
) -> _Solved:
    """The same on the compact engine."""
    found = solve_compact(betting, cards, method, stop, progress, precision=precision)
    run, rake = found.run, betting.rules.rake
    values = (run.value_of(0, best=False), run.value_of(1, best=False)) if rake else (found.value, -found.value)
    facts = _facts(method, run.done, found.exploitability, found.seconds, found.interrupted)
    facts |= worth_facts(values, found.exploitability, stakes, stakes.pot or 0.0, raked=rake > 0.0)
    tree = public_tree(betting, cards)
    return tree, CompactPlans(tree, Averages.of_run(run)), facts


def _facts(
    method: Minimiser, iterations: int, exploitability: float, seconds: float, interrupted: bool
) -> dict[str, Any]:
    return {
        "method": method.name,
        "iterations": iterations,
        "exploitability": exploitability,
        "seconds": seconds,
        "interrupted": interrupted,
    }


def method_of(name: Solver) -> Minimiser:
    """The regret minimiser of a name; a spot has no linear program here.

    Raises:
        InputError: unknown method.
    """
    if name == "lp":
        raise InputError("a spot is solved by cfr, cfr+, dcfr, pcfr+ or pdcfr+, not by lp")
    return minimiser(name)


def precision_of(spot: Spot, method: Minimiser, asked: str | None = None, memory: float | None = None) -> str:
    """The precision of a solve: as asked; else "double", and on flops, which are large, "single", or "half" where that does
    not fit in memory.

    Args:
        spot: the spot.
        method: the regret minimiser; those with predictions, or whose players update at once, need "double".
        asked: "double", "single" or "half"; None for the default.
        memory: limit in bytes.

    Raises:
        InputError: another precision, or one that the method does not have.
    """
    if asked is not None and asked not in _STORED:
        raise InputError(f"the precision must be {DOUBLE}, {SINGLE} or {HALF}, not {quoted(asked)}")
    if asked in (SINGLE, HALF) and not has_compact_form(method):
        raise InputError(
            f"in {asked} precision players update in turn and without predictions, as by cfr, cfr+ or dcfr, not as by "
            f"{method.name}"
        )
    if asked is not None:
        return asked
    if len(spot.board) != _FLOP or not has_compact_form(method):
        return DOUBLE
    limit = default_memory() if memory is None else memory
    return SINGLE if size_of(spot.betting, spot.cards, alike=True, precision=SINGLE).memory <= limit else HALF


def stop_of(spot: Spot, exploitability: float, iterations: int | None = None, seconds: float | None = None) -> Stop:
    """The stopping rule, with exploitability in per cent of the pot."""
    most = 1 << 62 if iterations is None else iterations
    return Stop(0.01 * exploitability * spot.pot, most, inf if seconds is None else seconds)
