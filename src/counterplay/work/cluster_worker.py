"""What a worker of a cluster does: a piece of work, or the word that it lacks files or has another version."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from counterplay.about import version
from counterplay.cache_folder import OfferedFileError, offered
from counterplay.errors import InputError
from counterplay.work.carried_files import CachedFile, Carried, Packed, absent, keep, packed_digest, unpack
from counterplay.work.messages import Failure
from counterplay.work.shared_tables import UnseenTablesError
from counterplay.work.work import Work

_ONE_AT_A_TIME = threading.Lock()
_UNPICKLED: dict[str, Work] = {}


class Absent(NamedTuple):
    """Files that a worker lacks, instead of a result."""

    files: tuple[CachedFile, ...]


class Unseen(NamedTuple):
    """A worker does not see the memory of the process that gave the work."""


class Content(NamedTuple):
    """Packed work, its digest, the files that it names, and those of the cache that it may ask for."""

    packed: Packed
    digest: str
    named: tuple[CachedFile, ...]
    offered: frozenset[tuple[str, str]]


def compute_piece(
    content: Content, key: str, asked: tuple[str, str], carried: list[Carried], contents: list[bytes]
) -> Any:
    """The result of a piece on a worker, the files that it lacks, or its failure; one at a time: kernels have threads."""
    if stamp_here() != asked:  # a worker that came later
        return Failure(other_version("a worker", stamp_here(), asked), input=True)
    with _ONE_AT_A_TIME:
        try:
            for one, bytes_ in zip(carried, contents, strict=True):
                keep(one, bytes_)
            lacking = absent(content.named)
            if lacking:
                return Absent(lacking)
            with offered(content.offered):
                return _unpickled(content).compute(key)
        except UnseenTablesError:
            return Unseen()
        except OfferedFileError as error:
            return Absent((CachedFile(*error.file),))
        except InputError as error:
            return Failure(str(error), input=True)


def _unpickled(content: Content) -> Work:
    """The work on a worker, which keeps it for the next piece.

    Raises:
        InputError: it is not what its digest says.
    """
    if content.digest not in _UNPICKLED:
        if packed_digest(content.packed) != content.digest:
            raise InputError("the work was damaged on its way")
        _UNPICKLED.clear()
        _UNPICKLED[content.digest] = unpack(content.packed)
    return _UNPICKLED[content.digest]


def stamp_here() -> tuple[str, str]:
    """The version of the library, and that of the code of its kernels."""
    from counterplay.jit import stamp  # which imports the compiler

    return version(), stamp()


def other_version(worker: str, found: tuple[str, str], asked: tuple[str, str]) -> str:
    """The sentence that refuses a worker. found, asked: its stamp, and that of whoever gives the work."""
    what = f"version {found[0]}" if found[0] != asked[0] else "other kernels"
    return f"{worker} has {what} of counterplay, and not {asked[0]} with the kernels that are here"
