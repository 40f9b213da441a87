"""Lists of arguments: a public function's section `Args` names all of its parameters, each once, and nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import counterplay as cp
import counterplay_papers
from tests.support.sources import public_functions

SOURCES = (Path(cp.__file__).parent, Path(counterplay_papers.__file__).parent)
SECTION = re.compile(r"^Args:\n((?:    .*\n?|\n)*)", re.MULTILINE)
ENTRY = re.compile(r"^    (\w+(?:, \w+)*): ", re.MULTILINE)
"""Names that share a description, as in `mine, theirs: ranges.`"""


def test_lists_of_arguments_are_complete() -> None:
    """Where a docstring has no such section, parameters are in its sentences."""
    found = {
        f"{path}: {name}"
        for source in SOURCES
        for path in source.rglob("*.py")
        for name, function in public_functions(path)
        if not _lists_all_or_none(function)
    }
    assert not found


def test_the_rule_finds_incomplete_lists() -> None:
    def is_complete(*entries: str) -> bool:
        text = "\n".join(["The sum.", "", "    Args:", *(f"        {entry}" for entry in entries), "    "])
        return _rule_on(f'def f(self, x, *more, y=1, **rest):\n    """{text}"""')

    assert is_complete("x: a number.", "more, y: others: all of", "    them.", "rest: names.")
    assert not is_complete("x: a number.", "more, y: others.")
    assert not is_complete("x: a number; more: others.", "y, rest: more.")
    assert not is_complete("x: a number.", "more, y, rest: others.", "z: none.")
    assert not is_complete("x: a number.", "more, y, rest: others.", "x: the same.")
    assert _rule_on("def f(x): 'The sum of x.'")
    assert _rule_on("def f(x): ...")


def _rule_on(text: str) -> bool:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return _lists_all_or_none(function)


def _lists_all_or_none(function: ast.FunctionDef) -> bool:
    """Whether a docstring lists the parameters of its function, or has no list."""
    section = SECTION.search(ast.get_docstring(function) or "")
    if section is None:
        return True
    told = [name for names in ENTRY.findall(section[1]) for name in names.split(", ")]
    return sorted(told) == sorted(_parameters(function))


def _parameters(function: ast.FunctionDef) -> list[str]:
    """The names of a function's parameters; a method's own object is none."""
    of = function.args
    starred = [one for one in (of.vararg, of.kwarg) if one]
    names = [one.arg for one in (*of.posonlyargs, *of.args, *of.kwonlyargs, *starred)]
    return [name for name in names if name not in ("self", "cls")]
