"""Equilibria of spots on the compact engine as files of the cache: the stored averages as they are, number by number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from counterplay.archive import ArchiveKind, opened, plain, write
from counterplay.arrays import AnyArray
from counterplay.endings import AVERAGES
from counterplay.errors import InputError
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.way_memory import KINDS, WeightedMemory, new_memory
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.tree_layouts import layout_of
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot

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
