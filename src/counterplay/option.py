"""A field that users give: a flag of a command, a key of a file's table, an entry of JSON."""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter
from typing import Annotated, Any, get_args, get_origin, get_type_hints


class Option:
    """An option in a field's `Annotated`, beside its type; a plain text there is an option's help.

    Attributes:
        help: one line; None for a field without a flag.
        flags: on the command line; by default `--` and the field's name.
        metavar: what stands for the value in the help.
        least, most: of a number.
        kind: what users write, where a field takes more than that in Python.
        longest: most letters of a text in JSON, most numbers of a list.
        takes: what a list of numbers is, for messages.
        parser: reads a word of the command line.
        hidden: not in the help.
        positional: an argument without a flag.
    """

    def __init__(
        self, help: str | None = None, *flags: str, metavar: str | None = None, least: float | None = None,
        most: float | None = None, kind: Any = None, longest: int | None = None, takes: str = "", parser: Any = None,
        hidden: bool = False, positional: bool = False,
    ) -> None:  # fmt: skip
        self.help, self.flags, self.metavar, self.least, self.most = help, flags, metavar, least, most
        self.kind, self.longest, self.takes = kind, longest, takes
        self.parser, self.hidden, self.positional = parser, hidden, positional

    def flag(self, name: str) -> str:
        """The last flag of a field of this name."""
        return self.flags[-1] if self.flags else f"--{name.replace('_', '-')}"


class _Names(dict[str, Any]):
    """The names of a module; one that it imports for types alone is `Any`."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def hints_of(annotated: Any) -> dict[str, Any]:
    """The annotations of a function, or of a record and its bases, whose options are all that matters."""
    hints: dict[str, Any] = {}
    for one in reversed(getattr(annotated, "__mro__", (annotated,))):
        if own := inspect.get_annotations(one):
            names = _Names(vars(sys.modules[one.__module__]))
            hints |= get_type_hints(type("Own", (), {"__annotations__": own}), localns=names, include_extras=True)
    return hints


def option_of(hint: Any) -> Option | None:
    """The option of an annotation, if it is one."""
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((Option(one) if isinstance(one, str) else one for one in notes if isinstance(one, str | Option)), None)


def options_of(record: Any) -> Iterator[tuple[str, Any, Option, Any]]:
    """The options of a dataclass or a `TypedDict`: name, annotation, option, and default, if any, else `Parameter.empty`."""
    hints = hints_of(record)
    defaults = {one.name: one.default for one in fields(record)} if is_dataclass(record) else dict.fromkeys(hints)
    for name, default in defaults.items():
        if (option := option_of(hints[name])) is not None:
            yield name, hints[name], option, Parameter.empty if default is MISSING else default
