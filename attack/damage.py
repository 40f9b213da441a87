"""Damage to files: one of many ways, drawn by lot, as the content allows.

Every way takes sound content and a source of chance, and gives other content.
"""

from __future__ import annotations

import random
import struct
import zipfile
import zlib
from collections.abc import Callable

from attack.damage_archives import directory, facts, headers, numbers, renamed
from attack.damage_bytes import cut, doubled, filled, flip, replaced
from attack.damage_texts import document, text

Way = Callable[[bytes, random.Random], bytes]
BYTES: tuple[Way, ...] = (flip, flip, cut, filled, doubled, replaced)
ARCHIVE: tuple[Way, ...] = (directory, renamed, headers, numbers, facts)
_CANNOT = (ValueError, OverflowError, IndexError, struct.error, zipfile.LargeZipFile, zlib.error)
"""What is raised where a name or number is none that an archive can hold."""


def damaged(content: bytes, draw: random.Random) -> tuple[str, bytes]:
    """Content damaged in one way, and the name of the way."""
    ways: tuple[Way, ...] = BYTES
    chance = draw.random()
    if content.startswith(b"PK"):
        ways = ARCHIVE if chance < 0.75 else BYTES
    elif chance < 0.6:
        ways = (document,) if content.startswith(b"{") else (text,)
    way = draw.choice(ways)
    try:
        return way.__name__, way(content, draw)
    except _CANNOT:
        return "flip", flip(content, draw)
