"""Attack by two writers of one path, and a reader: each read returns one of the two files, whole, and no writer fails."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attack.child import ended, forked
from attack.formats import FORMATS
from attack.part import Outcome
from attack.program import warm

_TIMES = 40
"""How often each writer writes."""
_SHORT = 60.0
"""Seconds on the wall in which a race ends."""
WRITTEN = ("cps", "spot", "cpb", "cpa", "strategy")
"""The formats that the library writes where a user says."""


class Writers:
    """Each case is one race over one path."""

    about = "two writers and a reader of one path: nothing torn, nobody refused, nobody else's file touched"
    cases, few = 60, 2
    cpu = 55.0

    def prepare(self, folder: Path) -> None:
        warm()
        for name in WRITTEN:
            (folder / name).mkdir()
            one = FORMATS[name]
            one.read(one.original(folder / name))

    def enter(self, folder: Path) -> None:
        self.folder = folder

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        name, plain = draw.choice(WRITTEN), number % 2 == 0
        home = self.folder / f"race{number}"
        home.mkdir()
        path = home / f"one{FORMATS[name].ending}"
        bystander = path.with_name(path.name + ".partial")
        bystander.write_text("somebody's own")
        problems = _race(_plain(draw) if plain else FORMATS[name].make, path)
        if not bystander.exists() or bystander.read_text() != "somebody's own":
            problems.append(f"{bystander.name}, which is somebody's own, was touched")
        left = set(os.listdir(home)) - {path.name, bystander.name}
        problems += [f"{one} was left behind" for one in sorted(left)]
        shutil.rmtree(home)
        what = "bytes by write_whole" if plain else name
        return Outcome(tuple(problems), f"two processes write {what} to one path", done=2 * _TIMES)


def _plain(draw: random.Random) -> Callable[[Path], Any]:
    """`write_whole` itself; a writer writes its own letter, with which no JSON and no archive begins."""
    from counterplay.files import write_whole

    size = draw.choice((10, 10**5, 10**6))
    return lambda path: write_whole(path, bytes([1 + os.getpid() % 64]) * size)


def _race(save: Callable[[Path], Any], path: Path) -> list[str]:
    """Two writers, and this process as the reader."""
    children = [forked(_writer(save, path)) for _ in range(2)]
    seen: set[bytes] = set()
    begin = time.monotonic()
    while any(_runs(child[0]) for child in children) and time.monotonic() - begin < _SHORT:
        if path.exists():
            seen.add(path.read_bytes())
    problems = []
    for child in children:
        end = ended(child)
        if end.code != 0:
            why = end.err.strip().splitlines()[-1][:200] if end.err.strip() else f"exit code {end.code}"
            problems.append(f"a writer was refused: {why}")
    torn = sum(not _is_whole(content) for content in seen)
    if torn:
        problems.append(f"{torn} of {len(seen)} contents that were read are torn")
    if not path.exists() or not _is_whole(path.read_bytes()):
        problems.append("the last file is torn or missing")
    return problems


def _is_whole(content: bytes) -> bool:
    """Whether it is what one writer wrote."""
    try:
        if content.startswith(b"PK"):
            return zipfile.ZipFile(io.BytesIO(content)).testzip() is None
        if content.startswith(b"{"):
            return isinstance(json.loads(content), dict)
    except (zipfile.BadZipFile, zlib.error, ValueError):
        return False
    return len(content) > 0 and content == content[:1] * len(content)


def _writer(save: Callable[[Path], Any], path: Path) -> Callable[[], None]:
    def act() -> None:
        for _ in range(_TIMES):
            save(path)

    return act


def _runs(process: int) -> bool:
    """Whether a child still works; it is waited for later."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False
