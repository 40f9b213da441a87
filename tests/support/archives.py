"""Archives taken apart and put together again, with or without a checksum that fits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import ArchiveKind, write

OLD = Path(__file__).parent.parent / "files"
"""Files written before there were checksums."""


def parts_of(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts and the arrays of an archive."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    facts = json.loads(arrays.pop("manifest").tobytes())["facts"]
    del arrays["checksum"]
    return facts, arrays


def sealed(path: Path, kind: ArchiveKind, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    """Write an archive whose checksum fits: what is wrong with it must be seen from its content."""
    write(path, kind, facts, arrays)
    return path


def changed(path: Path, to: Path, **arrays: Any) -> Path:
    """An archive with other arrays, under its old checksum."""
    with np.load(path) as file:
        members = {**file, **arrays}
    with to.open("wb") as stream:
        np.savez(stream, **members)
    return to
