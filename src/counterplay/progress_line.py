"""A line of progress on stderr, on terminals only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Update = Callable[[str, float | None, float | None], None]
"""Called with the text, the amount done and the total; None if unknown."""


@contextmanager
def progress_line(begin: str, quiet: bool) -> Iterator[Update | None]:
    """A line that is updated explicitly; None without a terminal. begin: its first text."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with bar_line() as bar:
        task = bar.add_task(begin, total=None)
        yield lambda text, done, total: bar.update(task, description=text, completed=done, total=total)


def bar_line() -> Any:
    """A text, a bar and the time that has passed, as `rich` shows them."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
