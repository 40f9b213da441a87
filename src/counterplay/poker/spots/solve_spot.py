"""Solving a spot: from a spot to an (approximate) equilibrium; and solutions of earlier runs, of the page too, in the cache
folder: no command solves again what another one solved.

Large spots are kept as the averages of the compact engine, number by number; others as `.spot` files, in float32. A file is
named by a digest of its spot, tree included, tells its accuracy and its version, and appears whole. The oldest are deleted
first where a folder grows too large."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any

from counterplay.about import version
from counterplay.archive import ArchiveKind, opened, plain, write
from counterplay.arrays import AnyArray
from counterplay.cache_folder import cache_folder, make_trusted, prune
from counterplay.errors import InputError, quoted
from counterplay.files import AVERAGES, SPOT
from counterplay.memory_limit import default_memory
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import has_compact_form
from counterplay.poker.compact.compact_solve import solve_compact
from counterplay.poker.compact.layout.compact_layout import layout_of
from counterplay.poker.compact.strategy_memory import KINDS, WeightedMemory, new_memory
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree, solve_tree
from counterplay.poker.public_tree.size_estimate import DOUBLE, HALF, SINGLE, SpotSize, size_of
from counterplay.poker.spots.solution import SolvedSpot, facts_in, load_spot, worth_facts
from counterplay.poker.spots.spot import Spot
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser
from counterplay.texts.arguments import FUNCTION, NUMBER, TEXT, WHOLE, instance, or_none, takes

WORTH = 1.0
"""Seconds of a solve from which on it is kept."""
_MOST = 1 << 26
"""Sequences of both players up to which a `.spot` file is kept: 256 MiB."""
_BYTES = 1 << 29
"""Bytes up to which averages are."""


def cached_solution(
    spot: Spot, exploitability: float, *, precisions: Sequence[str] = (SINGLE, HALF), tree: PublicTree | None = None
) -> SolvedSpot | None:
    """The kept equilibrium of a spot, whose big blind does not matter; None if there is none of so many per cent of
    the pot. If it was solved on the compact engine, it is stored in one of the precisions, and read into `tree`, if
    given."""
    folder = usual_folder()
    try:
        if folder is None:
            return None
        name = name_of_spot(spot)
        for precision in precisions:
            path = folder / f"{name}-{precision}{AVERAGES}"
            known = accuracy_in(path, facts_of)
            if known is not None and known <= exploitability:
                solved = read_averages(path, spot, tree or public_tree(spot.betting, spot.cards))
                path.touch()  # the oldest go first
                return solved
        path = folder / f"{name}{SPOT}"
        known = accuracy_in(path)
        return replace(load_spot(path), spot=spot) if known is not None and known <= exploitability else None
    except (InputError, OSError):  # damaged, or a spot that cannot be written
        return None


def keep_solution(solved: SolvedSpot) -> Path | None:
    """Keep an equilibrium that took a while, unless the cache has a more accurate one or is disabled; the file with the
    equilibrium, None if it is not kept."""
    folder, facts = usual_folder(), solved.facts
    took = float(facts.get("seconds", 0.0))
    if folder is None or not solved.is_equilibrium or facts.get("interrupted") or took < WORTH:
        return None
    try:
        make_trusted(folder)
        averages, name = averages_of(solved), name_of_spot(solved.spot)
        read: Callable[[Path], dict[str, Any]]
        if averages is None:
            path, read = folder / f"{name}{SPOT}", facts_in
            fits = sum(solved.tree.sequences(player) for player in (0, 1)) <= _MOST
        else:
            path, read = folder / f"{name}-{averages.precision}{AVERAGES}", facts_of
            memories = [side[0].memory for side in averages.sides]
            fits = sum(one.total.nbytes + one.total_scale.nbytes for one in memories) <= _BYTES
        known = accuracy_in(path, read)
        if fits and (known is None or known > float(facts["exploitability_percent"])):
            if averages is None:
                solved.save(path)
            else:
                write_averages(path, solved, averages)
        prune(folder)
    except (InputError, OSError):  # a cache that cannot be written is none
        return None
    return path if fits else None


_NUMBERS, _SCALES = ("total0", "total1"), ("scale0", "scale1")
KIND = ArchiveKind("kept averages of a spot", 1, frozenset((*_NUMBERS, *_SCALES)))


def averages_of(solved: SolvedSpot) -> Averages | None:
    """The averages of a solution, if they are all that it plays, with isomorphic suits dealt once; else None."""
    plans = solved.plans
    if not isinstance(plans, CompactPlans) or any(len(side) > 1 for side in plans.averages.sides):
        return None
    locked = any(side[0].memory.bound for side in plans.averages.sides)
    alike = plans.averages.layout.stored == layout_of(solved.tree, alike=True).stored
    return plans.averages if alike and not locked else None


def write_averages(path: Path, solved: SolvedSpot, averages: Averages) -> None:
    """Write a solution, whole or not at all; an `InputError` if the file cannot be written."""
    arrays = dict[str, AnyArray]()
    for total, scale, side in zip(_NUMBERS, _SCALES, averages.sides, strict=True):
        arrays |= {total: side[0].memory.total, scale: side[0].memory.total_scale}
    facts = {"spot": solved.spot.table(), "solution": dict(plain(solved.facts)), "precision": averages.precision}
    write(path, KIND, facts, arrays)


def facts_of(path: Path) -> dict[str, Any]:
    """The facts of the solution in a file; an `InputError` if it is missing or damaged."""
    with opened(path, KIND) as archive:
        facts = archive.facts.get("solution")
        return facts if isinstance(facts, dict) else {}


def read_averages(path: Path, spot: Spot, tree: PublicTree) -> SolvedSpot:
    """Read a solution of a spot, with that spot's big blind, and its tree of all boards; an `InputError` for a missing
    or damaged file, or one of another tree."""
    layout = layout_of(tree, alike=True)
    with opened(path, KIND) as archive:
        precision = archive.facts.get("precision")
        if not isinstance(precision, str) or precision not in KINDS:
            raise InputError(f"{path} names no precision")
        averages = Averages(layout, precision, ((), ()))
        for player, (total, scale) in enumerate(zip(_NUMBERS, _SCALES, strict=True)):
            memory = new_memory(layout, player, precision, regrets=False)
            sizes = memory.total.shape, memory.total_scale.shape
            numbers, scales = archive.array(total, sizes[0], "fu"), archive.array(scale, sizes[1])
            if numbers.dtype != memory.total.dtype:
                raise InputError(f"the numbers of {path} are not those of its precision")
            kept = memory._replace(total=numbers, total_scale=scales)
            averages = averages.playing(player, (WeightedMemory(1.0, kept),))
        facts = archive.facts.get("solution")
    return SolvedSpot(replace(spot), tree, CompactPlans(tree, averages), facts if isinstance(facts, dict) else {})


def digest_of(*parts: Any) -> str:
    """A name of 16 digits, made of plain data."""
    return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=8).hexdigest()


def name_of_spot(spot: Spot) -> str:
    """The name of a spot: of its fields but the big blind, which changes no number. An `InputError` if the spot cannot
    be written."""
    return digest_of("spot", {name: _plain(value) for name, value in spot.table().items() if name != "big_blind"})


def _plain(value: Any) -> Any:
    """The same for equal numbers: 100 and 100.0 are one spot."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return float(value) if isinstance(value, int | float) else value


def usual_folder() -> Path | None:
    """The folder of solved spots in the user's cache; None if the cache is disabled."""
    return cache_folder("spots")


def accuracy_in(path: Path, read: Callable[[Path], dict[str, Any]] = facts_in) -> float | None:
    """Exploitability in per cent of the pot of the solution in a file whose facts `read` gives; None if the file is missing,
    damaged, or of another version."""
    with suppress(InputError):
        facts = read(path) if path.is_file() else {}
        percent = facts.get("exploitability_percent")
        if facts.get("version") == version() and isinstance(percent, int | float):
            return float(percent)
    return None


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
