"""The villain card: statistics counted in hands are those that reaches in the betting tree give."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import fmean, stdev

import pytest

from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.villain.observed_share import ASSUMED, COUNTED, TILTED, ObservedShare
from counterplay.opponents.villain.statistics import STATISTICS, WON
from counterplay.opponents.villain.strategy_figures import StrategyFigures
from counterplay.opponents.villain.villain_card import villain_card
from counterplay.opponents.whole_game import strategy_of
from counterplay.poker.whole_game.game_text import read_holdem
from tests.support.commands import Runner

GAME = "holdem:deck=20,stack=8bb,bets=fcpa,buckets=4"


@pytest.mark.parametrize(("k", "n"), [(0, 5), (7, 7), (3, 10), (150, 300)])
def test_the_ends_of_the_interval_are_where_the_test_of_a_share_rejects(k: int, n: int) -> None:
    low, high = ObservedShare(k, n).interval
    for end in {low, high} - {0.0, 1.0}:
        assert abs(k / n - end) / math.sqrt(end * (1.0 - end) / n) == pytest.approx(1.95996398)
    assert low <= k / n <= high


def test_a_figure_says_where_it_is_from() -> None:
    assert ObservedShare().estimate(0.3) == (0.3, ASSUMED)
    assert ObservedShare(2, 5).estimate(0.3) == (pytest.approx((2 + 15 * 0.3) / 20), TILTED)
    assert ObservedShare(8, 40).estimate(0.3) == (0.2, COUNTED)
    assert ObservedShare(30, 100).nearest(0.35) == 0.35


def test_statistics_of_a_strategy_are_those_of_its_hands(tmp_path: Path, run: Runner) -> None:
    """Counted in 500 hands of a match, and computed from reaches on 5 draws of 8 boards, both with their own errors."""
    log = tmp_path / "match.jsonl"
    run("match", GAME, "random:3", "random:3", "--hands", "500", "--log", str(log), "--seed", "5")
    rules, hands = read_holdem(GAME), read_hands([log]).holdem
    figures = StrategyFigures(rules.game, strategy_of(rules.game, "random:3"))
    draws = [figures.figures(8, seed) for seed in range(5)]
    known = {name: fmean(one[name] for one in draws) for name in draws[0]}
    error = {name: stdev(one[name] for one in draws) / math.sqrt(len(draws)) for name in draws[0]}
    cards = [villain_card(hands, name, known) for name in hands[0].players]
    compared = 0
    for pair in zip(*(sorted(card.rows, key=lambda row: row.name) for card in cards), strict=True):
        both = ObservedShare(sum(row.counted.k for row in pair), sum(row.counted.n for row in pair))
        name = pair[0].name
        if name == WON or both.n < 20:
            continue
        share = both.k / both.n
        assert abs(share - known[name]) < 4.0 * math.hypot(math.sqrt(share * (1.0 - share) / both.n), error[name]), name
        compared += 1
    assert compared > 9
    assert cards[0].rows[0].sure == max(row.sure or 0.0 for row in cards[0].rows)


def test_the_command(tmp_path: Path, run: Runner) -> None:
    log, table = tmp_path / "match.jsonl", tmp_path / "card.csv"
    run("match", GAME, "uniform", "passive", "--hands", "40", "--log", str(log))
    words = ["villain", str(log), "--player", "passive"]
    found = run(*words, "--json", "-o", str(table)).json
    assert {row["statistic"] for row in found["rows"]} == set(STATISTICS)
    assert next(row for row in found["rows"] if row["statistic"] == "VPIP button")["k"] == 20  # calls each small blind
    assert table.read_text().count("\n") == 1 + len(STATISTICS)
    assert "fix a frequency" in run(*words, "--game", GAME, "--to", "uniform", "--boards", "1").out
    other = run(*words, "--game", "holdem:stack=20bb,bets=fcpa,buckets=4", "--to", "uniform")
    assert (other.code, "fit the game: 40 hands of another deck" in other.err) == (2, True)
    assert "there are no hands of 'nobody'" in run("villain", str(log), "--player", "nobody").err
    kuhn = ["--hands", str(Path(__file__).parent.parent / "files" / "kuhn-hands.jsonl"), "--player", "uniform"]
    for refused in (["villain", kuhn[1], *kuhn[2:]], ["model", GAME, *kuhn, "--prior", "uniform"]):
        assert "of other games than hold'em" in run(*refused).err
    assert "games in memory" in run("model", GAME, *kuhn, "--by", "convex").err
