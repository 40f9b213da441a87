"""Ways to damage any file: bits, ends, holes, pieces twice, something else in its place."""

from __future__ import annotations

import random


def flip(content: bytes, draw: random.Random) -> bytes:
    """Some bits."""
    damaged = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 8))):
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
    return bytes(damaged)


def cut(content: bytes, draw: random.Random) -> bytes:
    """The beginning, the end, or a piece in the middle is missing."""
    at = draw.randrange(len(content))
    return draw.choice((content[:at], content[at:], content[:at] + content[at + draw.randrange(1, 50) :]))


def filled(content: bytes, draw: random.Random) -> bytes:
    """A hole of zeros, ones or noise."""
    at, size = draw.randrange(len(content)), draw.choice((1, 4, 16, 200))
    filling = draw.choice((bytes(size), b"\xff" * size, draw.randbytes(size)))[: len(content) - at]
    return content[:at] + filling + content[at + len(filling) :]


def doubled(content: bytes, draw: random.Random) -> bytes:
    """A piece stands somewhere else too."""
    at, other = draw.randrange(len(content)), draw.randrange(len(content))
    return content[:other] + content[at : at + draw.choice((1, 8, 64, len(content)))] + content[other:]


def replaced(content: bytes, draw: random.Random) -> bytes:
    """Another file, or something behind it."""
    noise = draw.randbytes(64)
    begins = draw.choice((b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"\x93NUMPY"))
    return draw.choice((b"", bytes(100), begins + noise, content * 2, content + noise))
