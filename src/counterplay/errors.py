"""The one exception that means: the caller's input is wrong, and here is the culprit. And how its sentence quotes it."""

from __future__ import annotations

from collections.abc import Iterable

_QUOTED = 60
"""Most characters of a text of the user's that a message repeats."""
_LONGEST = 1000
"""Most characters of a whole message; what is longer loses its middle."""
_NESTED = 40
"""How many opponents may stand one inside the other."""


class InputError(ValueError):
    """A mistake in what the user gave: a spec, a file, a game, a number. Its message is one sentence in one line for the
    user: control characters in it are escaped, whoever put them there."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_shortened(escaped(str(message)), _LONGEST))


class UnknownError(InputError):
    """An unknown name. kind: of what. name: as the user wrote it."""

    def __init__(self, message: str, kind: str, name: str) -> None:
        super().__init__(message)
        self.kind, self.name = kind, name


class FileError(InputError):
    """What is wrong with a file, in a sentence that names it."""


class NoDealError(InputError):
    """Ranges that leave no two hands which can be dealt together."""


def in_file(path: object, error: InputError) -> FileError:
    """The same mistake, in a sentence that names the file."""
    return error if isinstance(error, FileError) else FileError(f"{path}: {error}")


def escaped(text: str) -> str:
    """A text in one line that can be printed anywhere: line breaks and control characters as `\\n` and `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def quoted(text: object) -> str:
    """A text of the user's for a message: in quotation marks, in one line, at most about 60 characters of it."""
    return f"'{_shortened(escaped(str(text)), _QUOTED)}'"


def reason(error: BaseException) -> str:
    """What somebody else's exception says, in one line: its type and its first words."""
    words = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {_shortened(escaped(words), 4 * _QUOTED)}" if words else name


def unknown(
    kind: str, name: str, known: Iterable[str], *, listed: Iterable[str] | None = None, where: str = "", lacks: str = ""
) -> UnknownError:
    """The sentence about an unknown name: with the nearest known one, or else with all of them.

    Args:
        kind: of thing: "game", "opponent", "method".
        name: what the user wrote; what stands behind its first colon is kept in the suggestion.
        known: the names that there are.
        listed: how they are listed where none is near; by default `known`, and not at all if it is empty.
        where: in front of the sentence, as in "in Flop Hold'em ".
        lacks: whose the missing thing is, as in "leduc has no parameter 'bats'"; by default "there is no ...".
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
    """The name that was meant, with what stands behind the first colon of what was written; None if none is near."""
    from difflib import get_close_matches

    head, colon, rest = name.partition(":")
    if len(head) > _QUOTED:
        return None
    names = {one.casefold(): one for one in known}
    if head.casefold() in names:
        found = names[head.casefold()]
        return found + colon + rest if found != head else found
    near = get_close_matches(head.casefold(), names, n=1, cutoff=0.6)
    return names[near[0]] + colon + rest if near else None


def check_nesting(text: str) -> None:
    """Refuse a text in which more opponents stand one inside the other than anybody means.

    Raises:
        InputError: before anything of it is read.
    """
    if text.count(":") > 3 * _NESTED:
        raise InputError(f"{quoted(text)} nests too many opponents; at most {_NESTED} may stand one inside the other")


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end]}…{text[-end:]}"
