"""Specs of games, as in `leduc:4,2,cap=3`: parameters read from a text and written from values; and objects that the user
names as `module:name` or `module:name:parameters`, looked up in the current folder too.

The name in a file is the shortest spec, so that it loads the same game.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from inspect import Parameter
from types import ModuleType
from typing import Any

from counterplay.errors import InputError, nearest, quoted, reason, unknown
from counterplay.texts.grammar import bracketed, tokens

_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_ANY = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def parameters(name: str, text: str, factory: Callable[..., Any], *, exact: bool = True) -> dict[str, Any]:
    """The arguments that a text gives to a factory: `value,value,key=value`, values in the order of the parameters.

    exact: a value has the type of the parameter's default; otherwise any number will do where the default is one or where
    there is none. An `InputError` names a parameter that is unknown, missing, repeated or no such value."""
    try:
        signature = inspect.signature(factory).parameters
    except ValueError:  # of a class that is not written in Python
        signature = {}  # type: ignore[assignment]
    known = {key: parameter for key, parameter in signature.items() if parameter.kind not in _ANY}
    order, open_ended = list(known), any(entry.kind is Parameter.VAR_KEYWORD for entry in signature.values())
    given: dict[str, Any] = {}
    words = [word for word in tokens(f"{name}:{text}", text, last="") if word != (None, "")]
    for i, (key, value) in enumerate(words):
        if key is None:
            if i >= len(order):
                there = ", ".join(order) or "none"
                raise InputError(f"{name}: {quoted(value)} is one parameter too many; there are {there}")
            key = order[i]
        if key not in known and not open_ended:
            raise unknown("parameter", key, order, lacks=name)
        if key in given:
            raise InputError(f"{name}: {quoted(key)} is given twice")
        default = known[key].default if key in known else Parameter.empty
        given[key] = _value(name, key, value, default, exact)
    for key, parameter in known.items():
        if parameter.default is Parameter.empty and key not in given:
            raise InputError(f"{name} needs the parameter {key}, as in {name}:{key}=1")
    return given


def _value(name: str, key: str, text: str, default: Any, exact: bool) -> Any:
    """The text as the type of the parameter's default."""
    try:
        if isinstance(default, bool):
            return _WORDS[text.lower()]
        if default is Parameter.empty or default is None:
            try:
                return _number(text)
            except ValueError:
                return text
        if not exact and isinstance(default, int | float):
            return _number(text)
        return type(default)(text)
    except (KeyError, ValueError, TypeError):
        raise InputError(f"{name}: {key} must be like {default!r}, not {quoted(text)}") from None


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def spec_of(name: str, factory: Callable[..., Any], **values: Any) -> str:
    """The shortest spec of `factory` called with `values`: defaults are left out.

    Positional parameters come first, without names, as in `liars_dice:1,6`; keyword-only ones as `key=value`."""
    bare: list[str] = []
    keyed: list[str] = []
    needed = 0
    for key, parameter in inspect.signature(factory).parameters.items():
        differs = values[key] != parameter.default
        if parameter.kind is Parameter.KEYWORD_ONLY:
            keyed += [f"{key}={_text(values[key])}"] if differs else []
        else:
            bare.append(_text(values[key], bare=True))
            needed = len(bare) if differs else needed
    words = bare[:needed] + keyed
    return f"{name}:{','.join(words)}" if words else name


def _text(value: Any, *, bare: bool = False) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return bracketed(str(value), bare=bare)


def cell_name(row: int, column: int) -> str:
    """A square of a board: rows are letters from the top, columns are numbers from the left; `A1` is top left."""
    return f"{chr(ord('A') + row)}{column + 1}"


def share_of(what: str, text: str) -> float:
    """A probability from a text; `what` names the culprit in errors."""
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{what}: the weight must be a number, not {quoted(text)}") from None
    if not 0.0 <= number <= 1.0:
        raise InputError(f"{what}: the weight must be between 0 and 1, not {quoted(text)}")
    return number


def is_plugin(text: str, own: Iterable[str] = ()) -> bool:
    """Return whether a text is `module:name`, perhaps with parameters; the library's `own` words are no modules."""
    module, _, rest = text.partition(":")
    names = (*module.split("."), rest.partition(":")[0])
    return module not in own and all(name.isidentifier() for name in names)


def called(spec: str, what: str, known: Iterable[str] = (), *, factories: bool = False) -> Any:
    """The object of `import_object`; a class is called, as is anything with parameters, and with `factories` a function
    without parameters, too. An `InputError` if the parameters do not fit, or the call fails."""
    named = import_object(spec, what, known)
    name = ":".join(spec.split(":")[:2])
    text = spec[len(name) + 1 :]
    if not text and not isinstance(named, type) and not (factories and inspect.isfunction(named)):
        return named
    if not callable(named):
        raise InputError(f"{quoted(name)} is not a class or function and takes no parameters")
    given = parameters(name, text, named, exact=False)
    try:
        return named(**given)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{quoted(spec)} cannot be made: {reason(error)}") from error


def import_object(spec: str, what: str, known: Iterable[str] = ()) -> Any:
    """The object `name` of `module`, from the text `module:name`, whatever follows it. what: the kind of thing that is
    expected, of which `known` names need no import. An `InputError` if there is none, or while it is imported."""
    if not is_plugin(spec):
        raise InputError(f"{quoted(spec)} is no {what}: a plug-in is module:name")
    module_name, name = spec.split(":")[:2]
    module = _module(module_name, spec, known)
    if not hasattr(module, name):
        near = nearest(name, [public for public in dir(module) if not public.startswith("_")])
        meant = f"; did you mean {quoted(near)}?" if near else ""
        raise InputError(f"the module {quoted(module_name)} has no {quoted(name)}{meant}")
    return getattr(module, name)


def _module(name: str, spec: str, known: Iterable[str]) -> ModuleType:
    sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            near = nearest(spec, known)
            meant = f"; or did you mean {quoted(near)}?" if near else ""
            raise InputError(
                f"cannot import {quoted(name)}: {error}; plug-ins are looked for in the current folder and on "
                f"PYTHONPATH{meant}"
            ) from None
        raise InputError(f"cannot import {quoted(name)}: it needs the module {quoted(error.name)}") from None
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot import {quoted(name)}: {reason(error)}") from error
    finally:
        sys.path.remove("")
