"""The exception for invalid input, which names the culprit, and the quoting of texts in messages."""

from __future__ import annotations

from collections.abc import Iterable

_QUOTED = 60
"""The most characters of user text that a message repeats."""
_LONGEST = 1000
"""The most characters of a message; longer ones lose their middle."""
_NESTED = 40
"""The deepest nesting of opponents."""


class InputError(ValueError):
    """An error in user input: a spec, a file, a game, a number. Its message is one sentence in one line for the user:
    control characters are escaped.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(_shortened(escaped(str(message)), _LONGEST))


class UnknownError(InputError):
    """An unknown name: the kind of the named thing, and the user's text."""

    def __init__(self, message: str, kind: str, name: str) -> None:
        super().__init__(message)
        self.kind, self.name = kind, name


class ArgumentError(InputError, TypeError):
    """A call with a missing, surplus or unknown argument."""


class MissingKeyError(InputError, KeyError):
    """A key that a mapping of ours lacks."""

    __str__ = ValueError.__str__  # a KeyError's has quotation marks


class FileError(InputError):
    """An error in a file; the message names the file."""


class SeatError(InputError):
    """A model of a player who does not sit in the seat that is asked for."""


class NoDealError(InputError):
    """Ranges that leave no two hands which can be dealt together."""


def in_file(path: object, error: InputError) -> FileError:
    """The same error with the file's name in its message."""
    return error if isinstance(error, FileError) else FileError(f"{path}: {error}")


def escaped(text: str) -> str:
    """A text in one line that can be printed anywhere: line breaks and control characters as `\\n` and `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def quoted(text: object) -> str:
    """User text for a message: in quotation marks, in one line, at most about 60 characters of it."""
    return f"'{_shortened(escaped(str(text)), _QUOTED)}'"


def reason(error: BaseException) -> str:
    """A foreign exception in one line: its type and first words."""
    words = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {_shortened(escaped(words), 4 * _QUOTED)}" if words else name


def unknown(
    kind: str, name: str, known: Iterable[str], *, listed: Iterable[str] | None = None, where: str = "", lacks: str = ""
) -> UnknownError:
    """The error for an unknown name, with the most similar known one, or else all of them.

    Args:
        kind: kind of thing: "game", "opponent", "method".
        name: the user's text; the part after its first colon is kept in the suggestion.
        known: the known names.
        listed: the names listed if none is similar; by default `known`; nothing if it is empty.
        where: prefix of the message, as in "in Flop Hold'em ".
        lacks: owner of the missing thing, as in "leduc has no parameter 'bats'"; by default "there is no ...".
    """
    if not isinstance(name, str):
        raise InputError(f"a {kind} is a text, not {type(name).__name__}")
    names = list(known)
    sentence = where + (f"{lacks} has no" if lacks else "there is no") + f" {kind} {quoted(name)}"
    if near := nearest(name, names):
        return UnknownError(f"{sentence}; did you mean {quoted(near)}?", kind, name)
    there = names if listed is None else list(listed)
    rest = f"; {'it has' if lacks else 'there are'} {', '.join(there)}" if there else ""
    return UnknownError(sentence + rest, kind, name)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The most similar name, with the part after the first colon of the user's text; None if none is similar."""
    from difflib import get_close_matches

    head, colon, rest = name.partition(":")
    if len(head) > _QUOTED:
        return None
    names = {candidate.casefold(): candidate for candidate in known}
    if head.casefold() in names:
        same = names[head.casefold()]
        return same + colon + rest if same != head else same
    near = get_close_matches(head.casefold(), names, n=1, cutoff=0.6)
    return names[near[0]] + colon + rest if near else None


def check_nesting(text: str) -> None:
    """Reject a text with too deeply nested opponents, before it is parsed."""
    if text.count(":") > 3 * _NESTED:
        raise InputError(f"{quoted(text)} nests too many opponents; at most {_NESTED} may be nested")


def check_encodable(names: Iterable[str], what: str) -> None:
    """Reject names with half of a surrogate pair, which no file can hold as UTF-8; what: "an action", for the message."""
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"{what} is named {quoted(name)}, which cannot be written as UTF-8") from None


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end]}…{text[-end:]}"
