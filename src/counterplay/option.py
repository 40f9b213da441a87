"""A field that users give: a flag of a command, a key of a file's table, an entry of JSON."""

from __future__ import annotations

from typing import Any


class Option:
    """What a field's `Annotated` says about it beside its type; a plain text there is an option's help.

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
