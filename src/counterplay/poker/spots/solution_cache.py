"""Solutions of earlier runs in the cache folder, by a digest of their spot: a lock does not solve its spot again."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

from counterplay.about import version
from counterplay.cache_folder import cache_folder, prune
from counterplay.errors import InputError
from counterplay.poker.spots.solution import SolvedSpot, load_spot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_file import ENDING, facts_in

WORTH = 1.0
"""Seconds of a solve from which on it is kept."""
_MOST = 1 << 26
"""Sequences of both players up to which it is kept: 256 MiB."""


def cached_solution(spot: Spot, exploitability: float) -> SolvedSpot | None:
    """The kept equilibrium of a spot; None if there is none that is accurate enough.

    Args:
        spot: the question; its big blind does not matter.
        exploitability: in per cent of the pot.
    """
    path = _path(spot)
    try:
        if path is None or not path.is_file() or not facts_in(path)["exploitability_percent"] <= exploitability:
            return None
        found = load_spot(path)
    except InputError:  # damaged, or of another version
        return None
    return SolvedSpot(spot, found.tree, found.plans, found.facts)


def keep_solution(solved: SolvedSpot) -> None:
    """Keep an equilibrium that took a while, unless the cache has a more accurate one or is disabled."""
    path, facts = _path(solved.spot), solved.facts
    took = float(facts.get("seconds", 0.0))
    if path is None or not solved.is_equilibrium or facts.get("interrupted") or took < WORTH:
        return
    if sum(runs.tree.sequences for runs in solved.tree.runs) > _MOST:
        return
    try:
        if path.is_file() and facts_in(path)["exploitability_percent"] <= facts["exploitability_percent"]:
            return
    except InputError:
        pass  # a damaged file is replaced
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        solved.save(path)
        prune(path.parent)
    except (InputError, OSError):  # a cache that cannot be written is none
        return


def _path(spot: Spot) -> Path | None:
    """The file of a spot; None if the cache is disabled, or the spot cannot be written."""
    folder = cache_folder("solutions")
    if folder is None:
        return None
    try:
        table = {name: value for name, value in spot.table().items() if name != "big_blind"}
    except InputError:
        return None
    text = json.dumps([table, version()], sort_keys=True)
    return folder / f"{blake2b(text.encode(), digest_size=8).hexdigest()}{ENDING}"
