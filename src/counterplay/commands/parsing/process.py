"""The process of a command: standard output for results alone, and its end: by itself, by Ctrl-C, by `kill`, and never by a
`sys.exit` in user code.

Libraries in C print to descriptor 1, too, and a banner before JSON breaks it.
"""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from counterplay.files import discard_partial

INTERRUPTED = 130
"""Exit code after Ctrl-C or `kill` without a result."""
_OURS = ("counterplay", "counterplay_papers", "typer", "click")
_STDOUT, _STDERR = 1, 2
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""Standard streams by descriptor."""


def heed_termination() -> None:
    """Let `kill` do what Ctrl-C does, so that the best so far is kept; a second one ends the command at once."""
    if signal.getsignal(signal.SIGTERM) in (signal.SIG_DFL, _too_late):
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - as a handler is called
    signal.signal(signal.SIGTERM, _end)
    raise KeyboardInterrupt


def _end(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    discard_partial()
    os._exit(INTERRUPTED)


def _too_late(number: int, frame: FrameType | None) -> None:
    """Let a command that is leaving leave."""


def leave(code: int) -> NoReturn:
    """End the process with this exit code; at once where a linear program that was cut short may still run in its
    thread, which would abort the interpreter."""
    solver = sys.modules.get("counterplay.solvers.lp")  # heavy: it is not imported to be asked
    if code == INTERRUPTED or (solver is not None and solver.is_running()):
        discard_partial()  # Ctrl-C may have come while one was being removed
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    if signal.getsignal(signal.SIGTERM) in (_interrupt, _end):
        signal.signal(signal.SIGTERM, _too_late)
    atexit.register(_ignore_signals)  # the last one registered runs first
    sys.exit(code)


def _ignore_signals() -> None:
    """Let a command that has its result end: an interrupted function of `atexit` prints a traceback, and the interpreter
    puts the handlers of the system back while it is taken down, whose exit code would be the command's."""
    for number in (signal.SIGTERM, signal.SIGINT):
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_IGN)


def foreign(end: SystemExit) -> str | None:
    """The place of a `sys.exit` outside this package and the parser of the command line; None if there."""
    trace = end.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0] in (*_OURS, "__main__"):
        return None
    return f"{trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno}"


def replace_closed_streams() -> None:
    """Put the null device in the place of standard streams that are closed, as by `>&-`: the next file that is opened would
    get their descriptor, and with it what libraries print."""
    for number in range(len(_STREAMS)):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor
            os.dup2(null, number)
            os.set_inheritable(number, True)
            if null != number:
                os.close(null)
    for name, mode in _STREAMS:
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - as long as the process
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


@contextmanager
def results_only() -> Iterator[None]:
    """Until the block ends, point descriptor 1 at stderr, and `sys.stdout` at a duplicate of the former descriptor 1.

    Child processes inherit both. Where `sys.stdout` is another stream already, as under a test that captures it, nothing
    changes.
    """
    usual, original = sys.stdout, sys.__stdout__
    if not (isinstance(usual, io.TextIOWrapper) and _is_standard(usual)):
        yield
        return
    usual.flush()
    duplicate = os.dup(_STDOUT)
    results = open(duplicate, "w", encoding=usual.encoding, errors=usual.errors)  # noqa: SIM115 - closed below
    results.reconfigure(line_buffering=usual.line_buffering or usual.write_through)
    os.dup2(_STDERR, _STDOUT)
    sys.stdout = sys.__stdout__ = results  # type: ignore[misc]  # `shutil` asks the latter for the terminal's width
    try:
        yield
    finally:
        sys.stdout, sys.__stdout__ = usual, original  # type: ignore[misc]
        if "numpy" in sys.modules:  # libraries in C hold text for descriptor 1 that belongs to stderr
            import ctypes

            with suppress(OSError, AttributeError, TypeError):  # TypeError: Windows
                ctypes.CDLL(None).fflush(None)
        os.dup2(duplicate, _STDOUT)
        results.close()


def _is_standard(stream: io.TextIOWrapper) -> bool:
    try:
        os.fstat(_STDERR)
        return stream.fileno() == _STDOUT
    except (OSError, ValueError):  # a closed one, or none
        return False
