"""Every command and every snippet of the documentation runs, and prints what the page shows.

Numbers may differ (seconds do, and so do the last digits of iterative solves); everything else must be equal. With
UPDATE_DOCS=1 in the environment the pages are rewritten with what the commands print now.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UPDATE = bool(os.environ.get("UPDATE_DOCS"))


def blocks(page: Path, kind: str) -> list[str]:
    return [body for language, body in BLOCK.findall(page.read_text()) if language == kind]


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def shape(output: str) -> list[list[str]]:
    """The words of each line, every number replaced by one sign."""
    number = re.compile(r"^[+-]?\d[\d,]*\.?\d*(e[+-]?\d+)?[.,:;%]?$")
    return [
        ["#" if number.match(word) else word for word in line.split()] for line in output.splitlines() if line.strip()
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for example in (ROOT / "examples").glob("*.*"):
        shutil.copy(example, tmp_path)
    shutil.copytree(ROOT / "examples" / "leaks", tmp_path / "leaks")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks(page: Path, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    text = page.read_text()
    for body in blocks(page, "console"):
        for command, shown in commands(body):
            words = shlex.split(command)
            assert words[0] == "counterplay"
            ran = subprocess.run(
                [sys.executable, "-m", "counterplay.cli", *words[1:]], cwd=folder, capture_output=True, text=True
            )
            assert ran.returncode == 0, ran.stderr
            if UPDATE:
                text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{ran.stdout}")
            else:
                assert shape(ran.stdout) == shape(shown)
    if UPDATE:
        page.write_text(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    together = "\n".join(body for body in blocks(page, "python") if "class CoinHint" not in body)
    exec(compile(together, page.name, "exec"), {"__name__": page.name})


def test_readme_shows_what_the_demo_prints(folder: Path) -> None:
    """The first block of the README is the head of the demo's output."""
    page = ROOT / "README.md"
    shown = re.search(r"^```text\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    assert shown
    ran = subprocess.run(
        [sys.executable, "-m", "counterplay.cli", "demo"], cwd=folder, capture_output=True, text=True, check=True
    )
    lines = shape(shown[1])
    if UPDATE:
        head = [line.rstrip() for line in ran.stdout.split("Gain against the model (up)")[0].splitlines()]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(head)).strip() + "\n"
        page.write_text(page.read_text().replace(shown[1], text))
    else:
        assert len(lines) > 10
        assert shape(ran.stdout)[: len(lines)] == lines


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "<!-- file:" in page.read_text()], ids=lambda page: page.name
)
def test_included_files_are_whole(page: Path) -> None:
    """A block that claims to be a file is that file."""
    pattern = re.compile(r"(<!-- file: (\S+) -->\n```python\n)(.*?)(```\n)", re.DOTALL)
    text = page.read_text()
    if UPDATE:
        text = pattern.sub(lambda m: m[1] + (ROOT / m[2]).read_text() + m[4], text)
        page.write_text(text)
    found = pattern.findall(text)
    assert found
    for _, name, body, _ in found:
        assert body == (ROOT / name).read_text()


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example: Path, folder: Path) -> None:
    ran = subprocess.run([sys.executable, example.name], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
    mark = f"<!-- printed by: examples/{example.name} -->\n```text\n"
    for page in PAGES:
        if mark in (text := page.read_text()):
            shown = text.split(mark)[1].split("```")[0]
            if UPDATE:
                page.write_text(text.replace(mark + shown, mark + ran.stdout))
            else:
                assert shape(ran.stdout) == shape(shown)


def test_shell_blocks_name_real_targets() -> None:
    """`make X` in a page is a target of the Makefile, and the files that commands name exist."""
    makefile = (ROOT / "Makefile").read_text()
    for page in PAGES:
        for body in blocks(page, "sh"):
            for line in body.splitlines():
                words = line.split("#")[0].split()
                if words[:1] == ["make"]:
                    assert re.search(rf"^{words[1]}:", makefile, re.MULTILINE)
                elif "-c" in words:
                    assert (ROOT / words[words.index("-c") + 1]).exists()


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
