"""The version of the package."""

from functools import cache


@cache
def version() -> str:
    """The version of the installed library."""
    from importlib.metadata import version as installed

    return installed("counterplay")
