"""Solved spots as files of one folder, each named by a digest of its spot: what commands and the page keep."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from counterplay.about import version
from counterplay.cache_folder import cache_folder
from counterplay.endings import SPOT
from counterplay.errors import InputError
from counterplay.poker.spots.solution import SolvedSpot, load_spot
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_file import facts_in


def digest_of(*parts: Any) -> str:
    """A name of 16 digits, made of plain data."""
    return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=8).hexdigest()


def name_of_spot(spot: Spot) -> str:
    """The name of a spot: of its fields but the big blind, which changes no number.

    Raises:
        InputError: the spot cannot be written.
    """
    return digest_of("spot", {name: _plain(value) for name, value in spot.table().items() if name != "big_blind"})


def _plain(value: Any) -> Any:
    """The same for equal numbers: 100 and 100.0 are one spot."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return float(value) if isinstance(value, int | float) else value


def usual_folder() -> Path | None:
    """The folder of solved spots in the user's cache; None if the cache is disabled."""
    return cache_folder("spots")


def accuracy_in(path: Path) -> float | None:
    """How exactly the spot of a file is solved by this version, in per cent of the pot; None if it is not, or damaged."""
    try:
        facts = facts_in(path) if path.is_file() else {}
    except InputError:
        return None
    known = facts.get("version") == version() and "exploitability_percent" in facts
    return float(facts["exploitability_percent"]) if known else None


def solution_in(folder: Path, spot: Spot, exploitability: float) -> SolvedSpot | None:
    """The kept equilibrium of a spot; None if there is none that is accurate enough.

    Args:
        folder: of solved spots.
        spot: the question; its big blind is that of the result.
        exploitability: in per cent of the pot.

    Raises:
        InputError: the spot cannot be written, and so is not kept.
    """
    path = folder / f"{name_of_spot(spot)}{SPOT}"
    known = accuracy_in(path)
    if known is None or known > exploitability:
        return None
    found = load_spot(path)
    return replace(found, spot=spot)
