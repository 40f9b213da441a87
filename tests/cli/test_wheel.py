"""What the wheel says and holds."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

import counterplay as cp
from tests.support.pages import ROOT
from tests.support.shell import PROJECT


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

    @pytest.mark.slow
    def test_a_built_wheel_holds_examples_types_and_licence(self, tmp_path: Path) -> None:
        import zipfile

        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT)]
        if subprocess.run(pip, capture_output=True, text=True, check=False).returncode:
            pytest.skip("the build's own requirements cannot be had here")
        names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
        wanted = ("counterplay/py.typed", "counterplay/examples/leaks/station.txt", "licenses/LICENSE")
        assert all(any(name.endswith(one) for name in names) for one in wanted)

    @pytest.mark.slow
    def test_the_client_passes_mypy(self) -> None:
        pytest.importorskip("mypy")
        command = [sys.executable, "-m", "mypy", "--strict", "tests/typing/client.py"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout

    def test_a_spot_declares_every_field_to_clients(self) -> None:
        from counterplay.poker.spots import spot

        made = next(
            node for node in ast.walk(ast.parse(Path(spot.__file__).read_text()))
            if isinstance(node, ast.FunctionDef) and node.name == "__init__"
        )  # fmt: skip
        assert [one.arg for one in made.args.args[1:]] == [one.name for one in dataclasses.fields(cp.Spot)]
