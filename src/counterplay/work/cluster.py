"""Pieces of work on an existing cluster of dask.distributed (extra `counterplay[cluster]`).

The work travels to each worker once, as its fields; a key travels for each piece, and a result comes back. Workers that die
are replaced by the scheduler, which gives their piece to another one; a result counts when it is here, under its key.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

from counterplay.about import version
from counterplay.errors import InputError, quoted
from counterplay.work.executor import Begin, Results
from counterplay.work.messages import Failure
from counterplay.work.work import Work

_SCHEMES = ("tcp", "tls", "ws", "wss", "inproc")
_PATIENCE = 10.0
"""Seconds until a scheduler is taken to be absent."""
_AHEAD = 2
"""Pieces given out for each thread of the cluster: the next one is there when the last one ends."""
_ONE_AT_A_TIME = threading.Lock()
_UNPICKLED: dict[str, Work] = {}


def check_address(address: str) -> None:
    """Reject what is no address of a scheduler.

    Raises:
        InputError: it has no scheme, host and port.
    """
    parts = urlsplit(address)
    try:
        whole = parts.scheme in _SCHEMES and (parts.port is not None or parts.scheme == "inproc")
    except ValueError:
        whole = False
    if not whole:
        raise InputError(f"a cluster's address looks like tcp://127.0.0.1:8786, and not like {quoted(address)}")


class Cluster:
    """An existing cluster.

    Args:
        address: of its scheduler, such as tcp://127.0.0.1:8786. It is never guessed, and nothing is started.

    Raises:
        InputError: no such address, or dask.distributed is not installed.
    """

    def __init__(self, address: str) -> None:
        check_address(address)
        try:
            import distributed  # noqa: F401
        except ModuleNotFoundError:
            raise InputError("a cluster needs dask.distributed: pip install 'counterplay[cluster]'") from None
        self.address = address

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        """See `Executor`; the work must be picklable, and the files that it names must be on the workers.

        Raises:
            InputError: of a piece; the scheduler is absent or lost; a worker has another version of the library.
        """
        if not keys:
            return
        content = _pickled(work)
        with self._client() as client:
            threads = self._checked(client)
            yield from _Round(client, content, keys, begin, max(_AHEAD, _AHEAD * threads)).results(self.address)

    @contextmanager
    def _client(self) -> Iterator[Any]:
        from distributed import Client

        try:
            client = Client(self.address, timeout=_PATIENCE, set_as_default=False)
        except OSError:
            raise InputError(f"there is no scheduler at {self.address}") from None
        try:
            yield client
        finally:
            client.close(timeout=_PATIENCE)

    def _checked(self, client: Any) -> int:
        """The number of threads of the cluster, whose workers all have our version.

        Raises:
            InputError: one has not, or there are none.
        """
        ours, theirs = _stamp(), client.run(_stamp)
        if not theirs:
            raise InputError(f"the cluster at {self.address} has no workers")
        for worker, found in theirs.items():
            if found != ours:
                raise InputError(_other_version(worker, found))
        return sum(client.nthreads().values())


class _Round:
    """The pieces of one call: some are out, and the next follow as results come.

    Attributes:
        client: of the cluster.
        keys: those not given out yet, the next one last.
        most: pieces that are out at once.
    """

    def __init__(self, client: Any, content: bytes, keys: Sequence[str], begin: Begin, most: int) -> None:
        self.client, self.keys, self.most = client, list(reversed(keys)), most
        self._begin, self._key_of = begin, dict[str, str]()
        self._digest = blake2b(content, digest_size=16).hexdigest()
        self._content = client.scatter(content, hash=True, broadcast=True)

    def results(self, address: str) -> Results:
        """Keys and results as they come; closing ends the pieces that are out."""
        from distributed import as_completed

        stream = as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
        try:
            self._give(stream)
            for future, result in stream:
                key = self._key_of.pop(future.key)
                if future.status != "finished":
                    raise _lost(future, key, address)
                future.release()
                if isinstance(result, Failure):
                    raise result.error()
                self._give(stream)
                yield key, result
        except (OSError, TimeoutError):
            raise _gone(address) from None
        finally:
            self.client.cancel(list(stream.futures), force=True) if stream.futures else None

    def _give(self, stream: Any) -> None:
        """Give out pieces until enough are out."""
        while self.keys and len(self._key_of) < self.most:
            key = self.keys.pop()
            self._begin(key)
            future = self.client.submit(_piece, self._content, self._digest, key, _stamp(), pure=False)
            self._key_of[future.key] = key
            stream.add(future)


def _piece(content: bytes, digest: str, key: str, asked: tuple[str, str]) -> Any:
    """The result of a piece on a worker, or its failure; one at a time, since kernels have threads of their own."""
    if _stamp() != asked:  # a worker that came later
        return Failure(_other_version("a worker", _stamp()), input=True)
    with _ONE_AT_A_TIME:
        try:
            if digest not in _UNPICKLED:
                _UNPICKLED.clear()
                _UNPICKLED[digest] = pickle.loads(content)
            return _UNPICKLED[digest].compute(key)
        except InputError as error:
            return Failure(str(error), input=True)


def _stamp() -> tuple[str, str]:
    """The version of the library, and that of the code of its kernels."""
    from counterplay.jit import stamp  # which imports the compiler

    return version(), stamp()


def _other_version(worker: str, found: tuple[str, str]) -> str:
    what = f"version {found[0]}" if found[0] != version() else "other kernels"
    return f"{worker} has {what} of counterplay, and not {version()} with the kernels that are here"


def _pickled(work: Work) -> bytes:
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(f"this work cannot be given to other processes: {error}") from None


def _lost(future: Any, key: str, address: str) -> Exception:
    """The error of a piece that has no result."""
    if future.status == "error":
        error = future.exception()
        if type(error).__name__ == "KilledWorker":
            return InputError(f"the workers that computed {key} ended unexpectedly, again and again")
        return RuntimeError(f"{key}: {error}")
    return _gone(address)


def _gone(address: str) -> InputError:
    return InputError(f"the scheduler at {address} is gone; a record has the results so far")
