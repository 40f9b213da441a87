"""Methods by name and options: records from the keywords of `respond` and the options of the command line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from counterplay.errors import InputError
from counterplay.lookahead.keywords import DialOptions, LookOptions
from counterplay.lookahead.search import LookAhead
from counterplay.responses import METHODS
from counterplay.responses.method import METHOD, Method
from counterplay.texts.arguments import check_keywords
from counterplay.texts.record import slots
from counterplay.work.processes import WorkerCount, check_workers
from counterplay.work.run_work import Watch, WorkSettings


class MethodOptions(DialOptions, LookOptions, total=False):
    """The fields of methods, and of their look-ahead; None means not given."""


class RespondOptions(MethodOptions, total=False):
    """What `respond` takes besides: how pieces of long work are computed, in whole games of hold'em.

    Attributes:
        record: a file that keeps every board that is solved, and from which a later call continues (.work).
        workers: number of processes; it does not change the result.
        watch: called when a board begins.
    """

    record: Path | None
    workers: WorkerCount
    watch: Watch | None


_PIECES = ("record", "workers", "watch")


def split_options(options: RespondOptions) -> tuple[WorkSettings, MethodOptions]:
    """How pieces are computed, and the fields of the method."""
    check_keywords("respond", options, RespondOptions)
    pieces = WorkSettings(options.get("record"), options.get("workers", 1), options.get("watch"))
    check_workers(pieces.workers)
    rest: Any = {key: value for key, value in options.items() if key not in _PIECES}
    return pieces, rest


_LOOK = {slot.key: slot.field.name for slot in slots(LookAhead)}
"""Options of a look-ahead, and their fields in `LookAhead`."""
_WORDS = {"max_exploitability": "largest exploitability", "value": "value function", "solve": "way of solving"}


def method_of(method: Method | str | None = None, **options: Any) -> Method:
    """The record that is meant, ready to be computed; the arguments are those of `open_method`."""
    found = open_method(method, **options)
    found.check_set()
    return found


def open_method(method: Method | str | None = None, **options: Any) -> Method:
    """The record that is meant, whose dial may be open, as `frontier` takes it."""
    check_keywords("respond", options, MethodOptions)
    given = {key: option for key, option in options.items() if option is not None}
    if isinstance(method, Method) or (isinstance(method, str) and ":" in method):
        if given:
            raise InputError(f"{next(iter(given))} is a field of the method {method} and must be given there")
        return METHOD.record(method)
    name = method or ("safe" if "max_exploitability" in given else "rnr" if "p" in given else "br")
    if not isinstance(name, str) or name not in METHODS:
        raise METHOD.unknown(name)
    known = {field.name for field in fields(METHODS[name])}  # type: ignore[arg-type]
    for key in given:
        if key not in known and not (key in _LOOK and "look" in known):
            more = f" but {METHODS[name].DIAL}" if key == "p" and METHODS[name].DIAL == "alpha" else ""
            raise InputError(f"{name} takes no {_WORDS.get(key, key)}{more}")
    words: dict[str, Any] = {key: option for key, option in given.items() if key in known}
    if "look" in known:
        words["look"] = LookAhead(**{_LOOK[key]: option for key, option in given.items() if key in _LOOK})
    return METHODS[name](**words)
