"""The size of the package: lines by row of the budget, protocols, and the roads that calls take."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.support.house import JOURNEYS, KINDS, SOURCE, journey, lines_by_package, lines_of

BUDGET = {
    "treeplex leaves problem solvers gadgets subgames gametree texts": 10_800,
    "games": 3_000,
    "poker poker/cards poker/ranges poker/betting poker/showdown poker/locking poker/reports": 6_200,
    "poker/public_tree poker/subtrees poker/spots poker/compact poker/plan_stores": 8_600,
    "poker/whole_game card_abstraction": 9_300,
    "lookahead value_functions blueprints responses strategies": 8_600,
    "opponents": 6_500,
    "agents measure protocols work": 9_800,
    "learning networks": 2_700,
    "commands page": 7_000,
    "jit (top)": 2_300,
}
"""Lines of the packages of a row, as the design wants them. An issue that adds a feature raises its row by what it names."""
TODAY = {
    "treeplex leaves problem solvers gadgets subgames gametree texts": 10_900,
    "games": 3_310,
    "poker poker/cards poker/ranges poker/betting poker/showdown poker/locking poker/reports": 6_220,
    "poker/public_tree poker/subtrees poker/spots poker/compact poker/plan_stores": 9_280,
    "poker/whole_game card_abstraction": 10_020,
    "lookahead value_functions blueprints responses strategies": 9_650,
    "opponents": 9_580,
    "agents measure protocols work": 12_600,
    "learning networks": 3_450,
    "commands page": 8_030,
    "jit (top)": 3_170,
}
"""Rows that are above their budget: these shrink only."""
MOST_CODE = 52_500
"""Lines of code and signatures; the design wants 45,000."""
MOST_PROTOCOLS = 25
ROADS = {
    "best response, Leduc": (28, 40),
    "safe, Leduc": (29, 40),
    "CDRNR one step ahead, Leduc": (46, 82),
    "a flop in 16 bits": (52, 110),
    "command: respond in Leduc": (70, 108),
    "command: respond in hold'em": (80, 150),
}
"""The most files and returns of each journey, with room for what threads and clocks decide."""


def test_rows_keep_their_budget() -> None:
    found = lines_by_package()
    named = " ".join(BUDGET).split()
    assert set(found) == set(named), "a package belongs to one row"
    for row, budget in BUDGET.items():
        lines = sum(lines_of(found[package]) for package in row.split())
        assert lines <= TODAY.get(row, budget), (row, lines)
        assert TODAY.get(row, budget) >= budget, f"{row} is within its budget: take it out of TODAY"


def test_code_and_signatures() -> None:
    whole: Counter[str] = sum(lines_by_package().values(), Counter())
    assert set(KINDS) <= set(whole)
    assert whole["code"] + whole["signature"] <= MOST_CODE


def test_a_protocol_is_rare() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in SOURCE.rglob("*.py")
        for name in re.findall(r"^class (\w+)\([^)]*\bProtocol\b[^)]*\):", path.read_text(), re.MULTILINE)
    ]
    assert len(found) <= MOST_PROTOCOLS, found


@pytest.mark.parametrize("name", JOURNEYS)
def test_a_journey_passes_few_files(name: str) -> None:
    """Every function of the package that runs counts; a return is a stay in a file that was left before."""
    found, (files, returns) = journey(name), ROADS[name]
    assert len(found.files) <= files, found.files
    assert found.returns <= returns
