"""Compiled functions, their machine code on disk, and messages during compilation.

Importing this loads nothing heavy; Numba comes with the first kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from counterplay.jit.stamp import stamp

__all__ = ["kernel", "plain", "stamp"]


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
    one is such a kernel, large and called by many, that is compiled once for all of them and must not fail. A `nogil`
    kernel may run in several threads at once. One that `allocates` makes arrays, or copies one that may overlap with its
    place; all others of this package count no references to their arguments, which their callers keep. `loops` over arrays,
    written without lanes, are unrolled and become vector instructions.
    """
    if function is None:
        return partial(kernel, inline=inline, inner=inner, shared=shared, nogil=nogil, allocates=allocates, loops=loops)
    from counterplay.jit.dispatcher import Kernel

    return Kernel.of(function, inline=inline, inner=inner, shared=shared, nogil=nogil, allocates=allocates, loops=loops)


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function of a kernel, for rare calls that are not worth compiling an entry from Python."""
    return getattr(function, "py_func", function)
