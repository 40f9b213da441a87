"""Attack by signals: commands that write a file are interrupted, terminated and killed at every line of the writing."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from attack import ground
from attack.child import Ended, ended, forked, program
from attack.part import Outcome
from attack.program import INTERRUPTED, run, warm

LINES = (
    "solve kuhn -o old.json",
    "solve kuhn --solver cfr+ --iterations 5 -o old.cps",
    "solve river.toml --iterations 3 -o old.spot",
    "respond kuhn --to uniform --method rnr --p 0.5 -o old.json --json",
    "frontier kuhn --to uniform --methods rnr --points 2 -o old.csv",
    "resolve kuhn --blueprint uniform --at moves:1 --iterations 2 -o old.json",
    "spot --file river.toml --iterations 3 -o old.spot",
    "blueprint holdem:flop,lowest=Q,buckets=2 --iterations 2 -o old.cpb",
    "blueprint holdem:flop,lowest=Q --file toy.cpb -o old.cpb",
)
"""What is killed. Each writes its one output over an old file, or where there was none."""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
_ENDS = {
    signal.SIGINT: (0, INTERRUPTED),
    signal.SIGTERM: (0, INTERRUPTED, 128 + signal.SIGTERM),
    signal.SIGKILL: (0, -signal.SIGKILL),
}
"""Exit codes that are no lie. 0: it was done already, or kept the best so far."""
_loaded: list[str] = []
"""Lines whose kernels this process has."""
_REAL = 12
"""Every so many a process of its own is started, and killed by the clock."""


def lay_for_lines(pristine: Path) -> None:
    """Lay the ground, which becomes the current folder, with the kernels of all lines loaded."""
    warm()
    ground.lay(pristine)
    os.chdir(pristine)
    if _loaded:
        return
    for line in LINES:
        ran = run(shlex.split(line), patience=600.0)
        if ran.code != 0:
            raise RuntimeError(f"{line}: {ran.err}{ran.raised}")
        _loaded.append(line)
    ground.lay_anew(pristine)


class Kills:
    """Each case is one run and one signal."""

    about = "kills: the output is absent, old or whole; no temporary file stays but after SIGKILL"
    cases, few = 260, 12
    cpu = 55.0

    def prepare(self, folder: Path) -> None:
        self.pristine = folder / "pristine"
        lay_for_lines(self.pristine)

    def enter(self, folder: Path) -> None:
        self.folder = folder

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        line, kill, old = draw.choice(LINES), draw.choice(SIGNALS), draw.random() < 0.5
        home = self.folder / f"case{number}"
        shutil.copytree(self.pristine, home, symlinks=True)
        os.chdir(home)
        words = shlex.split(line)
        target = home / words[words.index("-o") + 1]
        target.unlink(missing_ok=True)
        if old:
            target.write_bytes(b"an old file")
        before = ground.snapshot(home)
        real = number % _REAL == _REAL - 1
        how, end = _by_clock(words, kill, draw) if real else _at_line(words, kill, draw)
        problems = self._problems(end, kill, target, before, home)
        os.chdir(self.folder)
        shutil.rmtree(home, ignore_errors=True)
        return Outcome(
            tuple(f"{kill.name}: {one}" for one in problems), f"{line}   {how}", kind=f"{kill.name} {end.code}"
        )

    def _problems(
        self, end: Ended, kill: signal.Signals, target: Path, before: dict[str, Any], home: Path
    ) -> list[str]:
        found = []
        if end.code not in _ENDS[kill]:
            found.append(f"exit code {end.code}: {end.err.strip()[-200:]}")
        if "Traceback" in end.err:
            found.append(f"traceback: {end.err.strip().splitlines()[-1][:200]}")
        after = ground.snapshot(home)
        strange = {name for name in after if name not in before and name != target.name}
        if kill == signal.SIGKILL:
            strange = {name for name in strange if not name.startswith(".")}
        changed = {name for name in before if after.get(name) != before[name] and name != target.name}
        found += [f"{name} was left behind" for name in sorted(strange)]
        found += [f"{name} was written or changed" for name in sorted(changed)]
        if target.exists() and target.read_bytes() != b"an old file" and (torn := unreadable(target)):
            found.append(f"a torn file: {torn}")
        if end.code == 0 and (not target.exists() or target.read_bytes() == b"an old file"):
            found.append("exit code 0, and the output was not written")
        return found


def unreadable(path: Path) -> str:
    """What is wrong with a file that was written; empty if it is whole."""
    import counterplay as cp
    from counterplay.poker.whole_game.blueprints.blueprint_file import load as load_blueprint

    readers: dict[str, Callable[[], Any]] = {
        ".json": lambda: cp.opponent(cp.load("kuhn"), path, player=0),
        ".cps": lambda: cp.opponent(cp.load("kuhn"), path, player=0),
        ".spot": lambda: cp.load(path),
        ".cpb": lambda: load_blueprint(path),
        ".csv": lambda: _whole_csv(path),
    }
    try:
        readers[path.suffix]()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    return ""


def _whole_csv(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    if len(lines) != 3 or not all(line.endswith("\n") for line in lines):
        raise ValueError(f"{len(lines)} lines")


def _at_line(words: list[str], kill: signal.Signals, draw: random.Random) -> tuple[str, Ended]:
    """Fork, and send the signal when a line drawn by lot is reached: mostly of `files.py`, which writes; else anywhere."""
    inside = draw.random() < 0.7
    count = draw.randrange(1, 60) if inside else int(10 ** draw.uniform(1.0, 4.5))
    suffix = "counterplay/files.py" if inside else ".py"
    left = [count]

    def trace(frame: FrameType, event: str, _: object) -> Any:
        name = frame.f_code.co_filename
        if "/counterplay/" not in name or not name.endswith(suffix):
            return None
        if event == "line" and _heard(kill):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), kill)
        return trace

    end = ended(forked(program(words), lambda: sys.settrace(trace)))
    return f"{kill.name} at line {count} executed in {'files.py' if inside else 'the package'}", end


def _heard(kill: signal.Signals) -> bool:
    """Whether the program listens; before it has set its handler, SIGTERM ends Python as the system does it."""
    return kill != signal.SIGTERM or signal.getsignal(kill) != signal.SIG_DFL


def _by_clock(words: list[str], kill: signal.Signals, draw: random.Random) -> tuple[str, Ended]:
    """A process of its own, and the signal after some processor time."""
    process = subprocess.Popen(
        [sys.executable, "-m", "counterplay.cli", *words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=_hear,
    )  # fmt: skip
    after = draw.uniform(0.3, 2.5)
    clock = Path(f"/proc/{process.pid}/stat")
    begin = time.monotonic()
    while process.poll() is None and time.monotonic() - begin < 60.0:
        user, system = clock.read_text().rpartition(")")[2].split()[11:13]
        if (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") >= after:
            break
        time.sleep(0.02)
    process.send_signal(kill)
    out, err = process.communicate(timeout=120)
    code = process.returncode
    if code == -kill and not err:
        code = _ENDS[kill][-1]  # Python was still starting or already leaving, and nobody listened
    return f"{kill.name} after {after:.1f} processor seconds in a process of its own", Ended(code, out, err)


def _hear() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
