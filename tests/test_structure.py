"""The shape of the package: imports point one way, names are public once, importing is light, memory is bounded."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import counterplay as cp

SOURCE = Path(cp.__file__).parent
ORDER = (
    "games",
    "treeplex",
    "leaves",
    "subgames",
    "solvers",
    "poker",
    "opponents",
    "resolving",
    "responses",
    "agents",
    "measure",
    "experiments",
    "commands",
    "cli",
    "__main__",
)
"""Every package imports from itself and from those before it; those that belong to everybody import each other only."""
EVERYBODY = {"errors", "files", "jit", "about", "archive", "npz", "json_text", "catalogue", "display"}


def _imports(path: Path) -> set[str]:
    """The packages of counterplay that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "counterplay" else [f"counterplay.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("counterplay.")}
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    home = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if home == "__init__":
        return
    allowed = EVERYBODY if home in EVERYBODY else EVERYBODY | set(ORDER[: ORDER.index(home) + 1])
    assert _imports(path) <= allowed


def test_every_package_is_in_the_order() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert packages == set(ORDER) - {"cli", "__main__"} | {"jit"}


def test_public_names_exist() -> None:
    for name in cp.__all__:
        assert getattr(cp, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = cp.nonsense


def test_importing_loads_nothing_heavy() -> None:
    """`import counterplay` and `counterplay games` must not pay for numba, scipy or HiGHS."""
    code = (
        "import sys, counterplay, counterplay.cli; from counterplay.games import GAMES;"
        "print([m for m in ('numba', 'scipy', 'highspy', 'matplotlib', 'rich', 'numpy') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.parametrize("spec", ["leduc", "goofspiel:5", "liars_dice:1,5"])
def test_memory_of_a_compiled_game(spec: str) -> None:
    """At most 100 bytes a payoff entry and 200 a sequence, everything in the compiled game counted."""
    game = cp.load(spec)
    arrays: dict[int, int] = {}
    _count(game, arrays, set())
    sequences = sum(tree.sequences for tree in game.trees)
    assert sum(arrays.values()) <= 100 * game.payoff.entries + 200 * sequences


def _count(thing: object, arrays: dict[int, int], seen: set[int]) -> None:
    """Bytes of all arrays that can be reached, each counted once."""
    import numpy as np

    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        arrays[id(thing)] = thing.nbytes
    elif isinstance(thing, tuple | list):
        for item in thing:
            _count(item, arrays, seen)
    elif hasattr(thing, "__dict__") and type(thing).__module__.startswith("counterplay"):
        for item in vars(thing).values():
            _count(item, arrays, seen)
