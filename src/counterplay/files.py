"""Endings of files; atomic writing: a reader finds the old file or the new one, never half of one; and untrusted JSON: of
bounded size and depth, without duplicate names, with one-sentence errors."""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from counterplay.errors import InputError, quoted

QUESTION, SPOT = ".toml", ".spot"
"""A spot that is not solved, and one that is."""
TEXT_STRATEGY, STRATEGY = ".json", ".cps"
BLUEPRINT, FLOP_BLUEPRINT, RESPONSE = ".cpb", ".fhp", ".cpr"
"""Of whole games of hold'em: a strategy, one of Flop Hold'em in its older format, and a response to one."""
TRAINING = ".train"
"""A blueprint in the making."""
AGENT = ".cpa"
"""An agent in the middle of a match."""
NETWORK = ".cpn"
FLOP_TABLE = ".cpv"
"""What a method wins flop by flop."""
AVERAGES = ".averages"
"""A kept solution of a large spot."""
TABLE = ".csv"
RECORD = ".work"
"""A record of long work."""
Content = bytes | Callable[[BinaryIO], None]
"""Content of a file: bytes, or a function that writes them to a stream."""
_PARTIAL: set[Path] = set()
"""Hidden files under construction."""
_WAITING: ContextVar[list[tuple[Path, Path]] | None] = ContextVar("waiting", default=None)
"""Finished hidden files and their targets, which are to appear together."""


def check_readable(path: str) -> None:
    """Check, before long work, that there is a file to read."""
    file = Path(path)
    if not file.is_file():
        what = (
            "it is a folder" if file.is_dir() else "it is no plain file" if file.exists() else "there is no such file"
        )
        raise InputError(f"cannot read {quoted(path)}: {what}")


def check_writable(path: Path | None, *endings: str) -> None:
    """Check, before long work, that a file can be written, and has one of some endings; None means no file."""
    if path is None:
        return
    if endings and path.suffix not in endings:
        raise InputError(f"cannot write {path}: its name must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder '{path.parent}'")
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
    target = Path(os.path.realpath(path))
    needed = [target.parent, *([target] if target.exists() else [])] if _is_plain(target) else [target]
    if not all(os.access(there, os.W_OK) for there in needed):
        raise InputError(f"cannot write {path}: no permission")


def check_folder(path: Path) -> None:
    """Check, before long work, that a folder can be written into, or be made."""
    if not path.parent.is_dir():
        raise InputError(f"cannot write into {path}: there is no folder '{path.parent}'")
    if path.exists() and not (path.is_dir() and os.access(path, os.W_OK)):
        raise InputError(f"cannot write into {path}: it is not a folder, or not writable")


def write_whole(path: Path, content: Content) -> None:
    """Write a file, whole or not at all; links are followed, and other than plain files (such as pipes) are written
    directly.

    The content goes to a hidden file with a unique name in the same folder, which then replaces the old one: writers do
    not interfere, and a reader finds one file or the other. The permissions are those of the old file, else the default
    ones.

    Raises:
        InputError: the file cannot be written.
    """
    if not path.name:
        raise InputError(f"cannot write {path}: it is a folder")
    target = Path(os.path.realpath(path))
    try:
        if _is_plain(target):
            _replace(target, content)
        else:
            with target.open("wb") as stream:
                _put(stream, content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


@contextmanager
def write_together() -> Iterator[None]:
    """Let all files of `write_whole` appear at the end of the block, and none if one cannot be written. Pipes and devices
    get their content at once.
    """
    waiting: list[tuple[Path, Path]] = []
    before = _WAITING.set(waiting)
    try:
        yield
        for _, target in waiting:
            if target.is_dir():
                raise InputError(f"cannot write {target}: it is a folder")
        for partial, target in waiting:
            try:
                os.replace(partial, target)
            except OSError as error:
                raise InputError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        _WAITING.reset(before)
        for partial, _ in waiting:
            _discard(partial)


def _replace(target: Path, content: Content) -> None:
    partial = target.with_name(f".counterplay-{secrets.token_hex(8)}.partial")
    _PARTIAL.add(partial)
    try:
        # Opened as any new file is, so that the folder and the umask say who may read it.
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as stream:
            with suppress(FileNotFoundError):
                os.chmod(partial, stat.S_IMODE(target.stat().st_mode))
            _put(stream, content)
            stream.flush()
            os.fsync(stream.fileno())  # else a power cut could leave the new name with nothing behind it
    except BaseException:
        _discard(partial)
        raise
    waiting = _WAITING.get()
    if waiting is not None:
        waiting.append((partial, target))
        return
    try:
        os.replace(partial, target)
    finally:
        _discard(partial)


def _discard(partial: Path) -> None:
    with suppress(OSError):  # it is still there only if something failed
        partial.unlink()
    _PARTIAL.discard(partial)


def discard_partial() -> None:
    """Remove unfinished files, before the process ends at once."""
    for partial in list(_PARTIAL):
        with suppress(OSError):
            partial.unlink()


def _put(stream: BinaryIO, content: Content) -> None:
    if isinstance(content, bytes):
        stream.write(content)
    else:
        content(stream)


def _is_plain(target: Path) -> bool:
    """Return whether a path is a replaceable plain file, or does not exist yet."""
    return not target.exists() or target.is_file() or target.is_dir()


_MOST = 2**30
"""The most bytes read from a file."""
_PIECE = 2**20
_DEEPEST = 32
"""The deepest nesting; the library's files have at most six levels."""
_TOO_DEEP = f"this is not JSON (lists and objects are nested more than {_DEEPEST} deep)"


def read_json(content: str | bytes, *, infinite: bool = True) -> Any:
    """The value of a JSON text; bytes are UTF-8. infinite: accept `NaN` and `Infinity`, which JSON lacks and Python writes.

    Raises:
        InputError: invalid JSON, a duplicate name in an object, or too deep nesting. The sentence does not name the file.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=None if infinite else _refused)
    except InputError:
        raise
    except RecursionError:
        raise InputError(_TOO_DEEP) from None
    except ValueError as error:  # no JSON, no UTF-8, or a number of thousands of digits
        raise InputError(f"this is not JSON ({str(error).splitlines()[0]})") from None
    level = [value]
    for _ in range(_DEEPEST):
        inner = (
            group.values() if isinstance(group, dict) else group for group in level if isinstance(group, dict | list)
        )
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return value
    raise InputError(_TOO_DEEP)


def read_json_file(path: str | Path) -> Any:
    """The value of a JSON file of at most 1 GiB; an `OSError` if it cannot be read."""
    content = bytearray()
    with Path(path).open("rb") as stream:
        while piece := stream.read(_PIECE):  # asked for all at once, a GiB would be taken for a file of a few bytes
            content += piece
            if len(content) > _MOST:
                raise InputError("this is not JSON (it is larger than 1 GiB)")
    return read_json(bytes(content))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of a JSON document; a duplicate name is rejected, not silently overwritten."""
    named = dict(pairs)
    if len(named) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"duplicate name '{next(name for name in names if names.count(name) > 1)}'")
    return named


def _refused(word: str) -> Any:
    raise InputError(f"this is not JSON ({word} is not a number)")
