"""The installed version, and parts that other distributions bring by entry points."""

from __future__ import annotations

from functools import cache
from typing import Any

PAPERS = "tables and figures of papers are in a package of their own: pip install 'counterplay[papers]'"
"""What to install for the command `reproduce` and for the page's tables."""


@cache
def version() -> str:
    """The version of the installed library."""
    from importlib.metadata import version as installed

    return installed("counterplay")


def entry_point(group: str, name: str) -> Any:
    """The object that an installed distribution brings; None where none does."""
    from importlib.metadata import entry_points

    entry = next(iter(entry_points(group=group, name=name)), None)
    return None if entry is None else entry.load()
