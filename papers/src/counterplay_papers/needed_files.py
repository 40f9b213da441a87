"""Files that work finds by their names and the package may lack: blueprints and networks, which take long to make.

Work that goes to other processes takes their paths along, so that a worker elsewhere has the same pieces and reads the same
files (see `carried_files`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

_PACKAGE = Path(__file__).parent
"""What lies here every worker has."""
_come: dict[str, Path] = {}
"""By name without its ending, where files lie that have come with work. A whole name would itself be taken for a file that
is to travel."""


class NeededFile(Protocol):
    """A file with a name of its own."""

    @property
    def name(self) -> str: ...

    def find(self) -> Path | None:
        """Where it is; None if it is nowhere."""


def find_file(name: str, places: Sequence[Path]) -> Path | None:
    """A file that has come with work, or else lies in the first of some places; None if it is nowhere."""
    come = [path for stem, path in _come.items() if stem == Path(name).stem]
    return next((place for place in (*come, *places) if place.is_file()), None)


def files_to_carry(needed: Iterable[NeededFile]) -> dict[str, Path]:
    """By name without its ending, where those lie that are there and not in the package."""
    found = {Path(file.name).stem: file.find() for file in needed}
    return {stem: path.absolute() for stem, path in found.items() if path is not None and _PACKAGE not in path.parents}


def take_carried(files: Mapping[str, Path]) -> None:
    """Find these files from now on, and none that have come with other work."""
    _come.clear()
    _come.update(files)
