"""The line of progress of work: how many of its pieces are done, and the time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from counterplay.progress_line import Update, progress_line
from counterplay.time_left import Left
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
        yield None if line is None else watch_pieces(line, what, named)


def watch_pieces(line: Update, what: str, named: bool = False) -> Watch:
    """A watch of work that updates a line: `measured 3 of 20 parts, about 2 min left`; arguments as of `work_line`."""

    def watch(piece: WorkProgress) -> None:
        text = f"{what} {piece.done:,} of {piece.pieces:,} parts{f', now {piece.key}' if named else ''}"
        line(text, piece.done, piece.pieces, None if piece.seconds_left is None else Left(piece.seconds_left))

    return watch
