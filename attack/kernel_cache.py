"""Attack on the compiled kernels on disk: damaged as by a power cut, put there by others, or with no place to be kept."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from attack.damage import BYTES
from attack.part import Outcome

_LINE = ("solve", "kuhn", "--solver", "cfr+", "--iterations", "3", "--json")


class KernelCache:
    """Each case is one process that finds its kernels damaged."""

    about = "damaged, foreign or unwritable kernels: compiled again or done without, the same numbers, nothing of others run"
    cases, few = 20, 0
    cpu = 80.0

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
        trap = self.folder / f"ran{number}"
        if number % 7 == 6:
            how, cache = _in_the_way(cache)
        elif number % 2:
            how = _foreign(draw, cache, files, trap)
        else:
            how = _spoiled(draw, files)
        ran = _ran(cache)
        problems = []
        if ran.returncode != 0 or "Traceback" in ran.stderr:
            problems.append(f"exit code {ran.returncode}: {ran.stderr.strip()[-300:]}")
        elif _numbers(ran.stdout) != self.right:
            problems.append("other numbers")
        elif trap.exists():
            problems.append("code of another user was run")
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


def _foreign(draw: random.Random, cache: Path, files: list[Path], trap: Path) -> str:
    """Files that run code where they are unpickled, in folders or with modes that let others write them."""
    content = pickle.dumps(_Trap(trap))
    for path in files:
        path.write_bytes(b"counterplay kernel 2\n" + hashlib.sha256(content).digest() + content)
    folders = [path for path in (cache, *cache.rglob("*")) if path.is_dir()]
    ways = {"files of mode 666": (files, 0o666), "files of mode 660": (files, 0o660)}
    ways |= {f"a folder of mode {mode:o}": ([draw.choice(folders)], mode) for mode in (0o777, 0o1777, 0o770)}
    how, (paths, mode) = draw.choice(sorted(ways.items()))
    if os.geteuid() == 0 and draw.random() < 0.5:
        how, paths = draw.choice((("files", files), ("a folder", [draw.choice(folders)])))
        for path in paths:
            os.chown(path, 12345, 12345)
        return f"{how} of another user"
    if mode == 0o1777:
        paths = [path.parent for path in files[:1]]  # above it a sticky folder is safe
    for path in paths:
        path.chmod(mode)
    return how


class _Trap:
    """Unpickling it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


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
