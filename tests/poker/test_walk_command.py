"""The walk through a solved spot, as a person or a pipe types it."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterplay as cp
from tests.support.commands import Runner


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spot = cp.Spot("Qs Jh 2h 8d", "QQ,AhKh,65s", "JJ,T9s", 100, 100, "a", raises=1)  # type: ignore[arg-type]
    path = tmp_path_factory.mktemp("walk") / "turn.spot"
    cp.solve_spot(spot, percent_of_pot=1.0).save(path)
    return path


def test_steps_cards_and_the_way_back(run: Runner, file: Path) -> None:
    ran = run("walk", str(file), typed="x\nx\nTc\nback\nback\nback\nback\nx x 3c x a c\ntop\nquit\nx\n")
    assert ran.code == 0, ran.err
    shown = [line.split(":")[0] for line in ran.out.splitlines() if ": board" in line]
    assert shown == ["root", "check", "check, check", "check, check, river, Tc", "check, check", "check", "root", "root",
                     "check, check, river, check, all-in 100, call, 3c", "root"]  # fmt: skip
    assert "a card is dealt" in ran.out
    assert "showdown" in ran.out


def test_hands_and_ranges_are_those_of_the_node(run: Runner, file: Path) -> None:
    """An empty line and an invalid one change nothing; a pipe that ends is a quit."""
    solved = cp.load(file).known
    ran = run("walk", str(file), typed="\nb77\nx\nhands JcJd\nranges percent\nranges x\nvalues\nhelp\nhands KK")
    assert ran.code == 0, ran.err
    assert "'bet 77' is not an action here" in ran.out
    node = solved.node("x")
    k = solved.spot.deck.numbers[36, 37]
    row = next(line for line in ran.out.splitlines() if line.startswith("JdJc")).split()
    assert float(row[1]) == pytest.approx(node.ranges[1][k], rel=1e-2)
    assert float(row[2]) == pytest.approx(node.values[1][k], rel=1e-3)
    assert "oop: " in ran.out
    assert "EV of check" in ran.out
    assert "several" in ran.out
