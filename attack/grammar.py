"""Command lines, bad in many ways: read from the program's own options, filled from `words`."""

from __future__ import annotations

import enum
import inspect
import random
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from attack.lines import LINES, RARE
from attack.words import JUNK, NUMBER, TEXTS, WHOLE, Texts

_SURE = 0.12
"""How often a working line stays as it is."""


@dataclass(frozen=True)
class Parameter:
    """An argument (no names) or an option of a command, as the program declares it."""

    name: str
    names: tuple[str, ...]
    kind: type
    flag: bool


_TALKING = ("acpc-dealer", "acpc-client", "slumbot", "page", "mcp")
"""Commands that wait for another program or a browser, or ask a public server."""


@cache
def commands() -> dict[str, tuple[Parameter, ...]]:
    """The program's commands with their parameters, but for those that talk to other programs."""
    from counterplay.commands.parsing.program import program

    found = {}
    for info in program().registered_commands:
        assert info.callback
        name = info.name or info.callback.__name__.replace("_", "-")
        if name not in _TALKING:
            found[name] = _parameters(info.callback)
    return found


def _parameters(callback: Any) -> tuple[Parameter, ...]:
    hints = get_type_hints(callback, include_extras=True)
    return tuple(_parameter(name, hints[name]) for name in inspect.signature(callback).parameters)


def _parameter(name: str, hint: Any) -> Parameter:
    kind, *notes = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
    declared = [note for note in notes if type(note).__name__ in ("OptionInfo", "ArgumentInfo")]
    option = not declared or type(declared[0]).__name__ == "OptionInfo"
    given = _declared(declared[0]) if declared else ()
    names = tuple(word for text in given for word in text.split("/")) or (f"--{name.replace('_', '-')}",)
    plain = _plain(kind)
    return Parameter(name, names if option else (), plain, option and plain is bool)


def _declared(info: Any) -> tuple[str, ...]:
    """The names that stand in a declaration; the first one may pass for its default."""
    first = (info.default,) if isinstance(info.default, str) and info.default.startswith("-") else ()
    return (*first, *(info.param_decls or ()))


def _plain(kind: Any) -> type:
    """The type inside `list[...]` and `... | None`."""
    inner = [one for one in get_args(kind) if one is not type(None)]
    if get_origin(kind) is not None or inner:
        return _plain(inner[0])
    return kind if isinstance(kind, type) else str


def texts_of(command: str, parameter: Parameter) -> Texts:
    """What a parameter may be given: its own texts, or those of its type."""
    for key in (f"{command}.{parameter.name}", parameter.name):
        if key in TEXTS:
            return TEXTS[key]
    if issubclass(parameter.kind, enum.Enum):
        return Texts(tuple(str(one.value) for one in parameter.kind), ("nosuch", ""))
    return {int: WHOLE, float: NUMBER, Path: TEXTS["output"]}.get(parameter.kind, Texts(("x",)))


def line_of(draw: random.Random) -> list[str]:
    """The words of one command line, without the program's name."""
    known = commands()
    if draw.random() < 0.01:
        return [draw.choice((*JUNK, "--version", "--help", "-h", "solv")) for _ in range(draw.randrange(3))]
    names = list(known)
    command = draw.choices(names, [RARE.get(name, 1.0) for name in names])[0]
    words = shlex.split(draw.choice(LINES[command])) if command in LINES else [command, "--nosuch-option"]
    if command in LINES and draw.random() < _SURE:
        return words
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        words = draw.choice(_SPOIL)(command, known[command], words, draw)
    return words


def _value(command: str, parameter: Parameter, draw: random.Random) -> str:
    good, bad = texts_of(command, parameter)
    chance = draw.random()
    if chance < 0.45:
        return draw.choice(good)
    if chance < 0.85 and bad:
        return draw.choice(bad)
    return draw.choice(JUNK) if chance < 0.95 else _garbled(draw.choice(good), draw)


def _garbled(text: str, draw: random.Random) -> str:
    """A text with some characters lost, doubled, exchanged or put in."""
    letters = list(text)
    for _ in range(draw.choice((1, 1, 2, 5))):
        at = draw.randrange(len(letters) + 1)
        kind = draw.randrange(4)
        if kind == 0 and letters:
            del letters[at - 1]
        elif kind == 1:
            letters[at:at] = letters[: draw.randrange(4)]
        else:
            letters[at : at + kind - 2] = draw.choice(":,;=-.% /\n\té٣0919eE+[](){}'\"\\xab")
    return "".join(letters)


def _with_option(command: str, known: tuple[Parameter, ...], words: list[str], draw: random.Random) -> list[str]:
    """One more option, or the same one again."""
    options = [one for one in known if one.names]
    if not options:
        return words
    one = draw.choice(options)
    name = draw.choice(one.names)
    if one.flag:
        return [*words, name]
    value = _value(command, one, draw)
    return [*words, f"{name}={value}"] if name.startswith("--") and draw.random() < 0.2 else [*words, name, value]


def _with_value(command: str, known: tuple[Parameter, ...], words: list[str], draw: random.Random) -> list[str]:
    """Another value for an argument or option that is there."""
    arguments = [one for one in known if not one.names]
    named = {name: one for one in known for name in one.names}
    places: list[tuple[int, Parameter]] = []
    at, count = 1, 0
    while at < len(words):
        one = named.get(words[at])
        if one is not None and not one.flag and at + 1 < len(words):
            places.append((at + 1, one))
            at += 2
        elif one is None and count < len(arguments):
            places.append((at, arguments[count]))
            count += 1
            at += 1
        else:
            at += 1
    if not places:
        return words
    where, one = draw.choice(places)
    return [*words[:where], _value(command, one, draw), *words[where + 1 :]]


def _without(command: str, known: tuple[Parameter, ...], words: list[str], draw: random.Random) -> list[str]:
    at = draw.randrange(len(words))
    return [*words[:at], *words[at + 1 :]] if at else words


def _swapped(command: str, known: tuple[Parameter, ...], words: list[str], draw: random.Random) -> list[str]:
    if len(words) < 3:
        return words
    i, j = draw.randrange(1, len(words)), draw.randrange(1, len(words))
    words = list(words)
    words[i], words[j] = words[j], words[i]
    return words


def _with_junk(command: str, known: tuple[Parameter, ...], words: list[str], draw: random.Random) -> list[str]:
    at = draw.randrange(1, len(words) + 1)
    return [*words[:at], draw.choice(JUNK), *words[at:]]


def _misspelled(command: str, known: tuple[Parameter, ...], words: list[str], draw: random.Random) -> list[str]:
    at = draw.randrange(len(words))
    return [*words[:at], _garbled(words[at], draw), *words[at + 1 :]]


_SPOIL = (_with_value,) * 6 + (_with_option,) * 5 + (_without, _swapped, _with_junk, _misspelled)
