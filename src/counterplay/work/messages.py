"""Messages between a process and its workers, over pipes."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import IO, Any

from counterplay.errors import InputError

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Failure:
    """An error of a piece: its text, and whether the input was at fault."""

    text: str
    input: bool

    def error(self) -> Exception:
        return InputError(self.text) if self.input else RuntimeError(self.text)


def write_message(stream: IO[bytes], message: Any) -> None:
    """Write one message."""
    content = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """The next message; None at the end of the stream. Only for streams of our own processes."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    return pickle.loads(content) if len(content) == length else None
