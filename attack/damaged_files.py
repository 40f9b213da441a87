"""Attack on files: every format damaged in every way, read through the library's own door under a limit of memory."""

from __future__ import annotations

import os
import random
import resource
import sys
import time
import tracemalloc
from pathlib import Path

from attack import ground
from attack.damage import damaged
from attack.formats import FORMATS, same
from attack.hand_formats import HAND_FORMATS
from attack.judge import LONGEST
from attack.part import Outcome
from attack.program import blame, is_plain, streams, warm

_PEAK = 48 * 2**20
"""Bytes that reading a damaged file of a few KiB may take beyond what is there."""
_CEILING = 3 * 2**30
"""Bytes of address space beyond which nothing is given, so that a test does not take down the machine."""
_watched: list[str] = []


_EVERY = FORMATS | HAND_FORMATS
_SLOW = 10.0
"""Processor seconds that one file may take, with its memory watched."""


class DamagedFiles:
    """Each case is one damaged file of one format."""

    about = "damaged files: read as written, or refused in one sentence; nothing run, little memory"
    cases, few = 12_000, 160
    cpu = 90.0

    def prepare(self, folder: Path) -> None:
        warm()
        self.sound = {}
        for name, one in _EVERY.items():
            home = folder / name.replace(" ", "_")
            home.mkdir()
            path = one.original(home)
            content = path.read_bytes()
            known = one.read(path)
            path.write_bytes(content)
            if one.sealed and not same(known, one.read(path)):
                raise RuntimeError(f"{name}: two readings of one file differ")
            self.sound[name] = content, known

    def enter(self, folder: Path) -> None:
        os.chdir(folder)
        (folder / "booby.py").write_text(ground._SNARE)
        sys.path.insert(0, str(folder))
        sys.addaudithook(_watch)
        sys.setrecursionlimit(1000)
        now = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (now + _CEILING, now + _CEILING))
        tracemalloc.start()
        self.folder = folder

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        name = list(_EVERY)[number % len(_EVERY)]
        one, (content, known) = _EVERY[name], self.sound[name]
        way, worse = damaged(content, draw)
        path = self.folder / f"damaged{one.ending}"
        path.write_bytes(worse)
        line = f"{name}, {way}, {len(worse)} bytes: python -m attack --only files --case {number} keeps it"
        _watched.clear()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        begin = time.process_time()
        kind, problems = self._read(name, path, known)
        if (took := time.process_time() - begin) > _SLOW:
            problems.append(f"{took:.1f} processor seconds")
        peak = tracemalloc.get_traced_memory()[1] - before
        if peak > _PEAK + 20 * len(content):
            problems.append(f"{peak / 2**20:.0f} MiB to read {len(worse) / 2**10:.1f} KiB")
        if (self.folder / ground.BOOBY).exists() or "booby" in sys.modules or _watched:
            problems.append(f"a file caused code to run: {_watched[:1] or ground.BOOBY}")
            (self.folder / ground.BOOBY).unlink(missing_ok=True)
            sys.modules.pop("booby", None)
        path.unlink(missing_ok=True)
        return Outcome(tuple(f"{name}, {way}: {problem}" for problem in problems), line, kind=kind)

    def _read(self, name: str, path: Path, known: object) -> tuple[str, list[str]]:
        """What came of it, and what is wrong with that."""
        from counterplay.errors import InputError

        try:
            with streams():
                found = _EVERY[name].read(path)
        except InputError as error:
            text = str(error)
            if "\n" in text or not is_plain(text):
                return "refused", [f"a message of several lines or with control characters: {text[:120]!r}"]
            return "refused", [f"a message of {len(text)} characters"] if len(text) > LONGEST else []
        except BaseException as error:
            return "raised", [blame(error)]
        if _EVERY[name].sealed and not same(found, known):
            return "other", ["it is read, and is not what was written"]
        return "read", []


def _watch(event: str, words: tuple[object, ...]) -> None:
    """An audit hook: what a file must never bring about."""
    if event in ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn") or (
        event == "import" and str(words[0]).startswith("booby")
    ):
        _watched.append(f"{event} {words[:1]}")
