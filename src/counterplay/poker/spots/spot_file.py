"""Solved spots as records and as files: an archive of the spot, the facts of its solution, and both strategies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened, plain, write
from counterplay.endings import SPOT
from counterplay.errors import InputError, in_file
from counterplay.memory_limit import default_memory
from counterplay.poker.betting.bet_sizes import IdleSizesError, read_sizes
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.plan_stores.compact_plans import CompactPlans
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotPlans, packed_probabilities, unpacked_choices
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.public_tree.size_estimate import LARGE, READ, SINGLE, size_of
from counterplay.poker.spots.spot import Spot
from counterplay.treeplex.sweeps import behaviour_of, reach

_NUMBERS = ("probabilities0", "probabilities1")
KIND = ArchiveKind("a solved spot", 3, frozenset(_NUMBERS), packed=True, old=frozenset(("header",)))
_OLD_FORMAT = 2
"""Magic number of files without a checksum."""
_EXACT = 1e-3
"""Tolerance of the sum of a decision's probabilities: single precision needs less."""
_LARGEST = 1e300
"""The largest number that is accepted."""
_MACHINE = 2.0
"""Whole of the machine's memory, of which one half is what a solve may take by default."""


def save(solved: SpotSolution, path: Path) -> None:
    """Write a solved spot to a path that ends in `.spot`, whole or not at all; probabilities in single precision. An
    `InputError` if it cannot be written."""
    if path.suffix != SPOT:
        raise InputError(f"cannot write {path}: the name of a solved spot must end in {SPOT}")
    numbers = [packed_probabilities(solved.tree, player, solved.plans.behaviour(player)) for player in (0, 1)]
    known = solved.facts.get("exploitability")  # whoever reads a file may count on it
    measured = 0.5 * solved.plans.gap()[0] if known is None else float(known)
    shares = {"exploitability": measured, "exploitability_percent": 100.0 * measured / solved.spot.pot}
    facts = {"spot": solved.spot.table(), "solution": dict(plain({**shares, **solved.facts}))}
    write(path, KIND, facts, dict(zip(_NUMBERS, numbers, strict=True)))


def read(path: str | Path) -> tuple[Spot, PublicTree, SpotPlans, dict[str, Any]]:
    """Read a solved spot: the spot, its tree, both plans, and their facts; an `InputError` for a missing or damaged
    file, or one of another version."""
    with opened(path, KIND) as archive:
        try:
            spot, facts = _question(archive)
            size = size_of(spot.betting, spot.cards, precision=READ)
            lengths = [archive.shape(name) for name in _NUMBERS]
            if not all(len(length) == 1 for length in lengths) or size.sequences > sum(length[0] for length in lengths):
                raise InputError("the probabilities do not fit the spot")
            size.check(_MACHINE * default_memory())
            tree = public_tree(spot.betting, spot.cards)
            plans = _plans(archive, tree)
        except InputError as error:
            raise in_file(path, error) from None
    return spot, tree, plans, facts


def facts_in(path: str | Path) -> dict[str, Any]:
    """The facts of the solution in a file, without building its tree; errors as in `read`."""
    return question_in(path)[1]


def question_in(path: str | Path) -> tuple[Spot, dict[str, Any]]:
    """The spot of a file and the facts of its solution, without building its tree; errors as in `read`."""
    with opened(path, KIND) as archive:
        try:
            return _question(archive)
        except InputError as error:
            raise in_file(path, error) from None


