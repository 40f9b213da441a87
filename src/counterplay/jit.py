"""Compiled functions that are kept on disk, and are compiled again when any compiled function of the package changed.

Numba notices only a change of the file that holds a function, not of the functions that it calls from other files;
here the stamp of every kernel covers all files of the package that hold kernels.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

_FOLDERS = ("games", "poker", "treeplex", "leaves", "subgames", "solvers")
_MARKS = (b"from counterplay.jit import", b"import rule\n", b", rule\n", b"numba")


def kernel(
    function: Callable[..., Any] | None = None, *, inline: bool = False, inner: bool = False, nogil: bool = False
) -> Any:
    """Decorator: compile, and keep the machine code on disk.

    `inline` merges it into its callers. `inner` kernels are called by kernels only: without an entry from Python they
    compile much faster. Of a `nogil` kernel several threads may run at once.
    """
    if function is None:
        return lambda f: kernel(f, inline=inline, inner=inner, nogil=nogil)
    compiled = njit(forceinline=inline, no_cpython_wrapper=inner, no_cfunc_wrapper=inner, nogil=nogil)(function)
    with suppress(RuntimeError):  # no folder to keep it in: it is compiled in every process
        compiled.enable_caching()
        with suppress(AttributeError):  # another Numba: its own stamp and names must do
            _mark(compiled._cache._cache_file)
    return compiled


def _mark(files: Any) -> None:
    """Put the stamp into the files of a kernel, and into their names: processes of two versions that run at once (during
    an upgrade, say) would otherwise overwrite each other's machine code."""
    name, short = files._index_name.removesuffix(".nbi"), stamp()[:12]
    files._source_stamp = stamp()
    files._index_name = f"{name}.{short}.nbi"
    files._index_path = os.path.join(files._cache_path, files._index_name)
    files._data_name_pattern = f"{name}.{short}.{{number:d}}.nbc"


def is_cold(compiled: Any) -> bool:
    """Whether a kernel has never been compiled on this machine."""
    try:
        return not os.path.exists(compiled._cache._cache_file._index_path)
    except AttributeError:
        return False


@cache
def stamp() -> str:
    """A fingerprint of all source files with compiled functions, and of this one."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for folder in _FOLDERS:
        for path in sorted((Path(__file__).parent / folder).rglob("*.py")):
            content = path.read_bytes()
            if any(mark in content for mark in _MARKS):
                digest.update(path.name.encode() + content)
    return digest.hexdigest()
