"""Kernels of tests, made as those of the package are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterplay.jit.dispatcher import Kernel, KernelCompiler


def package_kernel(function: Callable[..., Any], *, inner: bool = False) -> Any:
    """A kernel of a function."""
    options = {"nopython": True, "boundscheck": None, "forceinline": False, "no_cfunc_wrapper": True}
    return Kernel(function, {}, options | {"no_cpython_wrapper": inner, "nogil": False, "_nrt": False}, KernelCompiler)
