"""Every command, snippet and example of the documentation runs from the repository root, and prints what the page shows.

Words are compared as they are and numbers within a tolerance (`printed_output.py`). With UPDATE_DOCS=1 in the
environment, blocks that differ are rewritten with what is printed now; `-m slow` besides does that for those that take
minutes. UPDATE_DOCS=all rewrites all of them, times included: for a quiet machine.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

import counterplay as cp
from counterplay.cli import main
from counterplay.opponents.model import MODELS
from tests.support import suites
from tests.support.pages import PAGES, ROOT, Block, blocks, rewrite
from tests.support.printed_output import difference, updated

UPDATE = bool(os.environ.get("UPDATE_DOCS"))
WHOLE = os.environ.get("UPDATE_DOCS") == "all"
NUMBERED = re.compile(r"\bpapers? 0\d\d\b", re.IGNORECASE)
CITED = re.compile(
    r"\b((?:(?:[A-Z]\w+, )*[A-Z]\w+ and |von |[A-Z]\w+-)?[^\W\d_a-z][^\W\d_A-Z]+(?: et al\.)?) \(?((?:19|20)\d\d)\b"
)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what pages name in the repository root; everything runs there, so that nothing is written into the tree."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


def run(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command of a page prints; it may begin with `NAME=VALUE`, and `PYTHONPATH=` says where its modules are."""
    words = shlex.split(command.replace("\\\n", " "))
    with monkeypatch.context() as here:
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            here.setenv(name, value)
            if name == "PYTHONPATH":
                here.syspath_prepend(value)
        assert words[0] == "counterplay"
        here.setattr(sys, "argv", words)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            main()
    captured = capsys.readouterr()
    assert ending.value.code in (0, None, 2), captured.err
    return captured.err if ending.value.code == 2 else captured.out


def check(page: Path, block: Block, shown: str, printed: str) -> str:
    """What the block should show: the same, or with UPDATE_DOCS=1 what is printed now where it differs."""
    if WHOLE:
        return printed
    found = difference(shown, printed, block.tolerance)
    assert not found or UPDATE, f"{page.name}, line {block.line}: {found}"
    return updated(shown, printed, block.tolerance) if found else shown


def _chosen(run: list[Block], slow: bool) -> list[Block]:
    """Blocks of a page that are not slow; or, where some are, all, since one may read what another makes."""
    fast = [block for block in run if "slow" not in block.marks]
    return fast if not slow else run if len(fast) < len(run) else []


def _consoles(page: Path, slow: bool) -> list[Block]:
    return _chosen([x for x in blocks(page) if x.language == "console" and "not run" not in x.marks], slow)


def _snippets(page: Path, slow: bool) -> list[Block]:
    """Those of Python; files that are shown whole run elsewhere."""
    return _chosen([x for x in blocks(page) if x.language == "python" and "file" not in x.marks], slow)


def _pages(of: Callable[[Path, bool], list[Block]]) -> pytest.MarkDecorator:
    """Each page with blocks of a kind, and with all of them in the slow part if some are slow."""
    cases = [
        pytest.param(page, slow, id=page.name + ", slow" * slow, marks=[pytest.mark.slow] * slow)
        for slow in (False, True)
        for page in PAGES
        if of(page, slow)
    ]
    return pytest.mark.parametrize(("page", "slow"), cases)


