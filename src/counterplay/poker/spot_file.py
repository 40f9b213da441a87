"""Solved spots as files: a NumPy archive without pickle of the spot, what is known of its solution, and both strategies."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from counterplay.errors import InputError
from counterplay.files import write_whole
from counterplay.poker.problem import PublicTree, public_tree
from counterplay.poker.spot import Spot
from counterplay.treeplex.sweeps import behaviour_of, reach

if TYPE_CHECKING:
    from counterplay.poker.solved import SolvedSpot

ENDING = ".spot"
_FORMAT = 1
_BROKEN = (ValueError, KeyError, TypeError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)


def save(solved: SolvedSpot, path: Path) -> None:
    """Write a solved spot, whole or not at all; probabilities in single precision.

    Raises:
        InputError: another ending than `.spot`, or the file cannot be written.
    """
    if path.suffix != ENDING:
        raise InputError(f"cannot write {path}: the name of a solved spot must end in {ENDING}")
    header = {"format": _FORMAT, "spot": solved.spot.table(), "facts": solved.facts}
    arrays: dict[str, Any] = {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)}
    for player, runs in enumerate(solved.tree.runs):
        arrays[f"probabilities{player}"] = solved.behaviours[player][runs.tree.real].astype(np.float32)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    write_whole(path, file.getvalue())


def load(path: str | Path) -> SolvedSpot:
    """Read a solved spot.

    Raises:
        InputError: no such file, or it is broken or of another version.
    """
    from counterplay.poker.solved import SolvedSpot

    try:
        with np.load(path, allow_pickle=False) as archive:
            header = json.loads(archive["header"].tobytes())
            numbers = [archive[f"probabilities{player}"] for player in (0, 1)]
        if header["format"] != _FORMAT:
            raise InputError(f"{path} was written in a format that this version does not read")
        spot, facts = Spot.from_table(header["spot"]), dict(header["facts"])
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except _BROKEN:
        raise InputError(f"{path} is not a solved spot") from None
    tree = public_tree(spot.betting, spot.cards)
    plans = _plan(tree, 0, numbers[0], path), _plan(tree, 1, numbers[1], path)
    return SolvedSpot(spot, tree, plans, facts)


def _plan(tree: PublicTree, player: int, numbers: Any, path: str | Path) -> Any:
    """The plan of probabilities as they stand in a file."""
    own = tree.runs[player].tree
    if numbers.shape != (own.sequences,) or not ((numbers >= 0.0) & (numbers <= 1.0)).all():
        raise InputError(f"{path}: the probabilities do not fit the spot")
    behaviour = np.zeros(own.size)
    behaviour[own.real] = numbers
    # Rows must sum to exactly 1: a plan of one step each makes the sums, and the behaviour of it divides by them.
    restriction = tree.subgame.restrictions[player]
    return reach(own, restriction.behaviour(own, behaviour_of(own, behaviour)))
