"""How many files something passes on its way through the package: what is traced is who is called with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import counterplay as cp
from counterplay import OpponentModel
from counterplay.poker.public_tree.public_tree import PublicTree

SOURCE = Path(cp.__file__).parent
MOST_FILES = 8


def journey(call: Callable[[], Any], carries: Callable[[Any], bool]) -> list[Path]:
    """The files that are entered with an argument that `carries` knows, in order, each once in a row."""
    found: list[Path] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)) and code.co_name != "__post_init__":
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            given = [frame.f_locals.get(name) for name in names]
            if given and isinstance(given[0], cp.Strategy):  # asked for its own plan
                given = given[1:]
            if any(map(carries, given)):
                found.append(Path(code.co_filename).relative_to(SOURCE))

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [path for path, _ in groupby(found)]


@pytest.mark.parametrize("text", ["nash", "noise:0.25:nash", "cfr+:2", "bias:b=2:uniform"])
def test_a_model_goes_from_its_text_to_the_response_without_climbing_back(text: str) -> None:
    """Text, record, strategy, match-up; messages (`errors.py`) belong to every folder."""
    game = cp.load("kuhn")
    made: list[cp.Strategy] = []

    def carries(thing: Any) -> bool:
        if isinstance(thing, str):
            return thing == text
        return isinstance(thing, OpponentModel) or any(thing is one for one in made)

    def answer() -> None:
        made.append(cp.opponent(game, text))
        cp.respond(game, made[0], p=0.5)

    files = [path for path in journey(answer, carries) if path.name != "errors.py"]
    assert len(set(files)) <= MOST_FILES, files
    folders = [str(folder) for folder, _ in groupby(path.parent for path in files)]
    assert folders == ["opponents", "texts", "opponents", "responses"]


def test_a_spot_goes_to_a_node_of_its_solution_in_few_files() -> None:
    """The spot, its public tree, the solution of that, and the solved spot. Solving returns to the file where it began, and
    the node to those of the solution and of the tree; `test_size` counts whole journeys."""
    spot = cp.Spot("Ks 8h 8d 4c 2c", "AcKc,QhJh", "QdQs,JcTc", 10, 30, "a", raises=1)
    carried = (cp.Spot, PublicTree, cp.Solution, cp.SolvedSpot)
    files = journey(lambda: cp.solve_spot(spot, iterations=2).node("x"), lambda thing: isinstance(thing, carried))
    assert len(set(files)) <= MOST_FILES, files
    assert len(files) <= len(set(files)) + 3, files
