"""The folder in which command lines are tried: sound files of every format, damaged ones, traps, and code of a user's."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

_HEAD = 'EFG 2 R "coin" { "Ann" "Bob" }\n'
COIN = _HEAD + (
    '"Bob does not see what Ann did."\n'
    'p "" 1 1 "Ann" { "H" "T" } 0\np "" 2 1 "Bob" { "h" "t" } 0\nt "" 1 "same" { 2, -2 }\nt "" 2 "other" { -1, 1 }\n'
    'p "" 2 1 0\nt "" 2\nt "" 1\n'
)
_HIDDEN = _HEAD + (
    'c "" 1 "" { "red" 1/4 "black" 3/4 } 0\np "" 1 1 "red" { "bet" "pass" } 0\np "" 2 1 "bet seen" { "call" "fold" } 0\n'
    't "" 1 "" { 2, -2 }\nt "" 2 "" { 1, -1 }\nt "" 3 "" { -1, 1 }\np "" 1 2 "black" { "bet" "pass" } 0\n'
    'p "" 2 1 "bet seen" { "call" "fold" } 0\nt "" 4 "" { -2, 2 }\nt "" 2\nt "" 3\n'
)
_FORGETS = _HEAD + (
    'p "" 1 1 "a" { "L" "R" } 0\np "" 1 2 "b" { "l" "r" } 0\nt "" 1 "" { 1, -1 }\nt "" 2 "" { 0, 0 }\n'
    'p "" 1 2 "b" { "l" "r" } 0\nt "" 3 "" { 0, 0 }\nt "" 4 "" { 1, -1 }\n'
)
RIVER = 'board = "Qs Jh 2h 8d 3c"\noop = "AA,T9s"\nip = "KK,QQ"\npot = 10\nstack = 5\nbets = "a"\nraises = 1\n'
LEAKS = "opponent ip\nfacing a bet: fold 70%\n"
_TRAP = "booby:trap"
"""A text that must never be looked up: importing `booby` leaves a file behind."""
BOOBY = "BOOBY"
"""The file that the trap leaves behind."""
PLUGIN = '''"""Games, opponents and value functions of a user's, right and wrong."""
import sys

class Coin:
    name = "coin"
    def root(self): return ()
    def player(self, state): return (0, 1, -2)[len(state)] if False else (0, 1, TERMINAL)[len(state)]
    def actions(self, state): return ["H", "T"]
    def chance(self, state): return []
    def child(self, state, action): return (*state, action)
    def infoset(self, state, player): return f"coin {player}"
    def utility(self, state): return 1.0 if state[0] == state[1] else -1.0

from counterplay.games.game import CHANCE, TERMINAL

class Broken(Coin):
    def child(self, state, action): raise KeyError("a name\\nin two lines" + "x" * 3000)

class Endless(Coin):
    def player(self, state): return 0

class Unfair(Coin):
    def player(self, state): return CHANCE if not state else TERMINAL
    def chance(self, state): return [0.7, 0.7]
    def utility(self, state): return 1.0

class Twins(Coin):
    def action_name(self, state, action): return "x"

class Bot:
    def sample(self, state, rng): return "nothing of the kind"

