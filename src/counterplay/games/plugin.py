"""Objects that the user names as `module:name`, looked up in the current directory too."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from counterplay.errors import InputError


def imported(spec: str, what: str) -> Any:
    """The object `name` of `module`, from the text `module:name`; `what` names it in an error.

    Raises:
        InputError: no such module, no such name in it, or an error while it is imported.
    """
    module_name, _, name = spec.partition(":")
    if not module_name.replace(".", "").isidentifier() or not name.isidentifier():
        raise InputError(f"there is no {what} '{spec}'")
    sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        known = f"there is no {what} '{spec}'"
        raise InputError(known if missing == module_name else f"{known}: it needs the module '{missing}'") from None
    except (Exception, SystemExit) as error:
        raise InputError(f"importing '{module_name}' failed: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove("")
    if not hasattr(module, name):
        raise InputError(f"the module '{module_name}' has no '{name}'")
    return getattr(module, name)
