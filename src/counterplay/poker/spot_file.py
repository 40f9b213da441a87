"""Solved spots as files: a NumPy archive without pickle of the spot, what is known of its solution, and both strategies."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from counterplay.errors import InputError
from counterplay.files import write_whole
from counterplay.poker.problem import PublicTree, public_tree
from counterplay.poker.spot import Spot
from counterplay.solvers.best_response import gap
from counterplay.treeplex.sweeps import behaviour_of, reach

if TYPE_CHECKING:
    from counterplay.poker.solved import SolvedSpot

ENDING = ".spot"
_FORMAT = 2
_EXACT = 1e-3
"""How far from 1 the probabilities of a decision may sum: single precision needs less."""
_BROKEN = (
    ValueError, KeyError, TypeError, AttributeError, EOFError, NotImplementedError, RecursionError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def save(solved: SolvedSpot, path: Path) -> None:
    """Write a solved spot, whole or not at all; probabilities in single precision.

    Raises:
        InputError: another ending than `.spot`, or the file cannot be written.
    """
    if path.suffix != ENDING:
        raise InputError(f"cannot write {path}: the name of a solved spot must end in {ENDING}")
    numbers = [
        solved.behaviours[player][runs.tree.real].astype(np.float32) for player, runs in enumerate(solved.tree.runs)
    ]
    table = solved.spot.table()
    header = {"format": _FORMAT, "spot": table, "facts": _measured(solved), "digest": _digest(table, numbers)}
    file = io.BytesIO()
    np.savez_compressed(
        file, header=np.frombuffer(json.dumps(header).encode(), np.uint8), probabilities0=numbers[0],
        probabilities1=numbers[1],
    )  # fmt: skip
    write_whole(path, file.getvalue())


def load(path: str | Path) -> SolvedSpot:
    """Read a solved spot.

    Raises:
        InputError: no such file, or it is broken or of another version.
    """
    from counterplay.poker.solved import SolvedSpot

    spot, facts, numbers = _opened(path)
    try:
        tree = public_tree(spot.betting, spot.cards)
        plans = _plan(tree, 0, numbers[0]), _plan(tree, 1, numbers[1])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return SolvedSpot(spot, tree, plans, facts)


def facts_in(path: str | Path) -> dict[str, Any]:
    """What is known of the solution in a file, without making its tree; errors as in `load`."""
    return _opened(path)[1]


def _opened(path: str | Path) -> tuple[Spot, dict[str, Any], list[Any]]:
    """The spot, the facts and both players' probabilities."""
    try:
        header, numbers = _read(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except _BROKEN:
        raise InputError(f"{path} is not a solved spot") from None
    try:
        return (*_question(header, numbers), numbers)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _measured(solved: SolvedSpot) -> dict[str, Any]:
    """The facts of a solution, its exploitability among them: whoever reads a file may count on that."""
    if "exploitability" in solved.facts:
        measured = float(solved.facts["exploitability"])
    else:
        measured = 0.5 * gap(solved.tree.subgame, solved.plans)[0]
    shares = {"exploitability": measured, "exploitability_percent": 100.0 * measured / solved.spot.pot}
    return {**shares, **solved.facts}


def _digest(table: Any, numbers: Sequence[Any]) -> str:
    """A fingerprint of a spot together with the shapes of its arrays: those of another spot are not taken for its own."""
    text = json.dumps([table, [list(array.shape) for array in numbers]], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _read(path: str | Path) -> tuple[Any, list[Any]]:
    """The header of a file, and the probabilities of oop and ip; whatever `_BROKEN` has where it is no such file."""
    with np.load(path, allow_pickle=False) as archive:
        header = json.loads(archive["header"].tobytes())
        return header, [archive[f"probabilities{player}"] for player in (0, 1)]


def _question(header: Any, numbers: Sequence[Any]) -> tuple[Spot, dict[str, Any]]:
    """The spot and the facts of a header.

    Raises:
        InputError: they are broken, of another version, or do not belong to these probabilities.
    """
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise InputError("this file was written in a format that this version does not read")
    if header.get("digest") != _digest(header.get("spot"), numbers):
        raise InputError("the spot in this file is not the one that was saved there")
    facts = header.get("facts")
    if not isinstance(facts, dict):
        raise InputError("the facts of the solution must be a table of names and values")
    for name in ("exploitability", "exploitability_percent"):
        value = facts.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not -inf < value < inf:
            raise InputError(f"the {name.replace('_', ' in ')} of the solution must be a number")
    if facts.get("seat", 0) not in (0, 1):
        raise InputError("the seat of the answer must be 0 or 1")
    return Spot.from_table(header["spot"]), facts


def _plan(tree: PublicTree, player: int, numbers: Any) -> Any:
    """The plan of probabilities as they stand in a file.

    Raises:
        InputError: they are of another number, no probabilities, or do not sum to 1.
    """
    own = tree.runs[player].tree
    if numbers.shape != (own.sequences,) or numbers.dtype.kind != "f" or not ((numbers >= 0) & (numbers <= 1)).all():
        raise InputError("the probabilities do not fit the spot")
    behaviour = np.zeros(own.size)
    behaviour[own.real] = numbers
    inside = own.owner >= 0
    sums = np.bincount(own.owner[inside], behaviour[inside], own.lanes)[own.lane_sequences[2] > 0]
    if (np.abs(sums - 1.0) > _EXACT).any():
        raise InputError("the probabilities of a decision do not sum to 1")
    # Rows must sum to exactly 1: a plan of one step each makes the sums, and the behaviour of it divides by them.
    restriction = tree.subgame.restrictions[player]
    return reach(own, restriction.behaviour(own, behaviour_of(own, behaviour)))
