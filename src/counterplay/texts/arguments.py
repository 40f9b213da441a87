"""Kinds of arguments of public functions: a wrong one is refused in a sentence before anything is computed.

@takes(hands=WHOLE, progress=FUNCTION)
def match(game, hands, progress=None): ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_type_hints

from counterplay.errors import ArgumentError, InputError, quoted, unknown

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
    """A value for a message: a number or a text itself, a class by its name, or the class of anything else."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
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
    """A function whose arguments of these names are checked. options: the `TypedDict` of further keywords. The error for
    an unknown keyword names the most similar one, and the argument that has it as a field."""

    def checked(function: F) -> F:
        signature = inspect.signature(function)
        plain = [one.name for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        further = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD), "")
        assert set(kinds) <= set(signature.parameters), function

        @wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            try:
                bound = signature.bind(*given, **named).arguments
            except TypeError:
                raise unfit(function.__name__, signature, given, named, kinds) from None
            if options is not None:
                for key in bound.get(further, {}):
                    if key not in _keys(options):
                        raise _unknown(function.__name__, key, [*plain, *_keys(options)], kinds)
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


_MEANT = {
    "seat": ("player",), "player": ("seat",), "method": ("methods", "solver"), "value": ("leaf",), "to": ("model",),
    "opponent": ("model", "against"), "model": ("against", "models"), "text": ("source",), "methods": ("method",),
    "exploitability": ("percent_of_pot",),
}  # fmt: skip
"""Words that people use for arguments, and the arguments that they may mean."""


def unfit(
    name: str, signature: inspect.Signature, given: tuple[Any, ...], named: Mapping[str, Any],
    kinds: Mapping[str, ArgumentKind],
) -> InputError:  # fmt: skip
    """The error for arguments that a function does not take: an unknown keyword, one too many, one given twice, or one that
    is missing."""
    known = signature.parameters
    for key in named:
        if key not in known:
            return _unknown(name, key, [one.name for one in known.values() if one.kind is not one.VAR_KEYWORD], kinds)
    bare = [key for key, one in known.items() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if len(given) > len(bare):
        there = f"{len(bare)} ({', '.join(bare)})" if bare else "none"
        return ArgumentError(f"{name} takes {there} without a name, and {len(given)} are given")
    twice = [key for key in bare[: len(given)] if key in named]
    if twice:
        return ArgumentError(f"{name}: {twice[0]} is given twice, by its place and by its name")
    variable = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    needed = [one for one in known.values() if one.default is one.empty and one.kind not in variable]
    missing = [one.name for one in needed if one.name not in named and one.name not in bare[: len(given)]]
    call = ", ".join(f"{one.name}=..." if one.kind is one.KEYWORD_ONLY else one.name for one in needed)
    words = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
    return ArgumentError(f"{name} needs {words}, as in {name}({call})")


def _unknown(name: str, key: str, known: Iterable[str], kinds: Mapping[str, ArgumentKind]) -> InputError:
    """The error for an unknown keyword."""
    for argument, kind in kinds.items():
        record = kind.types[0]
        if is_dataclass(record) and key in {field.name for field in fields(record)}:
            place = f"{argument}={record.__name__}({key}=...)"
            return ArgumentError(f"{name} has no option '{key}'; it is a part of {argument}, as in {place}")
    meant = next((word for word in _MEANT.get(key, ()) if word in known), None)
    if meant is not None:
        return ArgumentError(f"{name} has no option '{key}'; did you mean '{meant}'?")
    return ArgumentError(str(unknown("option", key, known, lacks=name)))


class Checked(type):
    """The type of classes whose constructor refuses, in a sentence, arguments that it does not take."""

    if not TYPE_CHECKING:  # type checkers take the constructor's own signature

        def __call__(cls, *given: Any, **named: Any) -> Any:
            try:
                return super().__call__(*given, **named)
            except TypeError:
                signature = cls.__signature__
                try:
                    signature.bind(*given, **named)
                except TypeError:
                    raise unfit(cls.__name__, signature, given, named, {}) from None
                raise

        @property
        def __signature__(cls) -> inspect.Signature:
            if cls.__init__ is object.__init__:
                return inspect.Signature()
            own = inspect.signature(cls.__init__)
            return own.replace(parameters=list(own.parameters.values())[1:])


def check_keywords(function: str, given: Mapping[str, Any], known: Any) -> None:
    """Reject a keyword of a function that is no key of a `TypedDict`; the error names the most similar one."""
    for key in given:
        if key not in _keys(known):
            raise _unknown(function, key, _keys(known), {})


@cache
def _keys(known: Any) -> Mapping[str, Any]:
    """The types of a `TypedDict`, whose texts take longer to evaluate than a small program to solve."""
    return get_type_hints(known)
