"""Compiled functions, their machine code on disk, and what is said while they are compiled.

Importing this loads nothing heavy; Numba comes with the first kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterplay.jit.stamp import stamp

__all__ = ["kernel", "plain", "stamp"]


def kernel(
    function: Callable[..., Any] | None = None, *, inline: bool = False, inner: bool = False, nogil: bool = False
) -> Any:
    """Decorator: compile when first called, and keep the machine code on disk.

    `inline` merges it into its callers. `inner` kernels are called by kernels only: they have no entry from Python. Of a
    `nogil` kernel several threads may run at once.
    """
    if function is None:
        return lambda f: kernel(f, inline=inline, inner=inner, nogil=nogil)
    from counterplay.jit.dispatcher import Kernel

    return Kernel.of(function, inline=inline, inner=inner, nogil=nogil)


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function of a kernel: for a call or two, which are not worth compiling an entry from Python."""
    return getattr(function, "py_func", function)
