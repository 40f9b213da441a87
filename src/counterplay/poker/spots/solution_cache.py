"""Solutions of earlier runs, of the page too, in the cache folder: no command solves anew what another one solved.

Large spots are kept as the averages of the compact engine, number by number; others as `.spot` files, in float32. A file is
named by a digest of its spot, tree included, tells its accuracy and its version, and appears whole. The oldest are deleted
first where a folder grows too large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterplay.about import version
from counterplay.archive import ArchiveKind, opened, plain, write
from counterplay.arrays import AnyArray
from counterplay.cache_folder import prune
from counterplay.endings import AVERAGES, SPOT
from counterplay.errors import InputError
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.strategy_memory import KINDS, WeightedMemory, new_memory
from counterplay.poker.plan_stores.compact_plans import CompactPlans, layout_of
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.public_tree.size_estimate import HALF, SINGLE
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_folder import accuracy_in, name_of_spot, solution_in, usual_folder
from counterplay.trusted_folder import make_trusted

WORTH = 1.0
"""Seconds of a solve from which on it is kept."""
_MOST = 1 << 26
"""Sequences of both players up to which a `.spot` file is kept: 256 MiB."""
_BYTES = 1 << 29
"""Bytes up to which averages are."""


def cached_solution(
    spot: Spot,
    exploitability: float,
    *,
    precisions: Sequence[str] = (SINGLE, HALF),
    tree: PublicTree | None = None,
) -> SolvedSpot | None:
    """The kept equilibrium of a spot; None if there is none that is accurate enough.

    Args:
        spot: the question; its big blind does not matter.
        exploitability: in per cent of the pot.
        precisions: in which it may be stored, if it was solved on the compact engine.
        tree: the tree of the spot; by default one is made where it is needed.
    """
    folder = usual_folder()
    try:
        if folder is None:
            return None
        for path in _averages(folder, spot, precisions):
            known = _accuracy(path)
            if known is not None and known <= exploitability:
                found = read_averages(path, spot, tree or public_tree(spot.betting, spot.cards))
                path.touch()  # the oldest go first
                return found
        return solution_in(folder, spot, exploitability)
    except (InputError, OSError):  # damaged, or a spot that cannot be written
        return None


def keep_solution(solved: SolvedSpot) -> Path | None:
    """Keep an equilibrium that took a while, unless the cache has a more accurate one or is disabled.

    Returns:
        The file with the equilibrium; None if it is not kept.
    """
    folder, facts = usual_folder(), solved.facts
    took = float(facts.get("seconds", 0.0))
    if folder is None or not solved.is_equilibrium or facts.get("interrupted") or took < WORTH:
        return None
    try:
        make_trusted(folder)
        kept = _keep(folder, solved)
        prune(folder)
    except (InputError, OSError):  # a cache that cannot be written is none
        return None
    return kept


def _keep(folder: Path, solved: SolvedSpot) -> Path | None:
    """Write a solution, if it is small enough and none is more accurate.

    Raises:
        InputError, OSError: the spot or the file cannot be written.
    """
    averages, reached = averages_of(solved), float(solved.facts["exploitability_percent"])
    name = name_of_spot(solved.spot)
    if averages is not None and bytes_of(averages) <= _BYTES:
        path = name_in(folder, name, averages.precision)
        known = _accuracy(path)
        if known is None or known > reached:
            write_averages(path, solved, averages)
        return path
    if averages is not None or sum(solved.tree.sequences(player) for player in (0, 1)) > _MOST:
        return None
    path = folder / f"{name}{SPOT}"
    known = accuracy_in(path)
    if known is None or known > reached:
        solved.save(path)
    return path


def _averages(folder: Path, spot: Spot, precisions: Sequence[str]) -> Iterator[Path]:
    name = name_of_spot(spot)
    return (path for precision in precisions if (path := name_in(folder, name, precision)).is_file())


def _accuracy(path: Path) -> float | None:
    """How exactly the spot of a file of averages is solved by this version, in per cent of the pot."""
    with suppress(InputError):
        facts = facts_of(path) if path.is_file() else {}
        found = facts.get("exploitability_percent")
        if facts.get("version") == version() and isinstance(found, int | float):
            return float(found)
    return None


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


def bytes_of(averages: Averages) -> int:
    """Bytes of a file."""
    memories = [side[0].memory for side in averages.sides]
    return sum(one.total.nbytes + one.total_scale.nbytes for one in memories)


def write_averages(path: Path, solved: SolvedSpot, averages: Averages) -> None:
    """Write a solution, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    arrays = dict[str, AnyArray]()
    for total, scale, side in zip(_NUMBERS, _SCALES, averages.sides, strict=True):
        arrays |= {total: side[0].memory.total, scale: side[0].memory.total_scale}
    facts = {"spot": solved.spot.table(), "solution": dict(plain(solved.facts)), "precision": averages.precision}
    write(path, KIND, facts, arrays)


def facts_of(path: Path) -> dict[str, Any]:
    """The facts of the solution in a file.

    Raises:
        InputError: a missing or damaged file.
    """
    with opened(path, KIND) as archive:
        facts = archive.facts.get("solution")
        return facts if isinstance(facts, dict) else {}


def read_averages(path: Path, spot: Spot, tree: PublicTree) -> SolvedSpot:
    """Read a solution.

    Args:
        path: the file.
        spot: the spot; its big blind is that of the result.
        tree: its tree of all boards.

    Raises:
        InputError: a missing or damaged file, or one of another tree.
    """
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


def name_in(folder: Path, name: str, precision: str) -> Path:
    """The file of a spot by name and precision."""
    return folder / f"{name}-{precision}{AVERAGES}"
