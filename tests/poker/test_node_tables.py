"""What a node says of each hand and action: tables, grids and the command that shows them."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from counterplay import InputError, SolvedSpot, Spot, solve_spot
from counterplay.poker.cards.deck import FULL, cards_of
from counterplay.poker.ranges.grid import number_lines
from counterplay.poker.ranges.range import Range
from counterplay.poker.spots.solution import write_csv
from tests.support.commands import Runner


@pytest.fixture(scope="module")
def solved() -> SolvedSpot:
    river = Spot("Qs Jh 2h 8d 3c", "QQ+,AQs", "22+,AJs+", pot=200, stack=900, bets="50%,a")
    return solve_spot(river, iterations=20)


def test_a_table_has_a_row_for_each_hand_of_either_player(solved: SolvedSpot) -> None:
    nodes = [solved.node("x"), solved.node("b100")]
    rows = list(csv.DictReader(write_csv(nodes, FULL).decode().splitlines()))
    assert len(rows) == sum(int((held > 0.0).sum()) for node in nodes for held in node.ranges)
    k = FULL.hand(*cards_of("Kd Kc"))
    (row,) = (row for row in rows if (row["node"], row["player"], row["hand"]) == ("check", "ip", "KdKc"))
    for number, action in enumerate(nodes[0].actions):
        assert float(row[f"p {action}"]) == nodes[0].probabilities[k, number]
        assert float(row[f"EV {action}"]) == nodes[0].action_values[k, number]
    assert row["p fold"] == ""  # an action of the other node
    assert sum(float(row[f"p {action}"]) for action in nodes[0].actions) == pytest.approx(1.0)


def test_a_grid_has_the_mean_of_each_class() -> None:
    values = np.full(len(FULL.hands), np.nan)
    weights = np.zeros(len(FULL.hands))
    for hand, value, weight in (("AhAs", 10.0, 1.0), ("AcAd", 20.0, 1.0), ("AhKh", -1234.5, 0.5)):
        values[FULL.hand(*cards_of(hand))], weights[FULL.hand(*cards_of(hand))] = value, weight
    weights[FULL.hand(*cards_of("2c 2d"))] = 1.0  # has no value
    lines = number_lines(values, weights)
    assert lines[1].split() == ["A", "15.00", "-1234"]
    assert [line.split() for line in lines[2:]] == [[name] for name in "KQJT98765432"]


def test_the_command_shows_and_writes_them(run: Runner) -> None:
    words = ("spot", "--board", "Qs Jh 2h 8d 3c", "--oop", "QQ+", "--ip", "JJ+", "--pot", "100", "--stack", "900")
    ran = run(*words, "--bets", "a", "--iterations", "5", "--node", "x", "--values", "--csv", "node.csv")
    assert ran.code == 0
    assert "EV of all-in 900, in chips out of the pot of 100:" in ran.out
    assert Path("node.csv").read_text().startswith("node,player,hand,weight,EV,equity,p check,p all-in 900,EV check")
    ran = run(*words, "--bets", "a", "--iterations", "5", "--csv", "node.txt")
    assert (ran.code, ran.err) == (2, "counterplay: cannot write node.txt: its name must end in .csv\n")
    found = run(*words, "--bets", "a", "--iterations", "5", "--node", "x", "--json").json["nodes"][0]["hands"]["KdKc"]
    assert len(found["action_values"]) == len(found["probabilities"]) == 2


@pytest.mark.parametrize("notation", ["plain", "percent", "gto+", "pio"])
def test_the_range_of_each_action_is_written(run: Runner, notation: str) -> None:
    """Read back, the ranges of all actions add up to the range that comes to the node."""
    words = ("spot", "--board", "Qs Jh 2h 8d 3c", "--oop", "QQ+", "--ip", "JJ+", "--pot", "100", "--stack", "900")
    asked = (*words, "--bets", "a", "--iterations", "5", "--ranges")
    lines = run(*asked, notation).out.splitlines()
    texts = [text for head, text in pairwise(lines) if head.startswith("oop's range for ")]
    assert len(texts) == 2
    taken = np.sum([Range.parse(text).weights for text in texts if text], axis=0)
    np.testing.assert_allclose(taken, Range.parse("QQ+").without(cards_of("Qs Jh 2h 8d 3c")).weights, atol=2e-4)
    if notation == "pio":
        assert "no notation 'flopzilla'" in run(*asked, "flopzilla").err
        assert "--ranges is for what is shown" in run(*asked, "pio", "--json").err


def test_a_solution_and_its_table_are_written_together(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("spot", "--board", "Qs Jh 2h 8d 3c", "--oop", "QQ+", "--ip", "JJ+", "--pot", "100", "--stack", "900")

    def fail(*_: object) -> str:
        raise InputError("cannot write node.csv: no space left")

    monkeypatch.setattr("counterplay.poker.spots.solution.write_csv", fail)
    ran = run(*words, "--bets", "a", "--iterations", "5", "-o", "river.spot", "--csv", "node.csv")
    assert ran.code == 2
    assert not Path("river.spot").exists()
