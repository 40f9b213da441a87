"""Standard output for results alone: libraries in C print to descriptor 1, too, and a banner before JSON breaks it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_STDOUT, _STDERR = 1, 2
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""Standard streams by descriptor."""


def replace_closed_streams() -> None:
    """Put the null device in the place of standard streams that are closed, as by `>&-`: the next file that is opened would
    get their descriptor, and with it what libraries print.
    """
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

    Raises:
        OSError: the last results cannot be written, as into a closed pipe or on a full disk.
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
        _flush_libraries()
        os.dup2(duplicate, _STDOUT)
        results.close()


def _is_standard(stream: io.TextIOWrapper) -> bool:
    try:
        os.fstat(_STDERR)
        return stream.fileno() == _STDOUT
    except (OSError, ValueError):  # a closed one, or none
        return False


def _flush_libraries() -> None:
    """Flush the buffers of C, which hold text for descriptor 1 that belongs to stderr."""
    if "numpy" in sys.modules:  # else no library in C was used
        import ctypes

        with suppress(OSError, AttributeError, TypeError):  # TypeError: Windows
            ctypes.CDLL(None).fflush(None)
