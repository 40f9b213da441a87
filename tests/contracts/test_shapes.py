"""Shapes of arrays: every public function that takes or returns arrays gives their shapes in its docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import counterplay as cp
from tests.support.sources import parsed, public_functions

SOURCE = Path(cp.__file__).parent
ALIAS = re.compile(r"^(\w+) = (?:NDArray\[|np\.ndarray)", re.MULTILINE)
STATE = "State"
"""Numbers of a position of a game written as rules, (size,) everywhere: it is documented with the rules."""
COMPILED = {"kernel", "rule", "intrinsic", "overload", "register"}
"""Decorators of compiled functions, which are documented where they are called."""
SHAPE = re.compile(r"\((?:[^(),`]{1,40},)+[^(),`]{0,40}\)|\bshape\b")
"""Lengths along the axes, as in `(n, 2)` or `(boards,)`."""
ELSEWHERE = re.compile(r"\b(?:see|See|as in|as for|as of|As|as) `")
"""The docstring of another function gives it."""


def test_public_functions_give_the_shapes_of_arrays() -> None:
    found = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path, names in _array_types().items()
        for name, function in public_functions(path)
        if _has_arrays(function, names) and not _gives_shapes(function, name)
    }
    assert not found


def test_the_rule_finds_arrays_without_shapes() -> None:
    bare = ast.parse("def f(x: Floats, y: int) -> None: 'The sum.'").body[0]
    told = ast.parse("def f(y: int) -> tuple[Floats, int]: '(n, 2) the sums.'").body[0]
    assert isinstance(bare, ast.FunctionDef)
    assert isinstance(told, ast.FunctionDef)
    assert _has_arrays(bare, {"Floats"})
    assert _has_arrays(told, {"Floats"})
    assert not _gives_shapes(bare, "f")
    assert _gives_shapes(told, "f")
    assert not _has_arrays(bare, {"Ints"})


def _array_types() -> dict[Path, set[str]]:
    """Names of array types by file: `NDArray`, and aliases that the file defines or imports."""
    defined = {path: set(ALIAS.findall(path.read_text())) - {STATE} for path in SOURCE.rglob("*.py")}
    names = {}
    for path, own in defined.items():
        names[path] = {"NDArray", "ndarray"} | own
        for node in parsed(path).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("counterplay."):
                home = SOURCE.joinpath(*str(node.module).split(".")[1:]).with_suffix(".py")
                names[path] |= {alias.name for alias in node.names} & defined.get(home, set())
    return names


def _has_arrays(function: ast.FunctionDef, names: set[str]) -> bool:
    """Whether a function that is not compiled takes or returns arrays."""
    decorators = {word for one in function.decorator_list for word in re.findall(r"\w+", ast.unparse(one))}
    hints = [function.returns, *(one.annotation for one in (*function.args.args, *function.args.kwonlyargs))]
    words = {node.id for one in hints if one for node in ast.walk(one) if isinstance(node, ast.Name)}
    return not decorators & COMPILED and bool(words & names)


def _gives_shapes(function: ast.FunctionDef, name: str) -> bool:
    """Whether the docstring gives a shape or names the function that does; a method without one has its protocol's."""
    text = ast.get_docstring(function)
    if text is None:
        return "." in name
    return bool(SHAPE.search(text) or ELSEWHERE.search(text))
