"""Machine code on disk: one file per kernel and signature, with a checksum that is verified before the file is read.

A damaged file, an unwritable folder and a full disk cost time and one line of output, nothing else; so do folders and files
that other users own or may write: nothing of them is unpickled. Files are written under a unique name and then renamed, so
that of two processes which write one kernel the last one wins, and both files are valid.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from counterplay.cache_folder import PRIVATE, distrust, distrust_file
from counterplay.jit import kernel_folder, notice
from counterplay.jit.kernel_folder import locked
from counterplay.jit.linking import SharedLibrary, linking
from counterplay.jit.stamp import stamp

_MAGIC = b"counterplay kernel 2\n"
_HEAD = len(_MAGIC) + hashlib.sha256().digest_size


class KernelCache(NullCache):  # type: ignore[misc]
    """The files of one kernel."""

    def __init__(self, py_func: Any) -> None:
        self._py_func = py_func

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)  # machine code needs no declarations, which take a second to load
        name = self.file(sig, target_context.codegen())
        return _loaded(name, target_context) if name else None

    def save_overload(self, sig: Any, data: Any) -> None:
        folder, name = kernel_folder.writable(), self.file(sig, data.codegen)
        if folder is None or name is None or data.lifted or data.library.has_dynamic_globals:
            return
        content = dumps((data.library.needs, data._reduce()))
        try:
            _write(folder / name, _head(content) + content)
        except OSError as error:
            kernel_folder.give_up()
            notice.say_once(
                "unwritten",
                f"kernels cannot be kept in {folder} ({error.strerror}): every run compiles them again. "
                "Set NUMBA_CACHE_DIR to a folder with room",
            )

    @contextmanager
    def compiling(self, sig: Any, target_context: Any) -> Iterator[None]:
        """Compile or load a signature: of several processes one compiles, and the others wait for its file."""
        name = self.file(sig, target_context.codegen())
        there = name is None or any((folder / name).exists() for folder in _trusted_folders())
        folder = None if there else kernel_folder.writable()
        with nullcontext() if folder is None else locked(folder / f"{name}.lock", notice.say_first):
            yield

    def file(self, sig: Any, codegen: Any) -> str | None:
        """The name of the file of a signature; None where a source is unknown, as of closures and at a prompt."""
        if self._py_func.__closure__:
            return None
        sources = sorted({_source(kind.instance_class) for kind in _records(sig)} | {_source(self._py_func)})
        if "" in sources:
            return None
        versions = (stamp(), numba.__version__, sys.implementation.cache_tag, codegen.magic_tuple())
        digest = hashlib.sha256(repr((versions, self._py_func.__qualname__, sources, sig)).encode()).hexdigest()
        module = self._py_func.__module__.removeprefix("counterplay.")
        return f"{module}.{self._py_func.__qualname__}.{digest[:24]}.nbc".replace("<", "").replace(">", "")


class SharedCache(KernelCache):
    """The files of one shared function, each of which a process loads once."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        name = self.file(sig, target_context.codegen())
        return _shared_code(name, target_context) if name else None

    def save_overload(self, sig: Any, data: Any) -> None:
        if isinstance(data.library, SharedLibrary):
            _shared[data.library.file] = data
            super().save_overload(sig, data)


_shared: dict[str, Any] = {}
"""Shared functions in the memory of this process, by file."""


def _shared_code(name: str, target_context: Any) -> Any:
    """The shared function that is kept in a file; None if it is missing or damaged."""
    if name not in _shared:
        with linking(target_context.codegen(), kind=SharedLibrary):
            found = _loaded(name, target_context)
        if found is None:
            return None
        found.library.file, found.library.symbol = name, found.fndesc.llvm_func_name
        _shared[name] = found
    return _shared[name]


def _loaded(name: str, target_context: Any) -> Any:
    """The kernel in a file, with the shared functions that it calls; None if one of them is missing or damaged."""
    for folder in _trusted_folders():
        with suppress(OSError):
            content = _verified(folder / name)
            shared = {} if content is None else {file: _shared_code(file, target_context) for file, _ in content[0]}
            if content and all(shared[file] and shared[file].library.symbol == symbol for file, symbol in content[0]):
                return CompileResult._rebuild(target_context, *content[1])
    return None


def _trusted_folders() -> Iterator[Path]:
    """The folders that may hold kernels and that nobody else can change."""
    for folder in kernel_folder.folders():
        if (reason := distrust(folder)) is None:
            yield folder
        else:
            notice.say_once("distrusted", f"the compiled kernels in {folder} are not used: {reason}")


def is_sound(path: Path) -> bool:
    """Return whether a file exists and is undamaged."""
    content = path.read_bytes()
    return content[:_HEAD] == _head(content[_HEAD:])


def _head(body: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(body).digest()


def _verified(path: Path) -> Any:
    """The content of a file; None if it is damaged, or could be written by others."""
    with path.open("rb") as file:
        if (reason := distrust_file(file.fileno(), path)) is not None:
            return notice.say_once("distrusted", f"a compiled kernel is not used, and compiled again: {reason}")
        content = file.read()
    body = content[_HEAD:]
    if content[:_HEAD] == _head(body):
        return pickle.loads(body)
    notice.say_once("damaged", f"the compiled kernel {path} is damaged: it is compiled again")
    return None


def _write(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem[:40], suffix=".tmp")
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o600 if kernel_folder.mode_of(path.parent) == PRIVATE else 0o644)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _records(kinds: Any) -> Any:
    """The classes of all NamedTuples among Numba types."""
    for kind in kinds:
        if hasattr(kind, "instance_class"):
            yield kind
        if hasattr(kind, "types"):
            yield from _records(kind.types)


def _source(thing: Any) -> str:
    """The identity of a function or class: its name, and the digest of its file where the stamp does not cover it; empty
    if it has no file.
    """
    name = f"{thing.__module__}.{thing.__qualname__}"
    if thing.__module__.startswith("counterplay."):
        return name
    try:
        return f"{name} {_digest(inspect.getfile(thing))}"
    except (OSError, TypeError):
        return ""


_digest = lru_cache(lambda path: hashlib.sha256(Path(path).read_bytes()).hexdigest())
