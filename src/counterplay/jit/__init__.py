"""Compiled functions, their machine code on disk, and messages during compilation.

Importing this loads nothing heavy; Numba comes with the first kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from counterplay.jit.stamp import stamp

__all__ = ["kernel", "plain", "stamp"]

TESTED_NUMBA = "0.68.0", "0.68.1"
"""Releases whose caching and linking this package extends. Another one compiles and caches kernels by itself."""


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    inline: bool = False,
    inner: bool = False,
    shared: bool = False,
    nogil: bool = False,
    allocates: bool = False,
    loops: bool = False,
) -> Any:
    """Decorator: compile at the first call, and keep the machine code on disk.

    `inline` merges it into its callers. `inner` kernels are called only by kernels and have no entry from Python; a `shared`
    one is such a kernel, large and called by many, that is compiled once for all of them. A `nogil` kernel may run in
    several threads at once. One that `allocates` makes arrays, or copies one that may overlap with its place; all others of
    this package count no references to their arguments, which their callers keep. `loops` over arrays, written without
    lanes, are unrolled and become vector instructions.
    """
    if function is None:
        return partial(kernel, inline=inline, inner=inner, shared=shared, nogil=nogil, allocates=allocates, loops=loops)
    import numba

    if numba.__version__ not in TESTED_NUMBA:
        return _numba_alone(function, nogil=nogil, forceinline=inline)
    from counterplay.jit.dispatcher import Kernel

    return Kernel.of(function, inline=inline, inner=inner, shared=shared, nogil=nogil, allocates=allocates, loops=loops)


def _numba_alone(function: Callable[..., Any], **options: bool) -> Any:
    """The kernel by Numba's public interface, in its own cache below the folder of these sources; one notice says so."""
    import numba

    from counterplay.jit import kernel_folder, notice

    notice.say_once(
        "untested",
        f"Numba {numba.__version__} is not among the tested releases ({', '.join(TESTED_NUMBA)}): kernels use its own "
        "cache, and first runs take longer",
    )
    folder, usual = kernel_folder.writable(), numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(folder or "")
        return numba.njit(function, cache=folder is not None, **options)
    except RuntimeError:  # no source file, as of functions typed at a prompt
        return numba.njit(function, **options)
    finally:
        numba.config.CACHE_DIR = usual


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function of a kernel, for rare calls that are not worth compiling an entry from Python."""
    return getattr(function, "py_func", function)
