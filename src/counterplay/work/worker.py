"""A worker: reads work, then its keys, then other work, from a stream, and writes results to another one.

In messages the numbers of arrays go as they lie in memory, behind the pickled rest, so that large tables are not copied on
their way. The worker's process is a fork of this one where nothing speaks against it, else a new Python.

A fork has read already what this process has, modules, compiled kernels and tables, and shares the memory until one of both
writes to it. But of the threads it has one: what the others hold at that moment stays held there. So no thread but our own
may run, which hold nothing that a worker needs, and no library that keeps threads and waits for them.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import stat
import struct
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Any, NoReturn

from counterplay.errors import InputError
from counterplay.jit.threads import OURS

_THREADED = ("highspy", "torch", "distributed")
"""Packages that start threads which are no threads of Python."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SIZE = struct.Struct("<Q")


@dataclass(frozen=True)
class Failure:
    """An error of a piece: its text, and whether the input was at fault."""

    text: str
    input: bool

    def error(self) -> Exception:
        return InputError(self.text) if self.input else RuntimeError(self.text)


@contextmanager
def checked_pickling() -> Iterator[None]:
    """Refuse work that cannot be pickled."""
    try:
        yield
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(f"this work cannot be given to other processes: {error}") from None


def pickled(message: Any) -> list[Any]:
    """The pickled content, then the numbers of its arrays; all of them go through `write_message` without a copy."""
    arrays = list[pickle.PickleBuffer]()
    content = pickle.dumps(message, protocol=5, buffer_callback=arrays.append)
    return [pickle.PickleBuffer(content), *arrays]


def write_message(stream: IO[bytes], message: Any) -> None:
    """Write one message: the number of its parts, their sizes, and they."""
    parts = [part.raw() for part in pickled(message)]
    stream.write(b"".join(_SIZE.pack(number) for number in (len(parts), *(part.nbytes for part in parts))))
    for part in parts:
        stream.write(part)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """The next message; None at the end of the stream. Only for streams of our own processes."""
    parts = list[Any]()
    count = _read_size(stream)
    sizes = [_read_size(stream) for _ in range(count or 0)]
    for size in sizes:
        part = bytearray(size or 0)
        if size is None or stream.readinto(part) < size:  # type: ignore[attr-defined]
            return None
        parts.append(part)
    return pickle.loads(parts[0], buffers=parts[1:]) if parts else None


def _read_size(stream: IO[bytes]) -> int | None:
    head = stream.read(_SIZE.size)
    return None if len(head) < _SIZE.size else int(_SIZE.unpack(head)[0])


def start_worker(environment: Mapping[str, str]) -> subprocess.Popen[bytes] | _Fork:
    """Start a worker, with some more variables of the environment. Ctrl-C is for this process alone, which then ends
    its workers."""
    if can_fork():
        return _Fork(environment)
    return subprocess.Popen(
        [sys.executable, "-c", "from counterplay.work.worker import main; main()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **environment}, start_new_session=True,
    )  # fmt: skip


def can_fork() -> bool:
    """Return whether a fork of this process can work."""
    return (
        sys.platform == "linux"
        and not any(name in sys.modules for name in _THREADED)
        and all(one is threading.current_thread() or one.name.startswith(OURS) for one in threading.enumerate())
    )


class _Fork:
    """A fork of this process as a worker; as much of `subprocess.Popen` as is needed."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        there_in, here_out = os.pipe()
        here_in, there_out = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # else what it holds would be written twice
                stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads: see `can_fork`
            self.pid = os.fork()
        if self.pid == 0:
            _live_as_worker(there_in, there_out, environment)
        os.close(there_in)
        os.close(there_out)
        self.stdin: IO[bytes] = os.fdopen(here_out, "wb")
        self.stdout: IO[bytes] = os.fdopen(here_in, "rb")
        self._status: int | None = None
        self._waiting = threading.Lock()

    def poll(self) -> int | None:
        return self._wait(os.WNOHANG)

    def wait(self) -> int:
        status = self._wait(0)
        assert status is not None
        return status

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _wait(self, how: int) -> int | None:
        with self._waiting:
            if self._status is None:
                try:
                    pid, status = os.waitpid(self.pid, how)
                except ChildProcessError:  # somebody else has waited for it
                    pid, status = self.pid, 0
                if pid:
                    self._status = os.waitstatus_to_exitcode(status)
            return self._status


def _live_as_worker(source: int, sink: int, environment: Mapping[str, str]) -> None:
    """In the fork: be a worker until the end, and never go back to the caller."""
    try:
        os.setsid()
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        gc.freeze()  # what was there before is neither looked at nor copied
        _leave_connections({source, sink})
        sys.stdout = sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115 - fresh locks, and no old text
        os.environ.update(environment)
        serve(os.fdopen(source, "rb"), os.fdopen(sink, "wb"))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _leave_connections(ours: set[int]) -> None:
    """Put nothing in the place of all pipes and sockets but ours and that for errors: who holds an end of another
    worker's input would keep it alive. The numbers stay taken, so that no object of the fork closes what is not its
    own."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):
            kind = os.fstat(handle).st_mode
            if handle != 2 and handle not in ours and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
                os.dup2(nothing, handle)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what a piece prints is no message


def main() -> None:
    """Work until standard input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a piece prints is no message
    serve(sys.stdin.buffer, output)


def serve(source: IO[bytes], output: IO[bytes]) -> NoReturn:
    """Work until the source ends, and with it the process."""
    messages = SimpleQueue[Any]()
    threading.Thread(target=_listen, args=(source, messages), name=OURS, daemon=True).start()
    work: Any = None
    while True:
        message = messages.get()
        if isinstance(message, str):
            try:
                result = work if isinstance(work, Failure) else work.compute(message)
            except InputError as error:
                result = Failure(str(error), input=True)
            except Exception:
                result = Failure(traceback.format_exc(), input=False)
            write_message(output, (message, result))
            continue
        sys.path[:], content = message
        try:
            work = pickle.loads(content[0], buffers=content[1:])
        except Exception as error:  # a class of a script, say, which is nowhere to be imported from
            work = Failure(f"this work cannot be given to other processes: {error}", input=True)


def _listen(stream: IO[bytes], messages: SimpleQueue[Any]) -> None:
    """Hand on what comes, and end the process, whatever it is doing, when nothing can come any more."""
    while (message := read_message(stream)) is not None:
        messages.put(message)
    os._exit(0)
