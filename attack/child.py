"""Processes forked from a warm one: they do one thing with everything loaded, and may be killed."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_LONG = 120.0
"""Seconds on the wall after which a child is taken to hang."""


@dataclass(frozen=True)
class Ended:
    """How a child ended. code: as `subprocess` has it, negative for a signal; None if it did not end."""

    code: int | None
    out: str
    err: str


def forked(act: Callable[[], object], before: Callable[[], object] | None = None) -> tuple[int, int, int]:
    """Start a child that acts and exits; its process and the files of its stdout and stderr.

    Args:
        act: what it does; SystemExit is its exit code, another exception is a traceback and exit code 1.
        before: what is set first: limits, alarms.
    """
    out, err = os.memfd_create("out"), os.memfd_create("err")
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process, out, err
    code = 1
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdin = open(os.devnull, encoding="utf-8")
        sys.stdout, sys.stderr = (
            open(1, "w", encoding="utf-8"),
            open(2, "w", encoding="utf-8", errors="backslashreplace"),
        )
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if before:
            before()
        act()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.settrace(None)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def ended(child: tuple[int, int, int], patience: float = _LONG) -> Ended:
    """Wait for a child, at most so long."""
    process, out, err = child
    begin, code = time.monotonic(), None
    while code is None and time.monotonic() - begin < patience:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
        else:
            time.sleep(0.002)
    if code is None:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    texts = [os.pread(fd, 1 << 20, 0).decode("utf-8", "replace") for fd in (out, err)]
    for fd in (out, err):
        os.close(fd)
    return Ended(code, texts[0], texts[1])


def program(words: Sequence[str]) -> Callable[[], None]:
    """The program with these words, as what a child does."""

    def act() -> None:
        from counterplay.cli import main

        sys.argv = ["counterplay", *words]
        main()

    return act


def strays(folder: Path, known: set[str]) -> list[str]:
    """What stands in a folder and was not there; a hidden file too."""
    return sorted(set(os.listdir(folder)) - known)
