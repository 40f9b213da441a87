"""The end of a command: by itself, by Ctrl-C, by `kill`, and never by a `sys.exit` in user code."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from functools import cache
from types import FrameType
from typing import NoReturn

from counterplay.files import discard_partial

INTERRUPTED = 130
"""Exit code after Ctrl-C or `kill` without a result."""
_OURS = ("counterplay", "counterplay_papers", "typer", "click")


def heed_termination() -> None:
    """Let `kill` do what Ctrl-C does, so that the best so far is kept; a second one ends the command at once."""
    _stay_till_the_end()
    if signal.getsignal(signal.SIGTERM) in (signal.SIG_DFL, _too_late):
        signal.signal(signal.SIGTERM, _interrupt)


@cache
def _stay_till_the_end() -> None:
    """Ignore `kill` and Ctrl-C after the functions of `atexit`: the interpreter puts their defaults back while it is taken
    down, and the exit code of a command that has its result would be theirs.
    """

    @atexit.register  # as the first, which runs last
    def _ignore() -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - as a handler is called
    signal.signal(signal.SIGTERM, _end)
    raise KeyboardInterrupt


def _end(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    discard_partial()
    os._exit(INTERRUPTED)


def _too_late(number: int, frame: FrameType | None) -> None:
    """What `kill` does to a command that is leaving: nothing."""


def leave(code: int) -> NoReturn:
    """End the process with this exit code; at once where a linear program that was cut short may still run in its
    thread, which would abort the interpreter.
    """
    solver = sys.modules.get("counterplay.solvers.lp")  # heavy: it is not imported to be asked
    if code == INTERRUPTED or (solver is not None and solver.is_running()):
        discard_partial()  # Ctrl-C may have come while one was being removed
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    if signal.getsignal(signal.SIGTERM) in (_interrupt, _end):
        signal.signal(signal.SIGTERM, _too_late)
    sys.exit(code)


def foreign(end: SystemExit) -> str | None:
    """The place of a `sys.exit` outside this package and the parser of the command line; None if there."""
    trace = end.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0] in (*_OURS, "__main__"):
        return None
    return f"{trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno}"
