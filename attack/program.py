"""The program run in this process: its words in, its exit code and what it printed out."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

PATIENCE = 3.0
"""Processor seconds after which Ctrl-C is pressed, and then every second."""
INTERRUPTED = 130


@dataclass(frozen=True)
class Ran:
    """How a command ended. raised: what flew out of it, which Python would have shown as a traceback."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    seconds: float
    interrupted: bool
    raised: str


class _LeftError(BaseException):
    """`os._exit` was called."""


def warm() -> None:
    """Once, before processes are forked: import what commands import, and build the command line only once."""
    import typer.main
    import typer.testing

    from counterplay.commands.parsing.program import program

    program()
    typer.main.get_command = cache(typer.main.get_command)
    sys.modules["__main__"].__package__ = ""  # usage says `counterplay`, and not how the attack was started
    warnings.simplefilter("always", RuntimeWarning)
    sys.dont_write_bytecode = True


@contextmanager
def streams() -> Iterator[tuple[int, int, int]]:
    """Files without a name in the place of stdin, stdout and stderr."""
    saved = [os.dup(fd) for fd in range(3)]
    files = [os.memfd_create(name) for name in ("in", "out", "err")]
    python = sys.stdin, sys.stdout, sys.stderr
    try:
        for fd, file in enumerate(files):
            os.dup2(file, fd)
        yield files[0], files[1], files[2]
    finally:
        for fd, old in enumerate(saved):
            os.dup2(old, fd)
            os.close(old)
        for file in files:
            os.close(file)
        sys.stdin, sys.stdout, sys.stderr = python


def run(words: Sequence[str], typed: str = "", patience: float = PATIENCE) -> Ran:
    """Run the program; Ctrl-C is pressed when it has worked for too long."""
    pressed: list[float] = []

    def press(_signal: int, _frame: object) -> None:
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    with streams() as (given, out, err):
        os.write(given, typed.encode("utf-8", "surrogateescape"))
        os.lseek(given, 0, os.SEEK_SET)
        sys.stdin, sys.stdout = open(0, encoding="utf-8", closefd=False), open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        begin = time.process_time()
        with _alarmed(press, patience):
            code, raised = _called(words)
        seconds = time.process_time() - begin
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError) as error:
                raised = raised or f"{type(error).__name__} while output was flushed"
        shown = [os.pread(fd, 1 << 22, 0).decode("utf-8", "replace") for fd in (out, err)]
    return Ran(tuple(words), code, shown[0], shown[1], seconds, bool(pressed), raised)


@contextmanager
def _alarmed(press: Callable[[int, object], None], patience: float) -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPROF)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPROF, press)
    signal.setitimer(signal.ITIMER_PROF, patience, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        for number, handler in kept.items():
            signal.signal(number, handler)


def _called(words: Sequence[str]) -> tuple[int, str]:
    """Exit code, and what flew out, if anything did."""
    from counterplay.cli import main

    leave, arguments = os._exit, sys.argv
    sys.argv = ["counterplay", *words]

    def left(code: int) -> Any:
        raise _LeftError(code)

    os._exit = left  # type: ignore[assignment]
    try:
        main()
    except _LeftError as end:
        return int(end.args[0]), ""
    except SystemExit as end:
        return _code(end.code), ""
    except BaseException as error:
        return 1, _blame(error)
    finally:
        os._exit, sys.argv = leave, arguments
    return 0, ""


def _code(code: object) -> int:
    return 0 if code is None else code if isinstance(code, int) else 1


def _blame(error: BaseException) -> str:
    """An exception in a line: what, and where in the program."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/counterplay/" in frame.filename] or frames
    where = f"{ours[-1].filename.rpartition('/counterplay/')[2]}:{ours[-1].lineno}"
    return f"{type(error).__name__} at {where}: {str(error)[:160]!r}"


def blame(error: BaseException) -> str:
    """The same for others."""
    return _blame(error)


def is_plain(text: str) -> bool:
    """Whether a text has no control characters but the ends of lines."""
    return all(letter.isprintable() or letter == "\n" for letter in text)
