"""A worker: reads work, then its keys, then other work, from a stream, and writes results to another one."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import IO, Any, NoReturn

from counterplay.errors import InputError
from counterplay.jit.threads import OURS
from counterplay.work.messages import Failure, read_message, unpickled, write_message


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
            result = work if isinstance(work, Failure) else _result(work, message)
            write_message(output, (message, result))
            continue
        sys.path[:], content = message
        work = _unpickled(content)


def _listen(stream: IO[bytes], messages: SimpleQueue[Any]) -> None:
    """Hand on what comes, and end the process, whatever it is doing, when nothing can come any more."""
    while (message := read_message(stream)) is not None:
        messages.put(message)
    os._exit(0)


def _unpickled(content: list[Any]) -> Any:
    try:
        return unpickled(content)
    except Exception as error:  # a class of a script, say, which is nowhere to be imported from
        return Failure(f"this work cannot be given to other processes: {error}", input=True)


def _result(work: Any, key: str) -> Any:
    try:
        return work.compute(key)
    except InputError as error:
        return Failure(str(error), input=True)
    except Exception:
        return Failure(traceback.format_exc(), input=False)


if __name__ == "__main__":
    main()
