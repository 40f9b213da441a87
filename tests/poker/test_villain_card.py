"""The villain card: statistics counted in hands are those that reaches in the betting tree give."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy.stats import binom

from counterplay.opponents.histories.hand_logs import hand_of_line
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.histories.replay import read_cards
from counterplay.opponents.opponent import strategy_of
from counterplay.opponents.villain.seen_decisions import (
    ASSUMED,
    COUNTED,
    LATER,
    STATISTICS,
    TILTED,
    WON,
    ObservedShare,
    StrategyFigures,
)
from counterplay.opponents.villain.villain_card import CardRow, VillainCard, hands_behind, villain_card
from counterplay.poker.betting.line_notation import ACPC
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.whole_game.rules import read_holdem
from tests.support.commands import Runner

GAME = "holdem:deck=20,stack=8bb,bets=fcpa,buckets=4"


@pytest.mark.parametrize(("k", "n"), [(0, 5), (7, 7), (3, 10), (150, 300)])
def test_the_ends_of_the_interval_are_where_the_test_of_a_share_rejects(k: int, n: int) -> None:
    low, high = ObservedShare(k, n).interval
    for end in {low, high} - {0.0, 1.0}:
        assert abs(k / n - end) / math.sqrt(end * (1.0 - end) / n) == pytest.approx(1.95996398)
    assert low <= k / n <= high


@pytest.mark.parametrize("n", [5, 20, 100, 300])
def test_wilsons_interval_holds_the_true_share_in_95_of_100_samples_on_average(n: int) -> None:
    """Exact, by the binomial distribution, over shares from 5 to 95 %."""
    shares = np.linspace(0.05, 0.95, 181)
    held = np.zeros(len(shares))
    for k in range(n + 1):
        low, high = ObservedShare(k, n).interval
        held += binom.pmf(k, n, shares) * ((low <= shares) & (shares <= high))
    assert 0.94 < held.mean() < 0.96


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
    assert "after the flop" in run(*words, "--game", GAME, "--to", "uniform", "--boards", "1").out
    other = run(*words, "--game", "holdem:stack=20bb,bets=fcpa,buckets=4", "--to", "uniform")
    assert (other.code, "fit the game: 40 hands of another deck" in other.err) == (2, True)
    assert "there are no hands of 'nobody'" in run("villain", str(log), "--player", "nobody").err
    kuhn = ["--hands", str(Path(__file__).parent.parent / "files" / "kuhn-hands.jsonl"), "--player", "uniform"]
    for refused in (["villain", kuhn[1], *kuhn[2:]], ["model", GAME, *kuhn, "--prior", "uniform"]):
        assert "of other games than hold'em" in run(*refused).err
    assert "games in memory" in run("model", GAME, *kuhn, "--by", "convex").err


def _hand(betting: str, cards: str, won: float | None = None) -> HoldemHand:
    """A hand in which moss has the button: blinds 1 and 2, stacks of 200."""
    rules = BettingRules((200, 200), blinds=(2, 1))
    line, holes, board, result = hand_of_line(rules, betting, cards, won, ACPC)
    return HoldemHand(("fern", "moss"), rules, line, holes, board, result)


def _counted(hands: list[HoldemHand], player: str, name: str) -> tuple[int, int]:
    row = next(row for row in villain_card(hands, player).rows if row.name == name)
    return row.counted.k, row.counted.n


SHOWDOWN, BOARD = "cc/cr4c/cc/cc", "/3c8dQs/5h/2d"


@pytest.mark.parametrize(("won", "fern", "moss"), [(-4.0, 0, 1), (4.0, 1, 0), (0.0, 1, 1), (-0.2, 1, 1)])
def test_who_collected_counts_at_showdown_whoever_showed(won: float, fern: int, moss: int) -> None:
    """Nobody's cards are known, or one's or both's; a share of a raked pot is collected, too."""
    hand = replace(_hand(SHOWDOWN, "|" + BOARD), won=won)
    shown = ("Ah", "Qd"), ("8h", "9h")
    for holes in (((), ()), ((), shown[0]), (shown[1], ()), shown):
        read = replace(hand, holes=tuple(tuple(read_cards("".join(one))) for one in holes))
        assert _counted([read], "fern", "W$SD") == (fern, 1)
        assert _counted([read], "moss", "W$SD") == (moss, 1)
        assert _counted([read], "moss", "WTSD") == (1, 1)
        assert villain_card([read], "moss").unknown == 0


def test_a_showdown_of_unknown_result_is_left_out_and_counted() -> None:
    hands = [_hand(SHOWDOWN, "|" + BOARD), replace(_hand(SHOWDOWN, "|" + BOARD), won=4.0), _hand("cr6f", "|")]
    card = villain_card(hands, "moss")
    assert (_counted(hands, "moss", "W$SD"), card.unknown) == ((0, 1), 1)
    assert "W$SD leaves out 1 of the showdowns: the files do not say who collected." in card.notes
    assert card.facts["unknown_showdowns"] == 1


@pytest.mark.parametrize(
    ("betting", "pfr", "vpip"),
    [
        ("f", 0, 0), ("r6f", 1, 1), ("r6r18f", 1, 1), ("cr6f", 0, 1), ("cr6r18f", 1, 1), ("cr6r18r40r80f", 1, 1),
        ("cr6c/cr10f", 0, 1),
    ],
)  # fmt: skip
def test_who_raises_before_the_flop_at_any_decision_counts_once_in_pfr(betting: str, pfr: int, vpip: int) -> None:
    """As trackers count: hands with a raise before the flop, of all hands with a decision there."""
    hand = _hand(betting, "|" + ("/3c8dQs" if "/" in betting else ""))
    assert _counted([hand], "moss", "PFR button") == (pfr, 1)
    assert _counted([hand], "moss", "VPIP button") == (vpip, 1)
    behind = hands_behind([hand], "moss", "PFR button")
    assert (behind.counted.k, behind.counted.n) == (pfr, 1)


def test_a_walk_counts_in_no_statistic_of_the_big_blind() -> None:
    for name in ("VPIP big blind", "PFR big blind"):
        assert _counted([_hand("f", "|")], "fern", name) == (0, 0)


def test_the_docs_define_every_statistic() -> None:
    text = (Path(__file__).parents[2] / "docs" / "hands.md").read_text()
    rows = [
        line.split("|")[1:4]
        for line in text.split("### What each statistic counts")[1].split("\n## ")[0].splitlines()
        if line.startswith("| ")
    ]
    defined = {name.strip(): (among.strip(), hit.strip()) for name, among, hit in rows[1:]}
    assert set(STATISTICS) == {
        name.replace("STREET", street) for name in defined for street in (LATER if "STREET" in name else ("",))
    }
    assert all(all(words) for words in defined.values())


@pytest.mark.parametrize(
    ("k", "n", "said"),
    [
        (1, 2, "No frequency after the flop has 20 observations; the most is 2, and half are wider than"),
        (150, 300, "Of the frequencies after the flop with 20 observations half are known to ±6 points or better."),
        (50_000, 100_000, "half are known to ±1 point or better."),
    ],
)
def test_the_card_says_what_few_and_many_hands_tell(k: int, n: int, said: str) -> None:
    row = CardRow("c-bet flop", ObservedShare(k, n), None, k / n, COUNTED, 1.0, None, None)
    assert any(said in note for note in VillainCard("moss", n, (row,)).notes)
    assert VillainCard("moss", n, ()).notes == ()
