"""Messages between a process and its workers, over pipes.

The numbers of arrays go as they lie in memory, behind the pickled rest, so that large tables are not copied on their way.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import IO, Any

from counterplay.errors import InputError

_SIZE = struct.Struct("<Q")


@dataclass(frozen=True)
class Failure:
    """An error of a piece: its text, and whether the input was at fault."""

    text: str
    input: bool

    def error(self) -> Exception:
        return InputError(self.text) if self.input else RuntimeError(self.text)


def pickled(message: Any) -> list[Any]:
    """The pickled content, then the numbers of its arrays; all of them go through `write_message` without a copy."""
    arrays = list[pickle.PickleBuffer]()
    content = pickle.dumps(message, protocol=5, buffer_callback=arrays.append)
    return [pickle.PickleBuffer(content), *arrays]


def unpickled(parts: list[Any]) -> Any:
    """The message again."""
    return pickle.loads(parts[0], buffers=parts[1:])


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
    return unpickled(parts) if parts else None


def _read_size(stream: IO[bytes]) -> int | None:
    head = stream.read(_SIZE.size)
    return None if len(head) < _SIZE.size else int(_SIZE.unpack(head)[0])
