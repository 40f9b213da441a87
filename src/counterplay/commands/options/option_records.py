"""Commands whose options are the fields of records: each field is one option, and the values come back as the record.

The annotation of a field defines the option: its type, flags, help and default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Any, get_type_hints


def takes_records(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each argument that is a record replaced by its fields.

    Args:
        command: its arguments are annotated with dataclasses of options, or as `typer` has them.
    """
    hints: dict[str, Any] = get_type_hints(command, include_extras=True)
    records: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    taken: list[Parameter] = []
    for argument in inspect.signature(command).parameters.values():
        if argument.name in records:
            taken += options_of(records[argument.name])
        else:
            taken.append(argument.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[argument.name]))

    @wraps(command)
    def run(**given: Any) -> None:
        made = {name: kind(**{one.name: given.pop(one.name) for one in fields(kind)}) for name, kind in records.items()}
        command(**given, **made)

    run.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    run.__annotations__ = {argument.name: argument.annotation for argument in taken}
    return run


def options_of(record: Any) -> list[Parameter]:
    """The fields of a record as arguments of a command."""
    hints = get_type_hints(record, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(record)
    ]


def given_options(record: Any) -> dict[str, object]:
    """The options of a record that the user gave: none that is None."""
    return {field.name: value for field in fields(record) if (value := getattr(record, field.name)) is not None}