def policy(infoset, actions): return {action: 1.0 / len(actions) for action in actions}
def raises(*words): raise ValueError("two\\nlines \\x1b[31m" + "y" * 3000)
def nans(*words): return {action: float("nan") for action in words[-1]} if len(words) > 1 else float("nan")
def short(infoset, actions): return {actions[0]: 1.0}
def words(infoset, actions): return {action: "half" for action in actions}
def negative(infoset, actions): return {action: (2.0 if i else -1.0) for i, action in enumerate(actions)}
def none(*words): return None
def worth(state): return 0.25
def leaves(*words): sys.exit(7)
number = 3.0
'''
_SNARE = f"""import pathlib
pathlib.Path({BOOBY!r}).write_text("imported")
def trap(*words): return {{}}
"""
_TEXTS = {
    "coin.efg": COIN,
    "hidden.efg": _HIDDEN,
    "forgets.efg": _FORGETS,
    "general.efg": COIN.replace("{ 2, -2 }", "{ 2, 2 }"),
    "nan.efg": COIN.replace("{ 2, -2 }", "{ nan, nan }"),
    "empty.efg": "",
    "deep.efg": _HEAD + 'p "" 1 1 "a" { "L" "R" } 0\n' * 20000,
    "booby.efg": COIN.replace('"Ann"', f'"{_TRAP}"'),
    "river.toml": RIVER,
    "turn.toml": RIVER.replace(" 3c", "").replace("raises = 1", 'raises = 1\nrake = "none"'),
    "empty.toml": "",
    "deep.toml": "board = " + "[" * 20000,
    "bad.toml": RIVER.replace("pot = 10", "pot = nan"),
    "leaks.txt": LEAKS,
    "leaks_never.txt": 'opponent ip\nat "x b200 a": always call\n',
    "empty.txt": "",
    "bad.txt": "opponent ip\nfacing a bet: fold nan%\n",
    "nul.txt": "opponent ip\nfacing a bet\x00: fold 70%\x1b[31m\n",
    "empty.json": "",
    "empty.cps": "",
    "deep.json": "[" * 200000,
    "nan.json": '{"strategy": {"0": {"Pass": NaN, "Bet": 1}}}',
    "list.json": "[1, 2]",
    "other.json": '{"nosuch": {"a": 1.0}}',
    "twice.json": '{"0": {"Pass": 1, "Bet": 0}, "0": {"Pass": 0, "Bet": 1}}',
    "nul.json": '{"0\\u0000\\u001b[31m\\n": {"Pass": 1, "Bet": 0}}',
    "booby.json": json.dumps({"game": _TRAP, "method": _TRAP, "seat": 0, "strategy": {_TRAP: {_TRAP: 1.0}}}),
    "prior.json": '{"0p": 1, "1p": 1, "2p": 1, "0b":1,"1b":1,"2b":1}',
    "old.json": "{}",
    "old.spot": "an old file",
    "plugin.py": PLUGIN,
    "failing.py": 'raise RuntimeError("this module\\nfails")\n',
    "leaving.py": "import sys\nsys.exit(9)\n",
    "booby.py": _SNARE,
    "x.json.partial": "somebody's own",
    "new.json.partial": "somebody's own",
}


def lay(folder: Path) -> None:
    """Fill a folder; what takes work is made by the library itself."""
    import counterplay as cp

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "latin.json").write_bytes('{"é": {"a": 1}}'.encode("latin-1"))
    (folder / "latin.efg").write_bytes(COIN.replace("Ann", "Zoë").encode("latin-1"))
    (folder / "noise.cps").write_bytes(bytes(range(256)) * 4)
    for name in ("folder", "folder.json", "folder.cps", "folder.efg", "folder.toml"):
        (folder / name).mkdir()
    (folder / "loop.json").symlink_to("loop.json")
    kuhn = cp.load("kuhn")
    for ending in ("json", "cps"):
        pair = [cp.opponent(kuhn, f"random:{seat}", player=seat) for seat in (0, 1)]
        for seat, name in ((0, "zero"), (1, "one")):
            pair[seat].save(folder / f"{name}.{ending}")
        _both(pair, folder / f"both.{ending}")
    lay_sealed(folder)


def lay_anew(folder: Path) -> None:
    """Fill it as if nothing had been tried there; it becomes the current folder."""
    shutil.rmtree(folder)
    lay(folder)
    os.chdir(folder)


def _both(pair: list, path: Path) -> None:
    from counterplay.treeplex.strategy import save

    save(pair, path)


def lay_sealed(folder: Path) -> None:
    """A solved river, a blueprint of a toy Flop Hold'em and an agent, and the same cut or replaced by noise."""
    from attack.formats import FORMATS

    for name, made in (("river.spot", "spot"), ("toy.cpb", "cpb"), ("kuhn.cpa", "cpa")):
        shutil.copy(FORMATS[made].original(folder), folder / name)
    for ending, whole in (("spot", "river.spot"), ("cpb", "toy.cpb"), ("cps", "zero.cps")):
        content = (folder / whole).read_bytes()
        (folder / f"cut.{ending}").write_bytes(content[: len(content) // 2])
        (folder / f"noise.{ending}").write_bytes(b"PK\x03\x04" + bytes(range(256)) * 4)


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file below a folder, by its name there; folders end in a slash."""
    found: dict[str, tuple[int, int]] = {}
    todo = [""]
    while todo:
        below = todo.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                name = below + entry.name
                if entry.is_dir(follow_symlinks=False):
                    found[f"{name}/"] = (0, 0)
                    todo.append(f"{name}/")
                else:
                    facts = entry.stat(follow_symlinks=False)
                    found[name] = (facts.st_size, facts.st_mtime_ns)
    return found


def restore(
    folder: Path, pristine: Path, before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]
) -> None:
    """Take away what is new, and put back what was changed."""
    for name in sorted(set(after) - set(before), reverse=True):
        (folder / name).rmdir() if name.endswith("/") else (folder / name).unlink()
    for name in before:
        if after.get(name) != before[name]:
            if name.endswith("/"):
                (folder / name).mkdir()
            else:
                (folder / name).unlink(missing_ok=True)
                shutil.copy2(pristine / name, folder / name, follow_symlinks=False)