@_pages(_consoles)
def test_console_blocks(
    page: Path, slow: bool, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the page, so that a file which one writes is there for the next. Errors are shown as they are."""
    pytest.importorskip("matplotlib")
    for block in _consoles(page, slow):
        assert block.commands, f"{page.name}, line {block.line}: no line begins with '$ '"
        body = ""
        for command, shown in block.commands:
            printed = check(page, block, shown, run(command, monkeypatch, capsys))
            body += f"$ {command}\n{printed}"
        if body != block.body:
            rewrite(page, block, body)
            for picture in (root / "docs").iterdir():
                shutil.copy(picture, ROOT / "docs")


@_pages(_snippets)
def test_python_blocks(page: Path, slow: bool) -> None:
    """One after the other, in one namespace."""
    shown = "\n".join(block.body for block in _snippets(page, slow))
    exec(compile(shown, page.name, "exec"), {"__name__": page.name})


WALKS = [(page, block) for page in PAGES for block in blocks(page) if "conforms" in block.marks]


@pytest.mark.parametrize(("page", "block"), WALKS, ids=[block.marks["conforms"] for _, block in WALKS])
def test_walk_throughs_pass_the_suite_of_their_kind(page: Path, block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """`conforms: KIND NAME` above a block: what it calls NAME keeps what everything of that kind promises. An
    opponent is made from its text."""
    kind, name, *words = block.marks["conforms"].split()
    made = ModuleType("walk_through")
    monkeypatch.setitem(sys.modules, made.__name__, made)  # records look up the types of their fields there
    exec(compile(block.body, page.name, "exec"), made.__dict__)
    thing = getattr(made, name)
    if kind == "opponent":
        thing = thing.from_text(words.pop())
    whole = kind == "card_abstraction" or not isinstance(thing, type)
    getattr(suites, f"check_{kind}")(thing if whole else thing(), *map(float, words))


def _printed_by(page: Path, command: str) -> list[Block]:
    return [x for x in blocks(page) if command in (x.marks.get("printed by"), x.marks.get("head of"))]


def test_the_readme_shows_what_the_demo_prints_and_the_demo_draws(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first block of the README is the head of the demo's output: all but the picture made of letters."""
    page, command = ROOT / "README.md", "counterplay demo"
    (block,) = _printed_by(page, command)
    pytest.importorskip("matplotlib")
    printed = run(f"{command} --plot frontier.png", monkeypatch, capsys)
    assert all(method in printed for method in ("br", "mix", "dbr", "rnr", "safe", "bne"))
    assert (root / "frontier.png").exists()
    head = printed.split("Gain against the model (up)")[0]
    head = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in head.splitlines())).strip() + "\n"
    assert len(head.splitlines()) > 10
    if (body := check(page, block, block.body, head)) != block.body:
        rewrite(page, block, body)


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(
    example: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the repository root; a page that shows what an example prints shows that."""
    name = f"examples/{example.name}"
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.syspath_prepend(str(root / "examples"))
    with patch.dict(MODELS.registry):  # one adds a model of its own
        runpy.run_path(name, run_name="__main__")
    printed = capsys.readouterr().out
    assert printed
    for page in PAGES:
        for block in _printed_by(page, f"python {name}"):
            if (body := check(page, block, block.body, printed)) != block.body:
                rewrite(page, block, body)


def test_included_files_are_whole() -> None:
    """A block that claims to be a file is that file."""
    included = [(page, block) for page in PAGES for block in blocks(page) if "file" in block.marks]
    assert included
    for page, block in included:
        text = (ROOT / block.marks["file"]).read_text()
        assert block.body == text or UPDATE, f"{page.name}, line {block.line}: not {block.marks['file']}"
        if block.body != text:
            rewrite(page, block, text)


def test_every_block_is_run_or_says_why_not() -> None:
    """`make X` is a target of the Makefile, and JSON can be read; whatever else is not run has a reason above it."""
    makefile = (ROOT / "Makefile").read_text()
    for page in PAGES:
        for block in blocks(page):
            where = f"{page.name}, line {block.line}"
            assert set(block.marks) <= {"file", "printed by", "head of", "numbers", "slow", "not run", "conforms"}, (
                where
            )
            assert all(reason.strip() for reason in block.marks.values()), where
            if block.language in ("console", "python") or block.marks.keys() & {"file", "printed by", "head of"}:
                continue
            for target in re.findall(r"^make (\w+)", block.body, re.MULTILINE):
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{where}: make {target}"
            if block.language == "json":
                json.loads(block.body)
            elif block.language != "sh" or not all(line.startswith("make ") for line in block.body.splitlines()):
                assert "not run" in block.marks, f"{where}: say above it that it is not run, and why"


def test_what_commands_print_is_compared() -> None:
    """A mark `printed by` names an example or the demo; others would not be compared."""
    known = {f"python examples/{path.name}" for path in (ROOT / "examples").glob("*.py")} | {"counterplay demo"}
    for page in PAGES:
        for block in blocks(page):
            assert {block.marks.get(mark, "counterplay demo") for mark in ("printed by", "head of")} <= known


def test_files_that_commands_name_exist() -> None:
    """Whatever a page calls by a path in the repository is there."""
    for page in PAGES:
        for block in blocks(page):
            if block.language in ("console", "sh"):
                for path in re.findall(r"\b(?:(?:examples|benchmarks|docs)/[\w/]+\.\w+|constraints\.txt)", block.body):
                    assert (ROOT / path).exists(), f"{page.name}, line {block.line}: {path}"


def test_files_that_pages_name_exist() -> None:
    """Paths of Python files, from the root of the repository or of the package."""
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        for path in re.findall(r"`([\w/]+\.py)`", page.read_text()):
            roots = (ROOT, ROOT / "src" / "counterplay", ROOT / "papers" / "src" / "counterplay_papers", page.parent)
            assert any((root / path).exists() for root in roots), f"{page.name}: {path}"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_papers_are_cited_by_author_and_year() -> None:
    """Papers are not cited by internal numbers; those that are cited are in the list of references."""
    folders = ("src", "papers", "benchmarks", "examples", "tests")
    files = {*PAGES, *(path for folder in folders for path in (ROOT / folder).rglob("*.py"))} - {Path(__file__)}
    references = ROOT / "docs" / "references.md"
    known = set(re.findall(r"^\| ([^|]* \d{4}) \|", references.read_text(), re.MULTILINE))
    assert len(known) > 10
    for path in files:
        text = " ".join(path.read_text().split())
        assert not NUMBERED.search(text), path.name
        if path != references:
            assert set(map(" ".join, CITED.findall(text))) <= known, path.name


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("gain   1.4", "gain      1.4"),
        ("gain 0.543", "gain 0.544"),
        ("gain 0.0856064", "gain 0.0856071"),
        ("gain -0.000000", "gain 1.1e-16"),
        ("check 68.8%", "check 68.7%"),
        ("seconds 0.1", "seconds 22.5"),
        ("decisions per second 2374 148572", "decisions per second 11.4 2544"),
        ("method  gain  seconds\nbr      0.75    0.010", "method  gain  seconds\nbr      0.75    3.010"),
        ("gain  seconds   what\n0.75    0.010   x", "gain  seconds   what\n0.75    3.010   x"),
        ("A ccccc bbbba", "A ccccb bbbba"),
    ],
)
def test_rounding_and_times_may_differ(shown: str, printed: str) -> None:
    assert difference(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("gain 0.120, exploitability 0.778", "gain 0.004, exploitability 0.531"),
        ("gain 0.543", "gain 0.545"),
        ("gain 0.05", "gain 0.06"),
        ("seat 0", "seat 1"),
        ("iterations 336", "iterations 337"),
        ("hands 2,000", "hands 2,001"),
        ("check 68.8%", "check 68.6%"),
        ("gain 1.4", "loss 1.4"),
        ("rnr p=0.5", "rnr p=0.6"),
        ("a\nb", "a"),
        ("method  gain  seconds\nbr      0.75    0.010", "method  gain  seconds\nbr      0.76    0.010"),
        ("gain  seconds   what\n0.75    0.010   5", "gain  seconds   what\n0.75    3.010   6"),
        ("seconds 0.1\ngain 0.5", "seconds 0.1\ngain 0.6"),
        ("A ccccc bbbba", "A cccbb bbbba"),
        ("A ccccc bbbba", "A ccccc bbbb"),
    ],
)
def test_a_changed_number_in_a_page_is_noticed(shown: str, printed: str) -> None:
    assert difference(shown, printed)
    assert difference(printed, shown)


def test_an_update_leaves_lines_that_say_the_same() -> None:
    shown = "gain  seconds\n0.75  0.010\n0.80  0.010\n\nseconds  0.1\n"
    assert updated(shown, "gain  seconds\n0.75  3.010\n0.90  3.010\n\nseconds  9.1\n") == (
        "gain  seconds\n0.75  0.010\n0.90  3.010\n\nseconds  0.1\n"
    )
    assert updated(shown, "gain 1\n") == "gain 1\n"


def test_a_block_may_say_how_far_its_numbers_go() -> None:
    assert difference("iterations 336", "iterations 340", 0.02) is None
    assert difference("iterations 336", "iterations 350", 0.02)
    assert difference("iterations 336", "iterations 9", None) is None
    assert difference("iterations 336", "steps 336", None)
    assert Block("console", {"numbers": "5 %"}, "", 1).tolerance == 0.05
    assert Block("console", {"numbers": "free, sampled"}, "", 1).tolerance is None


def test_the_reference_has_every_public_name_and_package() -> None:
    """`make docs` builds the two pages, which is too slow for here."""
    shown = re.findall(r"^\.\. auto\w+:: counterplay\.(\w+)$", (ROOT / "docs" / "api.rst").read_text(), re.MULTILINE)
    assert sorted(shown) == sorted(cp.__all__)
    roots = (ROOT / "src", ROOT / "papers" / "src")
    packages = {str(path.parent.relative_to(root)) for root in roots for path in root.rglob("__init__.py")}
    listed = re.findall(r"^\.\. automodule:: (\S+)$", (ROOT / "docs" / "packages.rst").read_text(), re.MULTILINE)
    assert set(listed) == {name.replace("/", ".") for name in packages} - {"counterplay"}
