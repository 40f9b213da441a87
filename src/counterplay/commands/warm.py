"""The command that compiles all kernels in advance, as for containers.

It runs small examples of the other commands in a scratch folder, so that all their kernels are compiled and cached. A
list of the kernels' files is stored with them, by which a second call knows that all exist.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing import report
from counterplay.errors import InputError
from counterplay.progress_line import progress_line

_LIST = "warm.json"
_SPOT = ("--oop", "QQ+,AK", "--ip", "JJ+,KQ", "--pot", "200", "--stack", "300", "--iterations", "20")
_RIVER = ("spot", "--board", "Qs Jh 2h 8d 3c", *_SPOT)
_LEAK = "opponent oop\non river facing a bet: fold 70%\n"
_TOML = """board = "Qs Jh 2h 8d 3c"
oop = "QQ+,AK"
ip = "JJ+,KQ"
pot = 200
stack = 300
"""
_GAMES = (
    "kuhn", "leduc", "rps", "goofspiel:4", "liars_dice:1,3", "tictactoe", "battleships:2,2,1x1", "matrix:1 -1/-1 1",
)  # fmt: skip


@takes_records("warm")
def warm(*, shown: Annotated[ShownFlags, Without("seed")]) -> None:
    """Compile all kernels for this machine now, so that no later command does."""
    from counterplay.commands.parsing.program import program
    from counterplay.jit import kernel_folder, notice

    folder = kernel_folder.writable()
    if folder is None:
        raise InputError("no folder for kernels is writable: set NUMBA_CACHE_DIR to one that is")
    begin = time.perf_counter()
    there = _listed(folder)
    if there is None:
        with progress_line("compiling all kernels; this takes a minute or two", shown.as_json) as line:

            def tell(what: str) -> None:
                if line:
                    line(f"{len(notice.compiled())} kernels compiled: {what}", None, None)

            home, words_of_examples, parser = Path.cwd(), commands(), typer.main.get_command(program())
            with notice.watched(tell), tempfile.TemporaryDirectory() as scratch:
                os.chdir(scratch)
                try:
                    write_files()
                    for number, words in enumerate(words_of_examples, 1):  # failures are ignored: this is no test
                        tell(f"example {number} of {len(words_of_examples)}, {' '.join(words[:2])}")
                        run(parser, words)
                finally:
                    os.chdir(home)
        kept = sorted(path.name for path in folder.glob("*.nbc"))
        (folder / _LIST).write_text(json.dumps(kept))
    facts = {
        "kernels": len(there or kept), "compiled": len(notice.compiled()), "seconds": time.perf_counter() - begin,
        "folder": str(folder),
    }  # fmt: skip
    there_already = f"everything is there: {facts['kernels']} kernels in {folder}"
    names, below = (list(facts), []) if there is None else ([], [lambda: print(there_already)])
    report(None, facts, names, shown, below=below)


def _listed(folder: Path) -> list[str] | None:
    """The kernels of an earlier call; None if there was none, its list is damaged, or one of them is missing or damaged."""
    from counterplay.jit.cache import is_sound

    try:
        names = json.loads((folder / _LIST).read_text())
        is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
        return names if is_list and names and all(is_sound(folder / name) for name in names) else None
    except (OSError, ValueError, RecursionError):
        return None


def commands() -> list[tuple[str, ...]]:
    """The examples, as words of the command line, in a folder that has the files which they name."""
    respond = ("respond", "leduc", "--to", "cfr+:10")
    return [
        *(("solve", game, *more) for game in _GAMES for more in ((), ("--solver", "cfr+", "--iterations", "10"))),
        *((*respond, "--method", name, "--p", "0.5") for name in ("rnr", "dbr", "mix")),
        (*respond, "--method", "br"),
        (*respond, "--method", "safe", "--max-exploitability", "0.05"),
        (*respond, "--method", "cdbr", "--depth", "1"),
        (*respond, "--method", "cdrnr", "--p", "0.5", "--depth", "1"),
        (*respond, "--max-exploitability", "0.05"),
        (*respond, "--method", "resolve", "--depth", "1", "--gadget", "max-margin", "--solve", "per-state"),
        ("solve", "leduc", "--solver", "dcfr", "--iterations", "20", "-o", "nash.json"),
        ("evaluate", "leduc", "nash.json", "--against", "uniform"),
        ("resolve", "leduc", "--blueprint", "cfr:10", "--at", "round", "--prior", "blueprint"),
        ("frontier", "kuhn", "--to", "uniform", "--methods", "rnr,safe,mix", "--points", "3"),
        *(("match", game, "uniform", "uniform", "--hands", "2") for game in _GAMES),
        ("match", "leduc", "nash", "cfr+:10", "--hands", "20"),
        ("match", "leduc", "nash", "cdrnr:depth=1,p=0.5,to=uniform", "--hands", "4"),
        _RIVER,
        (*_RIVER, "--lock", "leak.txt", "--max-exploitability", "1%"),
        ("solve", "river.toml", "--iterations", "10", "--solver", "cfr+"),
        ("respond", "river.toml", "--to", "uniform", "--method", "safe", "--max-exploitability", "5"),
        ("match", "river.toml", "nash", "uniform", "--hands", "5"),
        ("spot", "--board", "Qs Jh 2h 8d", "--oop", "QQ+", "--ip", "JJ+", *_SPOT[4:]),
        ("spot", "--board", "Qs Jh 2h 8d", "--oop", "QQ+", "--ip", "JJ+", *_SPOT[4:], "--precision", "single"),
        ("spot", "--board", "Qs Jh 2h", "--oop", "QQ", "--ip", "JJ", *_SPOT[4:-1], "2"),
        ("spot", "--board", "Qs Jh 2h", "--oop", "QQ", "--ip", "JJ", *_SPOT[4:-1], "2", "--precision", "half"),
        ("blueprint", "holdem:flop,buckets=20", "--iterations", "2"),
        ("blueprint", "holdem:flop,lowest=T,buckets=5", "--iterations", "2", "--method", "cfr+", "-o", "b.cpb"),
        ("blueprint", "holdem:flop,lowest=T,buckets=lossless", "--iterations", "2"),
        ("match", "holdem:flop,lowest=T", "b.cpb", "b.cpb", "--hands", "4"),
    ]  # fmt: skip


def write_files() -> None:
    """Write the files that the examples name, to the current folder."""
    Path("leak.txt").write_text(_LEAK)
    Path("river.toml").write_text(_TOML)


def run(program: Any, words: tuple[str, ...]) -> str:
    """Run one command in this process without output; returns the error, if any."""
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            program.main(list(words), standalone_mode=False)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"
    return ""
