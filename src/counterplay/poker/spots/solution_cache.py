"""Solutions of earlier runs, of the page too, in the cache folder: a lock does not solve its spot again."""

from __future__ import annotations

from pathlib import Path

from counterplay.cache_folder import prune
from counterplay.errors import InputError
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_file import ENDING
from counterplay.poker.spots.spot_folder import accuracy_in, name_of_spot, solution_in, usual_folder

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
    folder = usual_folder()
    try:
        return None if folder is None else solution_in(folder, spot, exploitability)
    except InputError:  # damaged, or a spot that cannot be written
        return None


def keep_solution(solved: SolvedSpot) -> None:
    """Keep an equilibrium that took a while, unless the cache has a more accurate one or is disabled."""
    path, facts = _path(solved.spot), solved.facts
    took = float(facts.get("seconds", 0.0))
    if path is None or not solved.is_equilibrium or facts.get("interrupted") or took < WORTH:
        return
    if sum(solved.tree.sequences(player) for player in (0, 1)) > _MOST:
        return
    known = accuracy_in(path)
    if known is not None and known <= facts["exploitability_percent"]:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        solved.save(path)
        prune(path.parent)
    except (InputError, OSError):  # a cache that cannot be written is none
        return


def _path(spot: Spot) -> Path | None:
    """The file of a spot; None if the cache is disabled, or the spot cannot be written."""
    folder = usual_folder()
    try:
        return None if folder is None else folder / f"{name_of_spot(spot)}{ENDING}"
    except InputError:
        return None
