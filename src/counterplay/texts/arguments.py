"""Kinds of arguments of public functions: a wrong one is refused in a sentence before anything is computed.

@takes(hands=WHOLE, progress=FUNCTION)
def match(game, hands, progress=None): ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple, TypeVar, get_type_hints

from counterplay.errors import InputError, quoted, unknown

F = TypeVar("F", bound=Callable[..., Any])


class ArgumentKind(NamedTuple):
    """A kind of argument: a noun for messages, its classes, the bounds of numbers, and whether None will do."""

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


def takes(options: Any = None, **kinds: ArgumentKind) -> Callable[[F], F]:
    """A function whose arguments of these names are checked. A missing or surplus one stays Python's own `TypeError`;
    options: the `TypedDict` of further keywords, of which the error for an unknown one names the most similar."""

    def checked(function: F) -> F:
        signature = inspect.signature(function)
        assert set(kinds) <= set(signature.parameters), function

        @wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            bound = signature.bind(*given, **named).arguments
            if options is not None:
                check_keywords(function.__name__, bound.get("options", {}), options)
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


def check_keywords(function: str, given: Mapping[str, Any], known: Any) -> None:
    """Reject a keyword of a function that is no key of a `TypedDict`; the error names the most similar one."""
    for key in given:
        if key not in _keys(known):
            raise unknown("option", key, _keys(known), lacks=function)


@cache
def _keys(known: Any) -> Mapping[str, Any]:
    """The types of a `TypedDict`, whose texts take longer to evaluate than a small program to solve."""
    return get_type_hints(known)
