"""Messages for words that the command-line parser does not know: one sentence, like our own errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup

from counterplay.errors import InputError


class Brief(TyperGroup):
    """The program with its commands; an error of the parser's is an error like our own."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        """As in the parser."""
        with _in_one_sentence():
            return super().make_context(*words, **options)

    def invoke(self, ctx: Any) -> Any:
        """As in the parser, which reads the words of a command here."""
        with _in_one_sentence():
            return super().invoke(ctx)


_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "it is no whole number",
    "Input should be a valid number, unable to parse string as a number": "it is no number",
    "Input should be": "it must be",
    "Value error, ": "",
}
"""Words of the validator's, and ours."""


def _plain(text: str) -> str:
    for theirs, ours in _WORDS.items():
        text = text.replace(theirs, ours)
    return text


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        said: Any = error
        if not hasattr(said, "format_message") or type(error).__name__ == "NoArgsIsHelpError":  # which shows the help
            raise
        text = _plain(said.format_message().strip().rstrip("."))
        of = getattr(said, "ctx", None)
        path = f" ({of.command_path} -h shows all)" if of is not None else ""
        raise InputError(text[:1].lower() + str(InputError(text[1:])) + path) from None
