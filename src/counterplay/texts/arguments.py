"""Kinds of arguments of public functions: what is none of its kind is refused in a sentence before anything is computed.

@takes(hands=WHOLE, progress=FUNCTION)
def match(game, hands, progress=None): ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple, TypeVar

from counterplay.errors import InputError, quoted

F = TypeVar("F", bound=Callable[..., Any])


class ArgumentKind(NamedTuple):
    """A kind of argument.

    Attributes:
        what: noun for messages.
        types: its classes.
        least: the least number; any if None.
        most: the largest number; any if None.
        optional: whether it may be None.
    """

    what: str
    types: tuple[type[Any], ...]
    least: int | None = None
    most: int | None = None
    optional: bool = False


WHOLE = ArgumentKind("a whole number", (Integral,))
COUNT = ArgumentKind("a whole number of at least 1", (Integral,), 1)
SEED = ArgumentKind("a whole number of at least 0", (Integral,), 0)
SEAT = ArgumentKind("0 or 1", (Integral,), 0, 1)
NUMBER = ArgumentKind("a number", (Real,))
TEXT = ArgumentKind("a text", (str,))
PATH = ArgumentKind("a path", (str, PathLike))
SEVERAL = ArgumentKind("several, as in a list", (Iterable,))
MANY_OR_ALL = ArgumentKind("a whole number or 'all'", (Integral, str))
FUNCTION = ArgumentKind("a function", (Callable,))  # type: ignore[arg-type]  # a class for isinstance


def shown(value: object) -> str:
    """A value for a message: a number or a text itself, or the class of anything else."""
    if isinstance(value, Real):
        return f"{float(value):g}"
    return quoted(value) if isinstance(value, str) else "None" if value is None else type(value).__name__


def or_none(kind: ArgumentKind) -> ArgumentKind:
    """The kind, or None."""
    return kind._replace(optional=True)


def instance(what: str, *types: type[Any]) -> ArgumentKind:
    """The instances of some classes."""
    return ArgumentKind(what, types)


def takes(**kinds: ArgumentKind) -> Callable[[F], F]:
    """A function whose arguments are checked. A missing or surplus argument stays Python's own `TypeError`.

    Args:
        kinds: by the names of arguments; those without a kind are checked by the function itself.
    """

    def checked(function: F) -> F:
        signature = inspect.signature(function)
        assert set(kinds) <= set(signature.parameters), function

        @wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            bound = signature.bind(*given, **named).arguments
            for name, kind in kinds.items():
                value = bound.get(name)
                if name not in bound or (value is None and kind.optional):
                    continue
                if (
                    not isinstance(value, kind.types)
                    or (kind.least is not None and value < kind.least)
                    or (kind.most is not None and value > kind.most)
                ):
                    raise InputError(f"{function.__name__}: {name} must be {kind.what}, not {shown(value)}")
            return function(*given, **named)

        return run  # type: ignore[return-value]

    return checked
