"""Results on disk, as JSON: each is appended to a file as soon as it is there, and later runs resume from it.

The first line says of what work the results are, each of the others holds one result and its digest. A line is written at
once, so that whatever ends the process loses one result at most; what is torn or damaged is computed again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.files import read_json

FORMAT = "counterplay work"
_VERSION = 1
_MOST = 2**33
"""Bytes of a record that are read."""


class ForeignRecordError(InputError):
    """A record of other work than is wanted."""


class WorkRecord:
    """Results by key, kept in a file; a record without a file keeps them in memory.

    Args:
        path: the file; made with the first result if it is not there.
        identity: of the work (see `Work.identity`). The version of the library belongs to it.

    Attributes:
        results: by key.
        damaged: lines of the file that could not be used.

    Raises:
        InputError: the file cannot be read, or is no record; a `ForeignRecordError` where it is of other work, or of
            another version.
    """

    def __init__(self, path: Path | None = None, identity: Mapping[str, Any] | None = None) -> None:
        self.path, self.damaged = path, 0
        self.results: dict[str, Any] = {}
        self._head = {"format": FORMAT, "file version": _VERSION, "version": version(), "work": encoded(identity or {})}
        self._begun = False
        if path is not None and path.exists():
            self._read(path)

    def keep(self, key: str, result: Any) -> None:
        """Keep a result; an InputError where the file cannot be written, as when the disk is full. What is in it
        stays."""
        if self.path is None:
            self.results[key] = result
            return
        document = encoded(result)
        self.results[key] = decoded(document)
        lines = [] if self._begun else [json.dumps(self._head)]
        lines.append(json.dumps({"key": key, "result": document, "sha256": _digest(key, document)}))
        content = "".join(f"{line}\n" for line in lines).encode()
        try:  # in one call of the system, so that two writers do not mix their lines
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                end = os.fstat(handle).st_size
                if not self._begun and _is_torn_head(os.pread(handle, end, 0)):
                    os.ftruncate(handle, 0)
                elif end and os.pread(handle, 1, end - 1) != b"\n":  # a writer was ended in the middle of a line
                    content = b"\n" + content
                if os.write(handle, content) < len(content):
                    raise OSError("the disk is full")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror or error}") from None
        self._begun = True

    def _read(self, path: Path) -> None:
        try:
            if not path.is_file() or path.stat().st_size > _MOST:
                raise InputError(f"cannot read {path}: it is no file, or too large for a record of work")
            content = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from None
        if _is_torn_head(content):
            return
        lines = content.split(b"\n")
        head = _document(lines[0])
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise InputError(f"cannot read {path}: it is no record of work")
        for name, ours in self._head.items():
            if head.get(name) != ours:
                raise ForeignRecordError(
                    f"cannot go on with {path}: it is a record of other work ({_difference(head, name, ours)})"
                )
        self._begun = True
        for document in [_document(line) for line in lines[1:] if line]:
            if isinstance(document, dict) and document.get("format") == FORMAT:
                continue  # two processes began the file at the same time
            try:
                key, result = document["key"], document["result"]
                if document["sha256"] != _digest(key, result):
                    raise InputError("a result has changed")
                self.results[str(key)] = decoded(result)
            except (InputError, KeyError, TypeError):
                self.damaged += 1


def _difference(head: Mapping[str, Any], name: str, ours: Any) -> str:
    """The part of the head that differs, as far as it is known; the names of tables lead to it."""
    theirs, names = head.get(name), [name]
    while isinstance(theirs, dict) and isinstance(ours, dict):
        fact = next(key for key in [*ours, *theirs] if theirs.get(key) != ours.get(key))
        theirs, ours = theirs.get(fact), ours.get(fact)
        names.append(str(fact))
    return f"its {' '.join(names[1:] or names)} is {theirs!r}, not {ours!r}"


_BEGINNING = f'{{"format": "{FORMAT}"'.encode()
"""Of every first line."""


def _is_torn_head(content: bytes) -> bool:
    """Return whether a file is empty, or its writer was ended in the middle of the first line: it has no result."""
    return b"\n" not in content and (content.startswith(_BEGINNING) or _BEGINNING.startswith(content))


def _document(line: bytes) -> Any:
    try:
        return read_json(line)
    except InputError:
        return None


def _digest(key: str, document: Any) -> str:
    return hashlib.sha256(json.dumps([key, document]).encode()).hexdigest()[:16]


_ARRAY = "array"
_DTYPES = ("float64", "float32", "int64", "int32", "uint32", "uint16", "uint8", "bool")
"""The dtypes read from a file: plain numbers, never objects."""


def encoded(result: Any) -> Any:
    """A result as JSON values; a `TypeError` for other than plain data, a `ValueError` for non-finite numbers."""
    import numpy as np

    if result is None or isinstance(result, bool | int | str):
        return result
    if isinstance(result, np.ndarray):
        if result.dtype.name not in _DTYPES:
            raise TypeError(f"a result must not hold an array of {result.dtype}")
        little = np.ascontiguousarray(result).astype(result.dtype.newbyteorder("<"), copy=False)
        text = base64.b64encode(little.tobytes()).decode("ascii")
        return {_ARRAY: text, "dtype": result.dtype.name, "shape": list(result.shape)}
    if isinstance(result, float | np.floating | np.integer):
        number = result if isinstance(result, float) else result.item()
        if not isfinite(number):
            raise ValueError(f"a result must be a finite number, not {number}")
        return number
    if isinstance(result, list | tuple):
        return [encoded(one) for one in result]
    if isinstance(result, dict):
        return {str(name): encoded(one) for name, one in result.items()}
    raise TypeError(f"a result must be plain data, not {type(result).__name__}")


def decoded(document: Any) -> Any:
    """The result of JSON values; lists stay lists. A damaged array is an `InputError`."""
    import numpy as np

    if isinstance(document, list):
        return [decoded(one) for one in document]
    if not isinstance(document, dict):
        return document
    if _ARRAY not in document:
        return {name: decoded(one) for name, one in document.items()}
    dtype: Any = document.get("dtype")
    sizes: Any = document.get("shape")
    try:
        if dtype not in _DTYPES or not all(type(n) is int and n >= 0 for n in sizes):
            raise ValueError("a dtype or a shape that was never written")
        kind = np.dtype(dtype).newbyteorder("<")
        table = np.frombuffer(base64.b64decode(document[_ARRAY], validate=True), kind).reshape(sizes)
    except (binascii.Error, ValueError, TypeError):
        raise InputError("an array of a result is damaged") from None
    return table.astype(np.dtype(dtype))
