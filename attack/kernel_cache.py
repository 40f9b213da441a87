"""Attack on the compiled kernels on disk: damaged as a power cut leaves them, or with no place to be kept."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from attack.damage import BYTES
from attack.part import Outcome

_LINE = ("solve", "kuhn", "--method", "cfr+", "--iterations", "3", "--json")


class KernelCache:
    """Each case is one process that finds its kernels damaged."""

    about = "damaged or unwritable kernels: compiled again or done without, the same numbers, one line at most"
    cases, few = 14, 0

    def prepare(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.cache.mkdir()
        ran = _ran(self.cache)
        if ran.returncode:
            raise RuntimeError(ran.stderr)
        self.right = _numbers(ran.stdout)

    def enter(self, folder: Path) -> None:
        self.folder = folder

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        cache = self.folder / f"cache{number}"
        shutil.copytree(self.cache, cache)
        files = sorted(path for path in cache.rglob("*") if path.suffix in (".nbi", ".nbc"))
        if not files:
            return Outcome(("no kernels were kept",), kind="none")
        if number % 7 == 6:
            how, cache = _in_the_way(cache)
        else:
            how = _spoiled(draw, files)
        ran = _ran(cache)
        problems = []
        if ran.returncode != 0 or "Traceback" in ran.stderr:
            problems.append(f"exit code {ran.returncode}: {ran.stderr.strip()[-300:]}")
        elif _numbers(ran.stdout) != self.right:
            problems.append("other numbers")
        elif ran.stderr.count("\n") > 8:
            problems.append(f"{ran.stderr.count(chr(10))} lines on stderr")
        shutil.rmtree(self.folder / f"cache{number}", ignore_errors=True)
        return Outcome(tuple(problems), f"NUMBA_CACHE_DIR=... counterplay {' '.join(_LINE)}   with {how}", kind="done")


def _spoiled(draw: random.Random, files: list[Path]) -> str:
    """Some of the files, or all of one kind, empty, half, or with bits flipped."""
    ending = draw.choice(sorted({path.suffix for path in files}))
    among = [path for path in files if path.suffix == ending]
    chosen = among if draw.random() < 0.3 else draw.sample(among, min(3, len(among)))
    way = draw.choice((*BYTES, _emptied, _halved))
    for path in chosen:
        path.write_bytes(way(path.read_bytes(), draw))
    return f"{len(chosen)} files {ending} damaged by {way.__name__.strip('_<>')}"


def _emptied(content: bytes, draw: random.Random) -> bytes:
    return b""


def _halved(content: bytes, draw: random.Random) -> bytes:
    return content[: len(content) // 2]


def _in_the_way(cache: Path) -> tuple[str, Path]:
    shutil.rmtree(cache)
    cache.write_text("no folder")
    return "a file in the place of the folder", cache


def _ran(cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-m", "counterplay.cli", *_LINE], env=environment, capture_output=True, text=True, timeout=600
    )


def _numbers(out: str) -> list[str]:
    return [line for line in out.splitlines() if "seconds" not in line]
