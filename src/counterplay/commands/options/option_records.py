"""Commands whose options are the fields of records: each field is one option, and the values come back as the record.

The annotation of a field defines the option: its type, flags, help and default. A command that has no use for a field leaves
it out, as in `Annotated[SpotFlags, Without("board")]`: the field keeps its default, and the help does not list it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any, get_args, get_origin, get_type_hints


@dataclass(frozen=True, init=False)
class Without:
    """The fields of a record that a command does not offer."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


def takes_records(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each argument that is a record replaced by its fields.

    Args:
        command: its arguments are annotated with dataclasses of options, or as `typer` has them.
    """
    hints: dict[str, Any] = get_type_hints(command, include_extras=True)
    records = {name: found for name, hint in hints.items() if (found := _record_in(hint)) is not None}
    taken: list[Parameter] = []
    for argument in inspect.signature(command).parameters.values():
        if argument.name in records:
            taken += options_of(*records[argument.name])
        else:
            taken.append(argument.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[argument.name]))

    @wraps(command)
    def run(**given: Any) -> None:
        made = {
            name: kind(**{one.name: given.pop(one.name) for one in _offered(kind, left_out)})
            for name, (kind, left_out) in records.items()
        }
        command(**given, **made)

    run.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    run.__annotations__ = {argument.name: argument.annotation for argument in taken}
    return run


def _record_in(hint: Any) -> tuple[Any, Without] | None:
    """The record of an annotation, and what is left out of it; None if it is of one option."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    left_out = next((note for note in notes if isinstance(note, Without)), Without())
    return (kind, left_out) if is_dataclass(kind) else None


def _offered(record: Any, left_out: Without) -> list[Field[Any]]:
    assert set(left_out.names) <= {field.name for field in fields(record)}, left_out
    return [field for field in fields(record) if field.name not in left_out.names]


def options_of(record: Any, left_out: Without = Without()) -> list[Parameter]:
    """The fields of a record as arguments of a command."""
    hints = get_type_hints(record, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in _offered(record, left_out)
    ]


def given_options(record: Any) -> dict[str, object]:
    """The options of a record that the user gave: none that is None."""
    return {field.name: value for field in fields(record) if (value := getattr(record, field.name)) is not None}
