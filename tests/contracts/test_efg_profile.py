"""A profile of strategies beside its game, as Gambit writes equilibria."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import counterplay as cp
from counterplay.errors import InputError
from counterplay.games import CHANCE
from counterplay.games.formats.efg import read_efg, write_efg, write_profile
from counterplay.games.formats.efg_tree import EfgNode


def test_a_profile_stands_in_the_order_of_the_infosets_in_the_file(tmp_path: Path) -> None:
    """A reader of its own takes the numbers of infosets from the text of the game, plays the profile there, and finds the
    value that the library measures."""
    kuhn = cp.load("kuhn")
    sides = [cp.opponent(kuhn, "random:3", player=0), cp.opponent(kuhn, "random:4", player=1)]
    write_efg(kuhn.rules, tmp_path / "kuhn.efg")
    write_profile(kuhn.rules, [side.table() for side in sides], tmp_path / "kuhn.ne")
    rows = re.findall(r'^p "" (\d) (\d+) "[^"]*" \{ (.*) \} 0$', (tmp_path / "kuhn.efg").read_text(), re.MULTILINE)
    sizes = {(int(who), int(number)): actions.count('"') // 2 for who, number, actions in rows}
    first, *told = (tmp_path / "kuhn.ne").read_text().strip().split(",")
    assert (first, len(told)) == ("NE", sum(sizes.values()))
    numbers, profile = iter(map(float, told)), dict[tuple[int, int], list[float]]()
    for place in sorted(sizes):
        profile[place] = [next(numbers) for _ in range(sizes[place])]
        assert sum(profile[place]) == pytest.approx(1.0)

    def value(node: EfgNode) -> float:
        if not node.children:
            return node.payoffs[0]
        assert node.infoset is not None
        odds = node.infoset.odds if node.player == CHANCE else profile[node.player + 1, node.infoset.number]
        return sum(p * value(child) for p, child in zip(odds, node.children, strict=True))

    expected = kuhn.payoff.value(sides[0].plan, sides[1].plan)
    assert value(read_efg(tmp_path / "kuhn.efg").root()) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(InputError, match="the strategy of player 0 lacks actions at the infoset"):
        write_profile(kuhn.rules, [{}, sides[1].table()], tmp_path / "none.ne")
    assert not (tmp_path / "none.ne").exists()
