"""Messages name options that exist in the command that is running, and that help."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

import counterplay as cp
import counterplay_papers
from counterplay.commands.parsing.program import COMMANDS, program
from counterplay.solvers import lp
from tests.support.commands import Runner

SOURCE, PAPERS = Path(cp.__file__).parent, Path(counterplay_papers.__file__).parent
OPTION = re.compile(r"(?:`(\w[\w-]*) )?(?<![\w-])(--[a-z][a-z-]*[a-z])")
"""An option, after the name of another command where it is that command's."""


def options(command: Any) -> set[str]:
    """The options of a command, of its group's commands too."""
    own = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return own.union({"--help"}, *map(options, getattr(command, "commands", {}).values()))


KNOWN = {name: options(command) for name, command in typer.main.get_command(program()).commands.items()}  # type: ignore[attr-defined]
EVERY = set[str]().union(*KNOWN.values())


def texts(path: Path) -> Iterator[str]:
    """The texts of a file, but for documentation and words of a command line."""
    tree = ast.parse(path.read_text())
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in prose else None
        if isinstance(text, str) and not OPTION.fullmatch(text):
            yield text


@pytest.mark.parametrize("folder", sorted({path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py")} | {""}))
def test_every_option_that_a_message_names_exists(folder: str) -> None:
    """In the module of a command, in that command; elsewhere, in some command. "" stands for the package of the papers."""
    of_module: dict[str, set[str]] = {}
    for name, place in COMMANDS.items():
        module = "command.py" if ":" not in place else f"commands/{place.partition(':')[0].replace('.', '/')}.py"
        of_module[module] = of_module.get(module, set()) | KNOWN[name]
    start = SOURCE / folder if folder else PAPERS
    for path in [start] if start.is_file() else start.rglob("*.py"):
        known = of_module.get(path.relative_to(SOURCE if folder else PAPERS).as_posix(), EVERY)
        for text in texts(path):
            for other, option in OPTION.findall(text):
                assert option in KNOWN.get(other, known), f"{path}: {text!r}"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS finds nothing."""

    def fail(_: Any) -> None:
        raise lp.LPError("the linear program ended with 'Unknown'")

    monkeypatch.setattr(lp.SequenceFormLP, "_run", fail)


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("more", [(), ("--solver", "lp")])
def test_solve_without_a_program_names_what_helps(run: Runner, more: tuple[str, ...]) -> None:
    ended = run("solve", "matrix:1 -1/-1 2", *more)
    assert ended.code == 2
    assert ended.err.endswith("'Unknown'; --solver dcfr needs no linear program\n")
    assert run("solve", "matrix:1 -1/-1 2", "--solver", "dcfr").code == 0
    with pytest.raises(lp.LPError, match="solver='dcfr' needs no linear program"):
        cp.solve(cp.load("matrix:1 -1/-1 2"))
    assert cp.solve(cp.load("matrix:1 -1/-1 2"), solver="dcfr").value == pytest.approx(0.2, abs=0.01)


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("more", [(), ("--solver", "dcfr")])
def test_an_option_in_use_is_not_named(run: Runner, more: tuple[str, ...]) -> None:
    """What needs the program whatever the solver is, as the value of a small game, suggests none."""
    ended = run("respond", "matrix:1 -1/-1 3", "--to", "uniform", "--method", "bne", *more)
    assert (ended.code, ended.err) == (2, "counterplay: the linear program ended with 'Unknown'\n")


RESOLVE = ("resolve", "leduc", "--blueprint", "uniform", "--at", "round")
SUBGAMES = [
    RESOLVE,
    (*RESOLVE, "--gadget", "full"),
    ("gadget", *RESOLVE[1:]),
    ("respond", "leduc", "--to", "uniform", "--method", "cdrnr", "--p", "0.5", "--depth", "round"),
]


@pytest.mark.parametrize("words", SUBGAMES)
def test_a_subgame_without_a_program_names_what_helps(
    run: Runner, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """The programs of subgames alone fail; the value of the game, which needs one whatever the solver is, is known."""
    cp.solve(cp.load("leduc"))

    def fail(*_: Any) -> None:
        raise lp.LPError("the linear program ended with 'Unknown'")

    for place in ("lookahead.search", "subgames.plan_store"):
        monkeypatch.setattr(f"counterplay.{place}.solve_lp", fail)
    ended = run(*words, "--solver", "lp")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith("'Unknown'; --solver dcfr needs no linear program\n")
    limit = () if words[0] == "gadget" else ("--iterations", "20")
    assert run(*words, "--solver", "dcfr", *limit).code == 0


def test_a_subgame_in_python_names_the_keyword(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise lp.LPError("the linear program ended with 'Unknown'")

    monkeypatch.setattr("counterplay.lookahead.search.solve_lp", fail)
    with pytest.raises(lp.LPError, match="'Unknown'; solver='dcfr' needs no linear program"):
        cp.resolve(cp.load("leduc"), "uniform", "round", solver="lp")


LOTTERY = """EFG 2 R "lottery" { "Ann" "Bob" } ""
c "" 1 "" { "sun" 1/2 "rain" 1/2 } 0
p "" 1 1 "sunny" { "go" "stay" } 0
p "" 2 1 "went" { "left" "right" } 0
t "" 1 "jackpot" { SIZE, -SIZE }
t "" 2 "one" { 1, -1 }
p "" 2 2 "stayed" { "left" "right" } 0
t "" 3 "minus" { -1, 1 }
t "" 4 "nil" { 0, 0 }
p "" 1 2 "rainy" { "go" "stay" } 0
p "" 2 1 "went" { "left" "right" } 0
t "" 3 "minus" { -1, 1 }
t "" 2 "one" { 1, -1 }
p "" 2 2 "stayed" { "left" "right" } 0
t "" 4 "nil" { 0, 0 }
t "" 1 "jackpot" { SIZE, -SIZE }
"""


@pytest.mark.parametrize("size", [10**6, 10**12, 10**15, 10**17, 10**19, 10**21])
def test_a_jackpot_that_nobody_pays_changes_nothing(run: Runner, tmp_path: Path, size: int) -> None:
    """Bob pays no jackpot if he plays right after "go" and left after "stay"; then Ann goes and wins 1."""
    (tmp_path / "lottery.efg").write_text(LOTTERY.replace("SIZE", str(size)))
    found = run("solve", "lottery.efg", "--json").json
    assert found["value"] == pytest.approx(1.0, abs=1e-9)
    assert found["exploitability"] <= 1e-9
    assert re.search(r"^value +1 chips$", run("solve", "lottery.efg").out, re.MULTILINE)


RARE = """EFG 2 R "rare deals" { "Player 1" "Player 2" } ""
p "" 2 1 "P1.0" { "0" "1" } 0
c "" 1 "" { "0" RARE "1" OFTEN "2" RARE } 0
p "" 2 2 "P1.16" { "0" "1" } 0
t "" 1 "" { -1, 1 }
t "" 2 "" { 0, 0 }
t "" 3 "" { 23/25, -23/25 }
t "" 4 "" { 1, -1 }
p "" 1 1 "P0.1" { "0" "1" } 0
t "" 4 "" { 1, -1 }
t "" 5 "" { -3, 3 }
"""


@pytest.mark.parametrize("rare", [1e-3, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("method", [["bne"], ["safe", "--max-exploitability", "0"], ["rnr", "--p", "0.5"]])
def test_rare_deals_have_equilibria(run: Runner, tmp_path: Path, rare: float, method: list[str]) -> None:
    """Player 2 must choose "0": 23/25 is paid but for rare deals, and "1" pays 1."""
    text = RARE.replace("RARE", f"{rare:.12f}").replace("OFTEN", f"{1.0 - 2.0 * rare:.12f}")
    (tmp_path / "rare.efg").write_text(text)
    for seat in ("0", "1"):
        words = ("respond", "rare.efg", "--to", "uniform", "--seat", seat, "--method", *method, "--json")
        found = run(*words).json
        value = 0.92 * (1.0 - 2.0 * rare) + rare - rare
        assert found["game_value"] == pytest.approx(value if seat == "0" else -value, abs=1e-8)
        assert found["exploitability"] <= (1e-8 if method[0] != "rnr" else 0.1)


def test_options_of_commands_differ() -> None:
    """So that the rule above can fail: `solve` has no method, `respond` has one."""
    assert "--method" not in KNOWN["solve"]
    assert {"--solver", "--method"} <= KNOWN["respond"]
