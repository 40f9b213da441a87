"""What the parser of the command line says of words that it does not know: briefly, without control characters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup

from counterplay.errors import InputError


class Brief(TyperGroup):
    """The program with its commands; an error of the parser's echoes no more of a user's words than our own errors do."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        """As in the parser."""
        with _shortened():
            return super().make_context(*words, **options)

    def invoke(self, ctx: Any) -> Any:
        """As in the parser, which reads the words of a command here."""
        with _shortened():
            return super().invoke(ctx)


@contextmanager
def _shortened() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        said: Any = error
        if hasattr(said, "format_message") and isinstance(getattr(said, "message", None), str):
            said.message = str(InputError(said.message))
        raise
