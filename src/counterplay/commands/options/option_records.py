"""Commands whose options are the fields of records: each field is one option, and the values come back as the record.

The `Annotated` of a field or an argument is the option: its type, and an `Option` or a plain line of help. A record is a
dataclass, or a `TypedDict` of keywords, of which the command gets those that the user gave. A command that has no use for a
field leaves it out, as in `Annotated[BoardOptions, Without("boards")]`: the field keeps its default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from math import inf
from typing import Annotated, Any, get_args, get_origin, is_typeddict

import typer

from counterplay.errors import InputError, quoted
from counterplay.option import Option, hints_of, option_of, options_of

_LISTS: dict[Any, type] = {float | list[float]: float, int | list[int]: int}
"""Kinds of options that are a number or several, and the kind of number."""
_MOST_DIGITS = 8


class Without:
    """The fields of a record that a command does not offer."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Help:
    """Lines of help in place of those of a record's fields."""

    def __init__(self, **lines: str) -> None:
        self.lines = lines


@dataclass(frozen=True)
class AnyOf:
    """The fields of a record of which a command takes any, as a table of what the user gave; `Without` as there."""

    record: Any


_COMMAND: ContextVar[str] = ContextVar("command", default="")


def running_command() -> str:
    """The name of the command that runs, such as "respond" or "learn value"."""
    return _COMMAND.get()


def takes_records(example: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command with each argument that is a record replaced by options. example: a call, shown below the help."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = hints_of(command)
        records, taken = dict[str, tuple[Callable[..., Any], dict[str, Option]]](), list[Parameter]()
        for argument in inspect.signature(command).parameters.values():
            hint = hints[argument.name]
            kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
            table = next(
                (note.record for note in notes if isinstance(note, AnyOf)), kind if is_typeddict(kind) else None
            )
            if table is None and not is_dataclass(kind):
                taken.append(_parameter(argument.name, hint, argument.default))
                continue
            hidden = {name for note in notes if isinstance(note, Without) for name in note.names}
            lines = {name: line for note in notes if isinstance(note, Help) for name, line in note.lines.items()}
            options = dict[str, Option]()
            for name, one, option, default in options_of(table or kind):
                if name not in hidden and option.help is not None:
                    taken.append(_parameter(name, one, default if table is None else None, lines.get(name)))
                    options[name] = option
            records[argument.name] = (_given if table else kind), options

        @wraps(command)
        def run(**values: Any) -> None:
            made = {}
            for name, (make, options) in records.items():
                made[name] = make(**{key: _read(option, key, values.pop(key)) for key, option in options.items()})
            words = example.split()
            _COMMAND.set(" ".join(words[: 1 + (words[1:2] == [command.__name__])]))
            command(**values, **made)

        run.__dict__ |= {"__signature__": inspect.Signature(taken), "example": f"Example: counterplay {example}"}
        run.__annotations__ = {one.name: one.annotation for one in taken}
        return run

    return decorate


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def given_options(record: Any) -> dict[str, object]:
    """The options of a record that the user gave: none that is None."""
    return _given(**{field.name: getattr(record, field.name) for field in fields(record)})


def _parameter(name: str, hint: Any, default: Any, line: str | None = None) -> Parameter:
    """An option as the parser of the command line takes it; one that is annotated for the parser stays as it is."""
    if (note := option_of(hint)) is None:
        return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)
    kind: Any = str if note.kind in _LISTS else note.kind or get_args(hint)[0]
    kind = kind | None if default is None else kind
    about: dict[str, Any] = {"metavar": note.metavar, "help": line or note.help, "min": note.least, "max": note.most}
    if note.positional:
        found = typer.Argument(**about)
    else:
        if note.parser is not None:
            kind, about = Any, {**about, "parser": _parser(note.parser)}
        found = typer.Option(*(note.flags or (note.flag(name),)), hidden=note.hidden, **about)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, found])


def _parser(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def parse(word: Any) -> Any:
        try:
            return read(word)
        except InputError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


def _read(note: Option, name: str, text: Any) -> Any:
    """The value of an option: a list of numbers from its text, others as the parser has read them."""
    if note.kind not in _LISTS or text is None:
        return text
    number, words = _LISTS[note.kind], [word.strip() for word in text.split(",")]
    try:
        if number is int and not all(word.isdecimal() and len(word) <= _MOST_DIGITS for word in words):
            raise ValueError
        found = [number(word) for word in words]
    except ValueError:
        found = []
    if not 0 < len(found) <= (note.longest or inf):
        raise InputError(f"{note.flag(name)} takes {note.takes}, not {quoted(text)}")
    return found[0] if len(found) == 1 else found
