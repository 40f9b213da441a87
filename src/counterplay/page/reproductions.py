"""Tables and figures of papers on the page, from the distribution that brings them (entry points `counterplay.page`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from counterplay.about import PAPERS, entry_point
from counterplay.errors import InputError
from counterplay.page.tasks import Task


class Reproductions(Protocol):
    """Tables and figures; `folder` has the results of runs on this machine.

    Attributes:
        list_reproductions: of each its name, and whether it was computed here; plain data.
        reproduction_view: title, source, command, numbers and references; plain data.
        picture_of: PNG.
        quick_run: a task that computes the quick part.
    """

    list_reproductions: Callable[[Path], list[dict[str, Any]]]
    reproduction_view: Callable[[str, Path], dict[str, Any]]
    picture_of: Callable[[str, Path], bytes]
    quick_run: Callable[[str, Path], Task]


def reproductions() -> Reproductions:
    """The tables and figures that are installed; the refusal says what to install."""
    found: Reproductions | None = entry_point("counterplay.page", "reproductions")
    if found is None:
        raise InputError(PAPERS)
    return found
