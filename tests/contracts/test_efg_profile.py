"""A profile of strategies beside its game, as Gambit writes equilibria."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import counterplay as cp
from counterplay import CHANCE, InputError
from counterplay.games.formats.efg import EfgNode, read_efg, write_efg, write_profile
from tests.support.commands import Runner


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


def test_the_command_writes_a_game_and_a_profile_that_read_back(tmp_path: Path, run: Runner) -> None:
    """The value of the profile in the file that was read is that of the strategies, by the library's own match-up."""
    path = tmp_path / "kuhn.efg"
    said = run("export", "kuhn", "--profile", "random:1;uniform", "-o", str(path), "--json")
    assert said.json["files"] == [str(path), str(path.with_suffix(".ne"))]
    kuhn, again = cp.load("kuhn"), cp.load(str(path))
    assert len(again.histories.player) == len(kuhn.histories.player) == said.json["histories"]
    assert cp.solve(again).value == pytest.approx(cp.solve(kuhn).value)
    told = path.with_suffix(".ne").read_text().strip().split(",")[1:]
    wanted = [p for k, text in enumerate(("random:1", "uniform"))
              for row in cp.opponent(kuhn, text, player=k).table().values() for p in row.values()]  # fmt: skip
    assert sorted(float(Fraction(word)) for word in told) == pytest.approx(sorted(wanted))


@pytest.mark.parametrize(
    ("words", "culprit"),
    [
        (("kuhn", "-o", "kuhn.txt"), "its name must end in .efg"),
        (("kuhn", "-o", ""), "its name must end in .efg"),
        (("kuhn", "--profile", "nash;nash;nash", "-o", "kuhn.efg"), "--profile is one strategy for both players"),
        (("kuhn", "--profile", "nobody", "-o", "kuhn.efg"), "nobody"),
        (("holdem:deck=20,stack=10bb,bets=fcpa", "-o", "g.efg"), "games in memory"),
    ],
)
def test_what_no_gambit_file_can_hold_is_refused(
    words: tuple[str, ...], culprit: str, tmp_path: Path, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("export", *words)
    assert (said.code, culprit in said.err) == (2, True), said.err
    assert not list(tmp_path.iterdir())
