"""Guards of the interface: a snapshot of public names and signatures, and the forty names that the docs begin with."""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_origin

import counterplay as cp

ROOT = Path(__file__).parents[2]
SNAPSHOT = ROOT / "tests" / "typing" / "public_names.txt"


def _line(name: str) -> str:
    """A public name with its signature, or with its public members."""
    thing: Any = getattr(cp, name)
    if inspect.isfunction(thing):
        return f"{name}{inspect.signature(inspect.unwrap(thing))}"
    if not isinstance(thing, type):
        return f"{name} = {thing!r}"
    own = (
        [field.name for field in fields(thing)] if is_dataclass(thing) else list(getattr(thing, "__annotations__", {}))
    )
    members = (
        one
        for one in dir(thing)
        if not one.startswith("_") and hasattr(thing, one) and not hasattr(object, one) and one not in own
    )
    kinds = (dict, list, tuple, str)
    inherited = {one for kind in kinds if issubclass(thing, kind) or get_origin(thing) for one in dir(kind)}
    shown = [*own, *(one for one in members if one not in inherited)]
    return f"class {name}: {', '.join(dict.fromkeys(shown))}"


def test_public_names_are_those_of_the_snapshot() -> None:
    """A change of the interface is a change of this file, which UPDATE_NAMES=1 writes; CONTRIBUTING says what may change."""
    text = "".join(f"{_line(name)}\n" for name in cp.__all__)
    if os.environ.get("UPDATE_NAMES"):
        SNAPSHOT.write_text(text)
    assert text == SNAPSHOT.read_text()


def test_the_names_that_matter_are_public_and_few() -> None:
    page = (ROOT / "docs" / "api.rst").read_text().partition("Reference by subject")[0]
    names = re.findall(r"``cp\.(\w+)", page)
    assert len(set(names)) == 40
    assert set(names) <= set(cp.__all__)