def _question(archive: Archive) -> tuple[Spot, dict[str, Any]]:
    """The spot and the facts, checked for version, damage and whether the spot belongs to the probabilities."""
    if archive.sealed:
        table, facts = archive.facts.get("spot"), archive.facts.get("solution")
    else:
        header = archive.old_facts("header")
        if not isinstance(header, dict) or header.get("format") != _OLD_FORMAT:
            raise InputError("this file was written in a format that this version does not read")
        table, facts = header.get("spot"), header.get("facts")
        # The checksum of old files: of the spot together with the shapes of its arrays.
        text = json.dumps([table, [list(archive.shape(name)) for name in _NUMBERS]], sort_keys=True)
        if header.get("digest") != hashlib.blake2b(text.encode(), digest_size=16).hexdigest():
            raise InputError("the spot in this file is not the one that was saved there")
    if not isinstance(facts, dict):
        raise InputError("the facts of the solution must be a table of names and values")
    for name in ("exploitability", "exploitability_percent"):
        value = facts.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= _LARGEST:  # NaN, too
            raise InputError(f"the {name.replace('_', ' in ')} of the solution must be a number")
    if facts.get("seat", 0) not in (0, 1):
        raise InputError("the seat of the answer must be 0 or 1")
    if not isinstance(table, dict):
        raise InputError("a spot must be a table of names and values")
    return stored_spot(table), facts


def stored_spot(table: Mapping[str, Any]) -> Spot:
    """The spot of a table that some version wrote: settings that do nothing were not always refused, and are left out.
    Errors as in `Spot.from_table`."""
    settings = dict(table)
    if not settings.get("rake"):
        settings.pop("rake_cap", None)
    try:
        return Spot.from_table(settings)
    except IdleSizesError:
        return Spot.from_table({**settings, "bets": str(read_sizes(settings["bets"]).without_donks)})


def _plans(archive: Archive, tree: PublicTree) -> SpotPlans:
    """Both strategies: as arrays in float64, or of a large tree as stored averages of the compact engine."""
    if tree.sequences(0) + tree.sequences(1) <= LARGE:
        return ArraySpotPlans.of_tree(tree, (_plan(archive, tree, 0), _plan(archive, tree, 1)))
    averages = Averages(CompactLayout(tree.betting, tree.tables), SINGLE, ((), ()))
    for player in (0, 1):
        averages = averages.playing(player, averages.written(player, _choices(archive, tree, player), keep=False))
    return CompactPlans(tree, averages)


def _choices(archive: Archive, tree: PublicTree, player: int) -> Callable[[int, Any], Any]:
    """For a decision of a player and (n,) lanes of its layer: (actions, n) probabilities as they stand in a file,
    checked when they are read."""
    choices = unpacked_choices(tree, player, _numbers(archive, tree.sequences(player), player))

    def read(node: int, lanes: Any) -> Any:
        found = choices(node, lanes)
        _check_sums(found.sum(axis=0))
        return found

    return read


def _numbers(archive: Archive, count: int, player: int) -> Any:
    """The probabilities of a player in a file, checked for their number and range."""
    if archive.shape(_NUMBERS[player]) != (count,):
        raise InputError("the probabilities do not fit the spot")
    numbers = archive.array(_NUMBERS[player], (count,))
    if not (numbers.min() >= 0 and numbers.max() <= 1):  # not so if one is no number
        raise InputError("the probabilities do not fit the spot")
    return numbers


def _check_sums(sums: Any) -> None:
    if (np.abs(sums - 1.0) > _EXACT).any():
        raise InputError("the probabilities of a decision do not sum to 1")


def _plan(archive: Archive, tree: PublicTree, player: int) -> Any:
    """The plan of the probabilities of a player in a file, checked for their sums."""
    own = tree.runs[player].tree
    numbers = _numbers(archive, own.sequences, player)
    behaviour = np.zeros(own.size)
    behaviour[own.real] = numbers
    inside = own.owner >= 0
    sums = np.bincount(own.owner[inside], behaviour[inside], own.lanes)[own.lane_sequences[2] > 0]
    _check_sums(sums)
    # Rows must sum to exactly 1: a plan of one step each makes the sums, and the behaviour of it divides by them.
    restriction = tree.subgame.restrictions[player]
    return reach(own, restriction.behaviour(own, behaviour_of(own, behaviour)))


@dataclass(frozen=True, eq=False, repr=False)
class SpotSolution:
    """Two strategies of a spot. Facts are method, iterations, seconds, exploitability in chips and in per cent of the
    pot, value and EV (see `worth.worth_of`), ..."""

    spot: Spot
    tree: PublicTree
    plans: SpotPlans
    facts: dict[str, Any]
