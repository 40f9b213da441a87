"""Solving a spot: from a spot to an (approximate) equilibrium."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

from counterplay.about import version
from counterplay.errors import InputError, quoted
from counterplay.memory_limit import default_memory
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import has_compact_form
from counterplay.poker.compact.compact_solve import solve_compact
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans
from counterplay.poker.public_tree.public_tree import public_tree, solve_tree
from counterplay.poker.public_tree.size_estimate import DOUBLE, HALF, SINGLE, SpotSize, size_of
from counterplay.poker.spots.solution import SolvedSpot, worth_facts
from counterplay.poker.spots.spot import Spot
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser
from counterplay.texts.arguments import FUNCTION, NUMBER, TEXT, WHOLE, instance, or_none, takes

METHOD = "dcfr:1.5,0,4"
"""The fastest measured method to 0.3 % of the pot (benchmarks/river.py)."""
EXPLOITABILITY = 0.5
"""Per cent of the pot at which a solve stops by default."""
_FLOP = 3


@takes(
    spot=instance("a Spot, or the path of its file", Spot, str, Path),
    percent_of_pot=NUMBER, iterations=or_none(WHOLE), seconds=or_none(NUMBER),
    memory=or_none(NUMBER), precision=or_none(TEXT), progress=or_none(FUNCTION),
)  # fmt: skip
def solve_spot(
    spot: Spot | str | Path,
    *,
    solver: Solver = METHOD,
    percent_of_pot: float = EXPLOITABILITY,
    iterations: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    precision: str | None = None,
    progress: Progress | None = None,
) -> SolvedSpot:
    """Solve a spot.

    Args:
        spot: the question, or the path of its `.toml` file.
        solver: a regret minimiser, as in `solvers.minimiser`.
        percent_of_pot: stop at an exploitability (half of NashConv) of so many per cent of the pot.
        iterations, seconds: further limits.
        memory: limit in bytes; by default half of the machine's memory.
        precision: "double"; "single", with regrets and averages in float32, or "half", in 16 bits, for large spots (see
            `precision_of`). Exploitability is measured in float64.
        progress: called now and then with iterations and exploitability in chips.

    Raises:
        InputError: the spot does not fit, the solver or precision is unknown, or a limit is negative.
    """
    spot = Spot.from_file(spot) if isinstance(spot, str | Path) else spot
    stop, chosen = stop_of(spot, percent_of_pot, iterations, seconds), method_of(solver)
    precision = precision_of(spot, chosen, precision, memory)

    betting, cards = spot.betting, spot.cards
    size_of(betting, cards, alike=True, precision=precision).check(memory)
    if precision == DOUBLE:
        tree, solution = solve_tree(betting, cards, chosen, stop, progress)
        plans: SpotPlans = ArraySpotPlans.of_tree(tree, solution.plans)
    else:
        run, solution = solve_compact(betting, cards, chosen, stop, progress, precision=precision)
        plans = CompactPlans(public_tree(betting, cards), Averages.of_run(run))
    return solved_record(spot, precision, plans, solution)


_STORED = {DOUBLE: "float64", SINGLE: "float32", HALF: "16 bits"}


def solved_record(spot: Spot, precision: str, plans: SpotPlans, solution: Solution) -> SolvedSpot:
    """Strategies on a tree of all boards, and how their solve ended, as a solved spot with its facts and those of the spot's
    size and of the program."""
    ended = "method", "iterations", "exploitability", "seconds", "interrupted"
    facts = {name: getattr(solution, name) for name in ended}
    values = plans.value(0), plans.value(1)
    facts |= worth_facts(values, solution.exploitability, spot.stakes, spot.pot, raked=spot.rake > 0.0)
    size = size_of(spot.betting, spot.cards, alike=True, precision=precision)
    facts |= {"precision": _STORED[precision], "nodes": size.nodes, "memory": size.memory, "version": version()}
    facts["exploitability_percent"] = 100.0 * solution.exploitability / spot.pot
    return SolvedSpot(spot, plans.tree, plans, facts)


def method_of(name: Solver) -> Minimiser:
    """The regret minimiser of a name; an `InputError` for unknown ones and for `lp`."""
    if name == "lp":
        raise InputError("a spot is solved by cfr, cfr+, dcfr, pcfr+ or pdcfr+, not by lp")
    return minimiser(name)


def precision_of(spot: Spot, method: Minimiser, asked: str | None = None, memory: float | None = None) -> str:
    """The precision of a solve: as chosen; else "double", and on flops, which are large, "single", or "half" where that
    does not fit in so many bytes. Methods with predictions, or whose players update at once, need "double"; an
    `InputError` rejects others, and other precisions."""
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


FIT = "fit"
"""Where sizes of bets may stand: choose them."""
_THIN = "merge: 10%; force: 20%"
LADDER = tuple(
    f"{sizes}; {_THIN}"
    for sizes in (
        "25%, 50%, 75%, 125%, 200%, a; raise: 2.5x, 4x, a",
        "33%, 75%, 150%, a; raise: 2.5x, a",
        "33%, 75%, a; raise: 2.5x, a",
        "50%, 100%, a; raise: 2.5x, a",
        "33%, 75%; raise: 3x; river raise: 3x, a",
        "66%; raise: 3x; river raise: 3x, a",
        "66%; raise: a",
        "a",
    )
)
"""Menus, the richest first."""


def fit_sizes(
    spot: Spot, *, memory: float | None = None, measure: Callable[[Spot], SpotSize] | None = None
) -> tuple[Spot, SpotSize]:
    """The spot with the richest menu of the ladder whose solve fits, whatever sizes it has, and the size. The
    limit is in GiB, by default half of the machine's memory; `measure` is the size of a solve, by default of one in
    float32 whose nodes are shown. An `InputError` with the size of the poorest menu if not even that fits."""
    measure = measure or (lambda menu: size_of(menu.betting, menu.cards, alike=True, precision=SINGLE))
    limit = default_memory() if memory is None else memory * 2**30
    *richer, poorest = (replace(spot, bets=sizes) for sizes in LADDER)
    for menu in richer:
        try:
            size = measure(menu)
        except InputError:  # more betting than can be counted
            continue
        if size.memory <= limit:
            return menu, size
    size = measure(poorest)
    size.check(limit)
    return poorest, size
