"""Attack on the command line: thousands of lines, most of them wrong, run in this process and judged."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from attack import ground, truth
from attack.fence import fence
from attack.grammar import line_of
from attack.judge import problems_of
from attack.lines import LINES, STDIN
from attack.part import Outcome
from attack.program import Ran, run, warm
from attack.words import TEXTS

_COLD = 600.0
"""Processor seconds that a line may take which compiles kernels."""
_FILL = (("reproduce",), ("examples",))
"""Commands that fill a folder."""
_WRITES = ("-o", "--output", "--plot", "--record")


class CommandLines:
    """Lines from `grammar`, in a folder of `ground`."""

    about = "command lines: exit codes, one sentence, no traceback, sound output"
    cases, few = 20_000, 160
    cpu = 260.0

    def prepare(self, folder: Path) -> None:
        warm()
        self.pristine = folder / "pristine"
        ground.lay(self.pristine)
        os.environ |= {"COUNTERPLAY_CACHE": str(folder / "cache"), "MPLCONFIGDIR": str(folder / "mpl")}
        os.chdir(self.pristine)
        for line in (one for lines in LINES.values() for one in lines):
            run(shlex.split(line), patience=_COLD)
        for spec in TEXTS["game"].good:
            run(["evaluate", spec, "uniform"], patience=_COLD)
        ground.lay_anew(self.pristine)

    def enter(self, folder: Path) -> None:
        self.home = folder / "here"
        shutil.copytree(self.pristine, self.home, symlinks=True)
        os.chdir(self.home)
        self.before = ground.snapshot(self.home)
        fence(folder.parent)

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        words, typed = line_of(draw), draw.choice(STDIN) if draw.random() < 0.5 else ""
        ran = run(words, typed)
        after = ground.snapshot(self.home)
        problems = [*problems_of(ran), *self._files(ran, after)]
        if ran.code == 0 and not problems:
            problems += _lies(ran)
        ground.restore(self.home, self.pristine, self.before, after)
        line = f"counterplay {shlex.join(words)}" + (f"   with {typed!r} typed" if typed and "play" in words else "")
        return Outcome(tuple(problems), line, spent=ran.interrupted, kind=str(ran.code))

    def _files(self, ran: Ran, after: dict[str, tuple[int, int]]) -> list[str]:
        """Nothing is written but what was asked for, and that only where all went well."""
        changed = {name for name in {*self.before, *after} if self.before.get(name) != after.get(name)}
        if ground.BOOBY in changed:
            return ["a file caused a module to be imported"]
        asked = _asked(ran.words)
        folders = tuple(f"{one}/" for one in asked) if ran.words[:1] in _FILL else ()
        wanted = {name for name in changed if name in asked or (folders and ("." in asked or name.startswith(folders)))}
        strange = sorted(changed - wanted)
        found = [f"{strange[0]} was written or changed"] if strange else []
        written = {
            name for name in wanted if not name.endswith(".work")
        }  # a record keeps what was done before the mistake
        if ran.code == 2 and written:
            found.append(f"exit code 2, and {min(written)} was written")
        return found


def _asked(words: tuple[str, ...]) -> set[str]:
    """The files and folders that a command was told to write, as names in its folder."""
    found = {"out"} if words[:1] == ("reproduce",) else set()
    if words[:1] == ("examples",):
        found = {os.path.normpath(word) for word in words[1:]}
    for i, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in _WRITES:
            value = value if equals else words[i + 1] if i + 1 < len(words) else ""
        elif word.startswith("-o") and not word.startswith("--"):
            value = word[2:]
        else:
            continue
        with suppress(ValueError):
            found |= {os.path.normpath(value), os.path.normpath(value.removeprefix("="))}
    return found


def _lies(ran: Ran) -> list[str]:
    """Where numbers were printed and a strategy written: whether they fit."""
    if "--json" not in ran.words or "new.json" not in ran.words or len(ran.words) < 2 or not ran.out:
        return []
    if any(word in ran.words for word in ("-h", "--help", "--version")):
        return []
    facts: Any = json.loads(ran.out)
    game = facts.get("game") if isinstance(facts, dict) else None
    spec = next((word for word in ran.words[1:] if word == game or Path(word).stem == game), game)
    if not isinstance(spec, str):
        return []
    return truth.lies(ran.words[0], spec, facts, Path("new.json"))
