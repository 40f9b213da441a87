"""What the wheel says and holds."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import counterplay as cp
import counterplay_papers
from tests.support.pages import ROOT
from tests.support.shell import PROJECT
from tests.support.wheel_check import lowest

SOURCE = Path(cp.__file__).parent
NAMES = {"pyspiel": "open_spiel", "mcp_types": "mcp-types"}
"""Packages whose modules have another name."""


def packages(lines: list[str]) -> set[str]:
    """The names of requirements."""
    return {found[0] for line in lines if (found := re.match(r"[\w-]+", line))}


def third_party(path: Path) -> set[str]:
    """The packages that a file imports, anywhere in it, but for the standard library and this one."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
    return {NAMES.get(name, name) for name in found - sys.stdlib_module_names - {"counterplay", "counterplay_papers"}}


class TestTheWheel:
    def test_metadata(self) -> None:
        project = PROJECT["project"]
        assert (project["license"], project["license-files"]) == ("MIT", ["LICENSE"])
        assert "Typing :: Typed" in project["classifiers"]
        assert not any(line.startswith("License ::") for line in project["classifiers"])  # the expression says it
        assert {"poker", "game theory"} <= set(project["keywords"])

    def test_the_marker_of_types_is_there(self) -> None:
        assert (Path(cp.__file__).parent / "py.typed").exists()
        checked = PROJECT["tool"]["mypy"]
        assert checked["strict"]
        assert "tests/typing/client.py" in checked["files"]

    def test_the_page_of_an_index_has_no_links_that_die_there_and_says_what_readme_says(self) -> None:
        page, readme = ((ROOT / name).read_text() for name in (PROJECT["project"]["readme"], "README.md"))
        assert not re.search(r"\]\((?!https?:)|<img|!\[", page)
        for begin, end in (("**Given a model", "```sh"), ("```python", "```\n"), ("## What is in it", "\n\n")):
            part = readme[readme.index(begin) :]
            assert part[: part.index(end, len(begin) + 3)] in page

    def test_the_demo_needs_no_developers_tools(self) -> None:
        rules = dict(re.findall(r"^(\S+): .*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M))
        assert "dev" not in rules["$(INSTALLED)"]
        assert "dev" in rules["$(DEVELOPED)"]

    def test_what_is_imported_is_declared(self) -> None:
        """Each third-party package in the core or in an extra; what the page and the assistants import, in theirs."""
        core, extras = PROJECT["project"]["dependencies"], PROJECT["project"]["optional-dependencies"]
        declared = {
            name: packages([*core, *lines]) for name, lines in extras.items() if name not in ("dev", "docs", "peers")
        }
        everywhere = set[str]().union(*declared.values())
        for path in SOURCE.rglob("*.py"):
            place = path.relative_to(SOURCE).as_posix()
            extra = "mcp" if place == "page/assistant.py" else "page" if place.startswith("page/") else None
            extra = "notebook" if place == "page/widgets.py" else extra
            missing = third_party(path) - (everywhere if extra is None else declared[extra])
            assert not missing, place
        assert "llvmlite" in packages(core)
        assert third_party(SOURCE / "page/assistant.py") == {
            "anyio",
            "mcp",
            "mcp-types",
            "pydantic",
        }  # the rule finds some

    def test_the_papers_have_the_version_and_declare_what_they_import(self) -> None:
        papers = tomllib.loads((ROOT / "papers" / "pyproject.toml").read_text())["project"]
        version = PROJECT["project"]["version"]
        assert papers["version"] == version
        assert PROJECT["project"]["optional-dependencies"]["papers"] == [f"counterplay-papers=={version}"]
        assert f"counterplay[plot]=={version}" in papers["dependencies"]
        for path in Path(counterplay_papers.__file__).parent.rglob("*.py"):
            assert third_party(path) <= packages(
                [*papers["dependencies"], *PROJECT["project"]["optional-dependencies"]["plot"]]
            )

    def test_lowest_versions_are_those_of_the_project(self) -> None:
        """The check of the wheel installs them, and CI runs it."""
        pins = lowest(PROJECT["project"])
        assert "numpy==2.0" in pins
        assert {line.partition("==")[0] for line in pins} >= {"typer", "mcp", "fastapi", "matplotlib"}
        assert "make wheel-check" in (ROOT / ".ci/run").read_text()
        assert "tests.support.wheel_check" in (ROOT / "Makefile").read_text()

    @pytest.mark.slow
    def test_a_built_wheel_holds_examples_types_and_licence(self, tmp_path: Path) -> None:
        import zipfile

        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT)]
        if subprocess.run(pip, capture_output=True, text=True, check=False).returncode:
            pytest.skip("the build's own requirements cannot be had here")
        names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
        assert not any("papers" in name for name in names)
        wanted = ("counterplay/py.typed", "counterplay/examples/leaks/station.txt", "licenses/LICENSE")
        assert all(any(name.endswith(one) for name in names) for one in wanted)

    @pytest.mark.slow
    def test_the_client_passes_mypy(self) -> None:
        pytest.importorskip("mypy")
        command = [sys.executable, "-m", "mypy", "--strict", "tests/typing/client.py"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout

    def test_a_spot_declares_every_field_to_clients(self) -> None:
        made = list(inspect.signature(cp.Spot).parameters)
        assert made == [one.name for one in dataclasses.fields(cp.Spot)]
