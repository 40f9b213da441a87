"""The line of progress of work: how many of its pieces are done, and the time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from counterplay.display import duration
from counterplay.progress_line import progress_line
from counterplay.work.run_work import Watch, WorkProgress


@contextmanager
def work_line(what: str, quiet: bool, named: bool = False) -> Iterator[Watch | None]:
    """A watch of work that updates a line of progress; None where nothing is to be shown.

    Args:
        what: done to a piece, such as "measured".
        quiet: show no progress.
        named: the keys of pieces are names for people, and shown.
    """
    with progress_line(what, quiet) as line:
        if line is None:
            yield None
            return

        def watch(piece: WorkProgress) -> None:
            line(describe(what, piece, named), piece.done, piece.pieces)

        yield watch


def describe(what: str, piece: WorkProgress, named: bool) -> str:
    """The progress of work in words: `measured 3 of 20 parts, 2 min left`."""
    left = "" if piece.seconds_left is None else f", {duration(piece.seconds_left)} left"
    return f"{what} {piece.done:,} of {piece.pieces:,} parts{f', now {piece.key}' if named else ''}{left}"
