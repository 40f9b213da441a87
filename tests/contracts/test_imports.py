"""Names that programs beside the package import from it exist: benchmarks, examples and the attack run rarely."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.sources import parsed

ROOT = Path(__file__).parents[2]
PROGRAMS = [path for folder in ("benchmarks", "examples", "attack") for path in sorted((ROOT / folder).rglob("*.py"))]
PACKAGES = ("counterplay", "counterplay_papers")


def _exists(module: str, name: str) -> bool:
    """Return whether a module has a name, which may be a module of its own."""
    if hasattr(import_module(module), name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_imported_names_exist(program: Path) -> None:
    found = [
        (node.module, alias.name)
        for node in ast.walk(parsed(program))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in PACKAGES
        for alias in node.names
    ]
    assert [pair for pair in found if not _exists(*pair)] == []
