"""Attack by failures of the machine: a full disk, a limit of file sizes, a read-only folder, no memory, no stdout."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from attack.child import Ended, ended, forked, program
from attack.kills import LINES, lay_for_lines, unreadable
from attack.part import Outcome
from attack.program import is_plain

_NEW_MOUNTS, _READ_ONLY, _REMOUNT, _PRIVATE, _RECURSIVE = 0x20000, 1, 32, 1 << 18, 16384
_SMALL = 256 * 1024
"""Bytes of the disk that is filled."""
_OLD = b"an old file"
_IN_GROUP = """
import sys
from counterplay import memory_limit
limit = memory_limit.MemoryLimit(float(sys.argv.pop(1)), "its control group allows")
memory_limit._control_groups = lambda: iter((limit,))
from counterplay.cli import main
main()
"""
"""A program whose control group has this limit."""


class Disk:
    """Each case is one command that cannot have what it asks for. Full disks need the right to mount; where there is none
    they are left out, and a limit of file sizes stands for them."""

    about = "full or read-only disk, no memory, closed stdout: one sentence, the old file kept"
    cases, few = 200, 10
    cpu = 110.0

    def prepare(self, folder: Path) -> None:
        self.pristine = folder / "pristine"
        lay_for_lines(self.pristine)

    def enter(self, folder: Path) -> None:
        self.folder, self.disk = folder, folder / "disk"
        self.disk.mkdir()
        self.mounted = _mounted(self.disk)

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        ways = [self._sized, self._starved, self._limited, _mute, self._device]
        way = draw.choice([*ways, self._full, self._full, self._read_only] if self.mounted else [*ways, self._sized])
        line, problems = way(draw)
        return Outcome(tuple(problems), line, kind=way.__name__.strip("_"))

    def _full(self, draw: random.Random) -> tuple[str, list[str]]:
        """So many bytes are left."""
        line, home = draw.choice(LINES), self._filled()
        left = draw.choice((0, 1, 100, 500, 1000, 4096, 8192))
        target = _target(line, home, draw)
        filler = home / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
        except OSError:
            pass
        size = filler.stat().st_size
        os.truncate(filler, max(0, size - left - (-left % 4096)))
        return f"{line}   with {left} bytes left on the disk", self._tried(line, home, target)

    def _sized(self, draw: random.Random) -> tuple[str, list[str]]:
        """No file may be larger than this; what goes to the terminal goes into a pipe, which has no size."""
        line, home = draw.choice(LINES), self._filled()
        target, size = _target(line, home, draw), draw.choice((0, 10, 400, 700, 3000))

        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            for fd in (1, 2):
                os.set_inheritable(fd, True)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        return f"{line}   with ulimit -f {size} bytes", self._tried(line, home, target, limit, silent=size < 2000)

    def _read_only(self, draw: random.Random) -> tuple[str, list[str]]:
        """A read-only disk."""
        line, home = draw.choice(LINES), self._filled()
        target = _target(line, home, draw)
        _remount(self.disk, _READ_ONLY)
        try:
            return f"{line}   on a read-only disk", self._tried(line, home, target)
        finally:
            _remount(self.disk, 0)

    def _starved(self, draw: random.Random) -> tuple[str, list[str]]:
        """Little address space is left."""
        line, home, more = draw.choice(LINES), self._filled(), draw.choice((1, 8, 64)) * 2**20
        target = _target(line, home, draw)

        def limit() -> None:
            now = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))

        return f"{line}   with {more >> 20} MiB of memory left", self._tried(line, home, target, limit)

    def _limited(self, draw: random.Random) -> tuple[str, list[str]]:
        """A process of its own begins with `ulimit -v`, or in a control group that allows next to nothing."""
        line, home = draw.choice(LINES), self._filled()
        target = _target(line, home, draw)
        if draw.random() < 0.5:
            limit, how = draw.choice((1700, 2000, 3000)) * 2**20, "ulimit -v"
            words = ["bash", "-c", f'ulimit -v {limit >> 10}; exec "$@"', "x", sys.executable, "-m", "counterplay"]
        else:
            limit, how = draw.choice((0, 2**10, 2**20, 2**27)), "a control group"
            words = [sys.executable, "-c", _IN_GROUP, str(limit)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "COUNTERPLAY_THREADS": "1"}
        ran = subprocess.run(
            [*words, *shlex.split(line)], cwd=home, env=environment, capture_output=True, text=True, timeout=300
        )
        found = [] if ran.returncode in (0, 2) else [f"exit code {ran.returncode}: {ran.stderr.strip()[-300:]}"]
        if ran.returncode == 2:
            last = ran.stderr.strip().splitlines()[-1]
            if "Traceback" in ran.stderr or not last.startswith("counterplay: ") or "GiB" not in last:
                found.append(f"no sentence with the limit: {ran.stderr[-200:]}")
            if target.exists() and target.read_bytes() != _OLD:
                found.append("exit code 2, and the output is not as it was")
        return f"{line}   under {how} of {limit >> 20} MiB", found

    def _device(self, draw: random.Random) -> tuple[str, list[str]]:
        """The output is a link to /dev/full."""
        line, home = draw.choice(LINES), self._filled()
        target = _target(line, home, draw)
        target.unlink(missing_ok=True)
        target.symlink_to("/dev/full")
        end = self._ended(line, home)
        found = _sentence(end) if end.code == 2 else [f"exit code {end.code}: {end.err[-200:]}"]
        return f"{line}   with a link to /dev/full as output", found + (
            [] if target.is_symlink() else ["the link is gone"]
        )

    def _filled(self) -> Path:
        """The disk with the files that the commands need."""
        for one in self.disk.iterdir():
            shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
        for name in ("river.toml", "river.spot", "toy.cpb"):
            shutil.copy(self.pristine / name, self.disk / name)
        return self.disk

    def _ended(self, line: str, home: Path, limit: Callable[[], None] | None = None) -> Ended:
        os.chdir(home)
        try:
            return ended(forked(program(shlex.split(line)), limit))
        finally:
            os.chdir(self.folder)

    def _tried(
        self, line: str, home: Path, target: Path, limit: Callable[[], None] | None = None, silent: bool = False
    ) -> list[str]:
        """What is wrong with how a command ended. silent: it could not even print."""
        before, old = set(os.listdir(home)), target.exists()
        end = self._ended(line, home, limit)
        found = []
        if end.code == 2:
            found += [] if silent else _sentence(end)
            if target.exists() != old or (old and target.read_bytes() != _OLD):
                found.append("exit code 2, and the output is not as it was")
        elif end.code == 0:
            if not target.exists() or target.read_bytes() == _OLD:
                found.append("exit code 0, and no output")
        elif not (silent and end.code == 1 and not end.err):
            found.append(f"exit code {end.code}: {end.err.strip()[-200:]}")
        if target.exists() and target.read_bytes() != _OLD and (torn := unreadable(target)):
            found.append(f"a torn file: {torn}")
        left = set(os.listdir(home)) - before - {target.name}
        return found + [f"{name} was left behind" for name in sorted(left)]


def _sentence(end: Ended) -> list[str]:
    """Exit code 2 takes one sentence."""
    lines = end.err.splitlines()
    said = [line for line in lines if line.startswith("counterplay: ")]
    if len(said) != 1 or said[0] != lines[-1] or not is_plain(end.err) or "Traceback" in end.err:
        return [f"exit code 2 with {end.err[-300:]!r}"]
    return []


def _target(line: str, home: Path, draw: random.Random) -> Path:
    words = shlex.split(line)
    target = home / words[words.index("-o") + 1]
    if draw.random() < 0.6:
        target.write_bytes(_OLD)
    return target


def _mute(draw: random.Random) -> tuple[str, list[str]]:
    """A process of its own whose stdout is full, closed, or a pipe without a reader."""
    words = draw.choice(("games", "solve kuhn", "solve kuhn --json", "--help", "evaluate kuhn uniform"))
    where = draw.choice((">/dev/full", ">&-", "| true", ">/dev/full 2>&1", "<&-"))
    command = f"{shlex.quote(sys.executable)} -m counterplay.cli {words} {where}"
    script = f"set -o pipefail; {command}" if where == "| true" else command
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    found = []
    if "Traceback" in ran.stderr or "Exception ignored" in ran.stderr:
        found.append(f"stderr says {ran.stderr.strip()[-200:]!r}")
    if "/dev/full" in where and ran.returncode == 0:
        found.append("exit code 0, and nothing could be printed")
    if ran.returncode not in (0, 1, 2, 141, -13):
        found.append(f"exit code {ran.returncode}")
    return f"counterplay {words} {where}", found


def _mounted(folder: Path) -> bool:
    """A small disk, seen by this process and its children only; False where that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_MOUNTS) or libc.mount(b"none", b"/", None, _PRIVATE | _RECURSIVE, None):
        return False
    return not libc.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={_SMALL}".encode())


def _remount(folder: Path, flags: int) -> None:
    if ctypes.CDLL(None).mount(b"tmpfs", str(folder).encode(), b"tmpfs", _REMOUNT | flags, f"size={_SMALL}".encode()):
        raise OSError(f"cannot remount {folder}")
