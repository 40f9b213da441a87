"""The common part of agents' files: the archive, its facts, and a search as plain facts.

A file is data. Its texts may name parts of the library; a game, value function or model from user code or another file
must be given by the caller who resumes the agent.
"""

from __future__ import annotations

import re
from math import inf
from pathlib import Path
from typing import Any

from counterplay.about import version
from counterplay.archive import Archive, ArchiveKind
from counterplay.archive import write as write_archive
from counterplay.errors import FileError, InputError
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.tremble import PRIORS, check_weights
from counterplay.solvers.cfr import Stop
from counterplay.value_functions.leaf_value import is_fixed_value, value_function

_PARTS = frozenset(("behaviour", "other", "infosets", "sequences", "decided", "model"))
KIND = ArchiveKind("a saved agent", 3, _PARTS, old=frozenset(("facts",)))
SPOT, HOLDEM = "spot", "holdem"
"""Kinds of the agents of spots and of whole hold'em games, in their facts; those of games by histories have none."""
Saved = tuple[dict[str, Any], dict[str, Any]]
"""The facts and arrays of a file."""
_OLD_FORM = 2
"""Magic number of files without a checksum."""


def write(path: str | Path, saved: Saved) -> None:
    """Write a file whole or not at all; errors as of `archive.write`."""
    facts, arrays = saved
    write_archive(path, KIND, {"version": version(), **facts}, arrays)


def facts_of(archive: Archive) -> dict[str, Any]:
    """The facts of a file; refused if the file is of another version."""
    if archive.sealed:
        return archive.facts
    facts = archive.old_facts("facts")
    if not isinstance(facts, dict) or facts.get("form") != _OLD_FORM:
        raise FileError(f"{archive.path} is not a saved agent of this version")
    return facts


def checked_array(archive: Archive, name: str, shape: tuple[int, ...], game: str, kind: str = "f") -> Any:
    """An array of a file; refused if it is of another game."""
    if archive.shape(name) != shape:
        raise InputError(f"the saved agent does not fit {game}: its array '{name}' has another size")
    return archive.array(name, shape, kind)


def record_text(text: str) -> str:
    """The text of a saved record as this version reads it: files of older ones name value functions `value=`."""
    return re.sub(r"(?<=[:,\[])value=", "leaf=", text)


def not_named(path: Any, what: str, text: Any) -> FileError:
    """The error for a file that names code or another file. what: the argument that `resume` needs."""
    named = " ".join(str(text).split())[:80]
    return FileError(
        f"{path} names the {what} '{named}', which is not part of the library and is not loaded on behalf of a file; "
        f"give it again: cp.resume(path, {what}=...)"
    )


def search_facts(search: Search) -> dict[str, Any]:
    """A search as plain numbers and texts."""
    stop = search.stop
    return {
        "depth": str(search.depth),
        "p": search.p,
        "gadget": str(search.gadget),
        "value": search.value.name,
        "solver": str(search.solver),
        "tremble": [*vars(search.tremble).values()],
        "stop": [stop.exploitability, stop.iterations, stop.seconds],
    }


def search_of(path: Any, facts: dict[str, Any], leaf: Any, rules: Any) -> Search:
    """The search of such facts, in a game of these rules. leaf: the value function, which must be given if it is not
    part of the library."""
    if leaf is None:
        leaf = facts["value"]
        if not isinstance(leaf, str) or not is_fixed_value(rules, leaf):
            raise not_named(path, "leaf", leaf)
    exploitability, iterations, seconds = facts["stop"]
    stop = Stop(limit_of(exploitability), int(iterations), limit_of(seconds))
    alpha, prior, *rest = facts["tremble"]
    prior = prior if prior in PRIORS else check_weights(prior)
    look = LookAhead(facts["depth"], value_function(leaf), facts["gadget"], prior, *rest)
    return Search(look, facts["p"], alpha, facts["solver"], stop)


def limit_of(number: Any) -> float:
    """A limit from a file; None means no limit."""
    return inf if number is None else float(number)
