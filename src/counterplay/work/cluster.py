"""Pieces of work on an existing cluster of dask.distributed (extra `counterplay[cluster]`).

The work travels to each worker once, as its fields; a key travels for each piece, and a result comes back. Files that the
work names, and tables of the cache folder, travel once to each cache that lacks them. What a worker that dies was computing
is given to another one; a result counts when it is here, under its key.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from counterplay.about import version
from counterplay.cache_folder import OfferedFileError, offered, used_files
from counterplay.errors import InputError, quoted
from counterplay.work.carried_files import (
    CachedFile,
    Carried,
    Packed,
    Reach,
    UnseenTablesError,
    absent,
    content_digest,
    keep,
    pack,
    packed_digest,
    place_of,
    read,
    unpack,
)  # fmt: skip
from counterplay.work.run_work import Begin, Results, Work, check_worker_memory, largest_first
from counterplay.work.worker import Failure, checked_pickling

_SCHEMES = ("tcp", "tls", "ws", "wss", "inproc")
_PATIENCE = 10.0
"""Seconds until a scheduler is taken to be absent."""
_PAUSE = 0.2
"""Seconds until it is asked again for workers."""
_AHEAD = 2
"""Pieces given out for each thread of the cluster: the next one is there when the last one ends."""
_LOSSES = 3
"""Times that all workers with a copy of the work may be lost."""


def check_address(address: str) -> None:
    """Reject what is no address of a scheduler, with scheme, host and port."""
    parts = urlsplit(address)
    try:
        whole = parts.scheme in _SCHEMES and (parts.port is not None or parts.scheme == "inproc")
    except ValueError:
        whole = False
    if not whole:
        raise InputError(f"a cluster's address looks like tcp://127.0.0.1:8786, and not like {quoted(address)}")


def is_here(address: str) -> bool:
    """Return whether only this machine can reach a scheduler, so that its workers are here, too."""
    host = urlsplit(address).hostname or ""
    return address.startswith("inproc") or re.fullmatch(r"localhost|::1|127(\.\d+){3}", host) is not None


class Cluster:
    """An existing cluster, whose scheduler has an address such as tcp://127.0.0.1:8786: it is never guessed, and
    nothing is started. Refused: no such address, or dask.distributed is not installed."""

    def __init__(self, address: str) -> None:
        check_address(address)
        try:
            import distributed  # noqa: F401
        except ModuleNotFoundError:
            raise InputError("a cluster needs dask.distributed: pip install 'counterplay[cluster]'") from None
        self.address = address
        self._held: Any = None
        self._known: set[str] = set()

    def size(self) -> int:
        """The number of threads of all workers."""
        with self._client() as client:
            return self._checked(client, None)

    @contextmanager
    def held(self) -> Iterator[None]:
        """The connection stays."""
        with self._client() as client:
            self._held = client
            try:
                yield
            finally:
                self._held = None
                self._known.clear()

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        """Compute pieces of picklable work. Files that it names travel with it, but no code. An InputError of a piece;
        or where the scheduler is absent or lost, or a worker has another version of the library."""
        if not keys:
            return
        with self._client() as client:
            try:
                threads = self._checked(client, work)
                first = Reach.MEMORY if is_here(self.address) else Reach.KEPT
                given = _Round(client, work, keys, begin, max(_AHEAD, _AHEAD * threads), first)
            except (OSError, TimeoutError):
                raise _gone(self.address) from None
            yield from given.results(self.address)

    @contextmanager
    def _client(self) -> Iterator[Any]:
        from distributed import Client

        if self._held is not None:
            yield self._held
            return
        try:
            client = Client(self.address, timeout=_PATIENCE, set_as_default=False, direct_to_workers=True)
        except OSError:
            raise InputError(f"there is no scheduler at {self.address}") from None
        try:
            yield client
        finally:
            # RuntimeError: distributed closes a connection that is just timing out, since the scheduler is lost.
            with suppress(OSError, TimeoutError, RuntimeError):
                client.close(timeout=_PATIENCE)

    def _checked(self, client: Any, work: Work | None) -> int:
        """The number of threads of the cluster, if there are any and all workers have our version, and room for the
        work."""
        threads = client.nthreads()
        while not threads and self._known:  # they were there for the work before, so that new ones will come
            time.sleep(_PAUSE)
            threads = client.nthreads()
        if not threads:
            raise InputError(f"the cluster at {self.address} has no workers")
        if not threads.keys() <= self._known:  # while the connection is held, the same workers are asked once
            ours = stamp_here()
            for worker, found in client.run(stamp_here).items():
                if found != ours:
                    raise InputError(other_version(worker, found, ours))
            if work is not None:
                for worker, facts in client.scheduler_info()["workers"].items():
                    check_worker_memory(work, worker, facts.get("memory_limit"))
            self._known = set(threads) if self._held is client else set()
        return sum(threads.values())


class _Round:
    """The pieces of one call: some are out, `most` at once, and the next follow as results come; `keys` are those not
    given out yet, the next one last."""

    def __init__(self, client: Any, work: Work, keys: Sequence[str], begin: Begin, most: int, reach: Reach) -> None:
        self.client, self.keys, self.most = client, largest_first(work, keys)[::-1], most
        self._begin, self._key_of, self._losses = begin, dict[str, tuple[str, Reach, int]](), 0
        self._work, self._place = work, {key: place for place, key in enumerate(keys)}
        self._workers = sorted(client.nthreads())
        self._there: Any = None  # the content on the cluster
        self._pack(reach)
        self._sent: dict[CachedFile, tuple[Carried, Any]] = {}

    def results(self, address: str) -> Results:
        """Keys and results as they come; closing ends the pieces that are out."""
        from distributed import as_completed

        stream = as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
        try:
            self._give_all(stream)
            for future, result in stream:
                key, reach, losses = self._key_of.pop(future.key)
                if future.status == "error":
                    error = future.exception()
                    if type(error).__name__ == "KilledWorker":
                        raise InputError(f"the workers that computed {key} ended unexpectedly, again and again")
                    raise RuntimeError(f"{key}: {error}")
                if future.status != "finished":
                    # All pieces that were out are lost at once, which counts once.
                    if losses == self._losses:
                        self._losses += 1
                        self._there = None
                        self._sent.clear()
                    if self.client.status != "running" or self._losses > _LOSSES:
                        raise _gone(address)
                    self._give(
                        stream, key
                    )  # the scheduler is there, and only workers are gone with all copies of the work
                    continue
                future.release()
                if isinstance(result, Failure):
                    raise result.error()
                if isinstance(result, Absent):
                    if not result.files and reach is self._reach:
                        self._pack(reach.less())
                    self._give(stream, key, result.files)
                    continue
                self._give_all(stream)
                yield key, result
        except (OSError, TimeoutError):
            raise _gone(address) from None
        finally:
            self.client.cancel(list(stream.futures), force=True) if stream.futures else None

    def _pack(self, reach: Reach) -> None:
        """The work as it travels next, to workers that have so much of its tables already."""
        self._reach = reach
        with checked_pickling():
            packed, self._files = pack(self._work, reach=reach)
        self._content = Content(packed, packed_digest(packed), tuple(self._files), used_files())
        self._there = None

    def _give_all(self, stream: Any) -> None:
        """Give out pieces until enough are out."""
        while self.keys and len(self._key_of) < self.most:
            key = self.keys.pop()
            self._begin(key)
            self._give(stream, key)

    def _give(self, stream: Any, key: str, files: Sequence[CachedFile] = ()) -> None:
        """Give out a piece, with files that a worker lacked."""
        if self._there is None:
            (self._there,) = self.client.scatter([self._content], hash=False, broadcast=True)
        for file in files:  # it travels to the cluster once, and from worker to worker there
            if file not in self._sent:
                content = read(self._files.get(file) or place_of(file))
                (there,) = self.client.scatter([content], hash=False)
                self._sent[file] = Carried(file, content_digest(content)), there
        sent = [self._sent[file] for file in files]
        carried, contents = [one for one, _ in sent], [one for _, one in sent]
        where: dict[str, Any] = {}  # of many pieces, wherever a worker is free
        if len(self._place) <= len(self._workers):  # by the same worker in every round, which has kept what came before
            where = {"workers": [self._workers[self._place[key]]], "allow_other_workers": True}
        future = self.client.submit(
            compute_piece, self._there, key, stamp_here(), carried, contents, pure=False, **where
        )
        self._key_of[future.key] = key, self._reach, self._losses
        stream.add(future)


def _gone(address: str) -> InputError:
    return InputError(f"the scheduler at {address} is gone; a record has the results so far")


_ONE_AT_A_TIME = threading.Lock()
_UNPICKLED: dict[str, Work] = {}


class Absent(NamedTuple):
    """Files that a worker lacks, instead of a result; without any it does not see the memory of the process that gave
    the work."""

    files: tuple[CachedFile, ...] = ()


class Content(NamedTuple):
    """Packed work, its digest, the files that it names, and those of the cache that it may ask for."""

    packed: Packed
    digest: str
    named: tuple[CachedFile, ...]
    offered: frozenset[tuple[str, str]]


def compute_piece(
    content: Content, key: str, asked: tuple[str, str], carried: list[Carried], contents: list[bytes]
) -> Any:
    """The result of a piece on a worker, the files that it lacks, or its failure; one at a time: kernels have
    threads."""
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
                if content.digest not in _UNPICKLED:  # kept for the next piece
                    if packed_digest(content.packed) != content.digest:
                        raise InputError("the work was damaged on its way")
                    _UNPICKLED.clear()
                    _UNPICKLED[content.digest] = unpack(content.packed)
                return _UNPICKLED[content.digest].compute(key)
        except UnseenTablesError:
            return Absent()
        except OfferedFileError as error:
            return Absent((CachedFile(*error.file),))
        except InputError as error:
            return Failure(str(error), input=True)


def stamp_here() -> tuple[str, str]:
    """The version of the library, and that of the code of its kernels."""
    from counterplay.jit import stamp  # which imports the compiler

    return version(), stamp()


def other_version(worker: str, found: tuple[str, str], asked: tuple[str, str]) -> str:
    """The sentence that refuses a worker. found, asked: its stamp, and that of whoever gives the work."""
    what = f"version {found[0]}" if found[0] != asked[0] else "other kernels"
    return f"{worker} has {what} of counterplay, and not {asked[0]} with the kernels that are here"
