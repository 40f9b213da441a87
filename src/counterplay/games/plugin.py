"""Objects that the user names as `module:name` or `module:name:parameters`, looked up in the current folder too."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from counterplay.errors import InputError, nearest, quoted, reason
from counterplay.games.spec_text import parameters


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
