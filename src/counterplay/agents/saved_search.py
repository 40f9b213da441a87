"""What the files of agents have in common: a NumPy archive of facts and arrays, and a search as plain facts."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.files import write_whole
from counterplay.resolving.search import Search, Value, value_function
from counterplay.resolving.tremble import Tremble
from counterplay.solvers.cfr import Stop
from counterplay.subgames.levels import Depth

_FORM = 2


def write(path: str | Path, facts: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write a file whole or not at all; nothing in it is code.

    Raises:
        InputError: the file cannot be written.
    """
    every = {"form": _FORM, "version": version(), **facts}
    buffer = io.BytesIO()
    np.savez(buffer, facts=np.frombuffer(json.dumps(every).encode(), np.uint8), **arrays)
    write_whole(Path(path), buffer.getvalue())


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts and arrays of a file.

    Raises:
        InputError: there is no such file, or it is none of this version.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        facts = json.loads(bytes(arrays.pop("facts")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise InputError(f"{path} is no saved agent") from None
    if not isinstance(facts, dict) or facts.get("form") != _FORM:
        raise InputError(f"{path} is no saved agent of this version")
    return facts, arrays


def search_facts(search: Search) -> dict[str, Any]:
    """A search as plain numbers and texts."""
    stop = search.stop
    return {
        "depth": str(search.depth),
        "p": search.p,
        "gadget": search.gadget,
        "value": "exact" if search.value is None else search.value.name,
        "solver": search.solver,
        "tremble": [*vars(search.tremble).values()],
        "stop": [stop.exploitability, stop.iterations, stop.seconds],
    }


def search_of(facts: dict[str, Any], value: Any) -> Search:
    """The search of such facts; `value` is its value function, if that is not one with a text."""
    function: Value | None = value_function(value if value is not None else facts["value"])
    exploitability, iterations, seconds = facts["stop"]
    stop = Stop(float(exploitability), int(iterations), float(seconds))
    depth, tremble = Depth.of(facts["depth"]), Tremble(*facts["tremble"])
    return Search(depth, facts["p"], facts["gadget"], function, facts["solver"], stop, tremble=tremble)
