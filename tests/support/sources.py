"""The files of the package, read once for all tests that look at them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax of a file."""
    return ast.parse(path.read_text())


def public_functions(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Public functions, and public methods of public classes as `Class.method`."""
    for node in parsed(path).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            inner = (one for one in node.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"))
            yield from ((f"{node.name}.{one.name}", one) for one in inner)
