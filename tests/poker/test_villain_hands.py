"""The hands behind the numbers of a villain card, how much of a spot they cover, and what their bets become in a tree."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.cli import main
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.read_hands import read_hands
from counterplay.opponents.tilting.mapped_hands import map_hands
from counterplay.opponents.villain.seen_decisions import STATISTICS, places_of
from counterplay.opponents.villain.villain_card import (
    GUESSED,
    LITTLE,
    SEEN,
    hand_steps,
    hands_behind,
    map_sizes,
    statistics_named,
    villain_card,
    villain_coverage,
)
from counterplay.poker.betting.state import Kind
from counterplay.poker.spots.solution import odds_of
from counterplay.poker.whole_game.rules import read_holdem
from tests.support.commands import Runner
from tests.support.page import SPOT

GAME = "holdem:deck=20,stack=10bb,bets=fcpa,buckets=4"
OTHER = "holdem:deck=20,stack=10bb,bets=[33%, a],buckets=4"
PLAYER = "random:3"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hands") / "match.jsonl"
    command = f"match {GAME} {PLAYER} random:4 --hands 200 --log {path} --seed 5"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["counterplay", *command.split()])
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code in (None, 0)
    return path


@pytest.fixture(scope="module")
def hands(log: Path) -> tuple[HoldemHand, ...]:
    return read_hands([log]).holdem


@pytest.fixture(scope="module")
def solved() -> cp.SolvedSpot:
    return cp.solve_spot(cp.Spot(**SPOT), iterations=50)


def test_the_hands_behind_a_figure_are_those_that_it_counts(hands: tuple[HoldemHand, ...]) -> None:
    for row in villain_card(hands, PLAYER).rows:
        behind = hands_behind(hands, PLAYER, row.name)
        assert (behind.counted.k, behind.counted.n) == (row.counted.k, row.counted.n)
        assert behind.what == (row.name,)
        for one in behind.decisions:
            step = one.facts["steps"][one.step] if one.step < len(one.hand.line.steps) else None
            assert one.hand.players[one.seat] == PLAYER
            if row.name.startswith("fold"):
                assert step is not None
                assert (step["action"] == "fold") == one.hit


def test_each_decision_after_the_flop_has_one_place(hands: tuple[HoldemHand, ...]) -> None:
    seen = Counter(
        (hand.place.line, number)
        for hand in hands
        for number, (state, _) in enumerate(hand.line.steps)
        if state.street and state.kind <= Kind.PLAYER1 and hand.players[state.kind] == PLAYER
    )
    found = [hands_behind(hands, PLAYER, str(place)) for place in places_of(range(1, 4))]
    assert Counter((one.hand.place.line, one.step) for behind in found for one in behind.decisions) == seen
    assert sum(row.n for row in villain_coverage(hands, PLAYER).places) == seen.total() > 50


def test_a_statistic_is_named_as_on_the_card_or_with_hyphens() -> None:
    assert statistics_named("fold-to-cbet-flop") == ("fold to c-bet flop",)
    assert len(statistics_named("fold-to-cbet")) == 3
    assert statistics_named("W$SD") == ("W$SD",)
    assert all(statistics_named(name) == (name,) for name in STATISTICS)
    with pytest.raises(cp.InputError, match="no statistic or place 'luck'"):
        hands_behind((), PLAYER, "luck")
    with pytest.raises(cp.InputError, match="no statistic or place"):
        hands_behind((), PLAYER, "facing a bet")  # of no street


def test_a_told_hand_adds_up(hands: tuple[HoldemHand, ...]) -> None:
    """The pot before each step is what both have put in; a deal shows its board; who folds loses what they have put in."""
    for hand in hands:
        told = hand_steps(hand)
        for step in (*told["steps"], told["end"]):
            assert step["pot"] == sum(step["put"])
            assert step["board"] == told["board"][: len(step["board"])]
        last = told["steps"][-1]
        if last["action"] == "fold":
            lost = last["put"][last["seat"]]
            assert hand.won == (-lost if last["seat"] == 0 else lost)


def test_the_coverage_of_a_spot_adds_up_to_all_decisions(hands: tuple[HoldemHand, ...], solved: cp.SolvedSpot) -> None:
    """Odds of nodes against a sum over all pairs of hands."""
    betting, root = solved.tree.betting, solved.node("")
    assert odds_of(solved, 0) == pytest.approx(1.0)
    checks = np.nan_to_num(root.probabilities[:, root.actions.index("check")])
    cards = [set(hand) for hand in solved.spot.deck.hands.tolist()]
    held = [np.flatnonzero(weights > 0.0) for weights in root.ranges]
    pairs = [(i, j) for i in held[0].tolist() for j in held[1].tolist() if not cards[i] & cards[j]]
    odds = np.array([root.ranges[0][i] * root.ranges[1][j] for i, j in pairs])
    checked = float(odds @ [checks[i] for i, _ in pairs]) / float(odds.sum())
    places = villain_coverage(hands, PLAYER, solved, 1)
    by_name = {str(one.place): one for one in places.places}
    after_check = next(n for n in range(betting.nodes) if betting.path(n) == "check")
    assert odds_of(solved, after_check) == pytest.approx(checked)
    assert sum(one.share or 0.0 for one in places.places) == pytest.approx(1.0)
    assert sum(places.share(basis) or 0.0 for basis in (SEEN, LITTLE, GUESSED)) == pytest.approx(1.0)
    for name, one in by_name.items():
        assert one.n == hands_behind(hands, PLAYER, name, seat=1).counted.n
    none = villain_coverage((), PLAYER, solved, 1)
    assert none.share(GUESSED) == pytest.approx(1.0)
    with pytest.raises(cp.InputError, match="seat"):
        villain_coverage(hands, PLAYER, solved)


def test_sizes_are_mapped_as_the_model_s_hands_are(hands: tuple[HoldemHand, ...]) -> None:
    for text, differs in ((GAME, False), (OTHER, True)):
        game = read_holdem(text).game
        whole, sizes = map_hands(game, hands, PLAYER), map_sizes(game.betting, hands, PLAYER)
        assert sum(one.n for one in sizes) == whole.bets > 20
        assert sum(one.mapped for one in sizes) == whole.mapped
        assert (whole.mapped > 0) == differs
    tree = cp.Spot(**SPOT | {"stack": 300}).betting  # 50 % and all-in, which is 300 %
    bets = [one for one in map_sizes(tree, hands, PLAYER) if one.kind == "bet"]
    assert {(one.street, one.to) for one in bets} == {(3, "50 %"), (3, "all-in")}
    for one in bets:
        assert sum(count for _, count in one.sizes) == one.n
        assert one.mapped == one.n - dict(one.sizes).get(one.to, 0)


def test_the_command_shows_hands_coverage_and_sizes(
    log: Path, solved: cp.SolvedSpot, tmp_path: Path, run: Runner
) -> None:
    words = ["villain", str(log), "--player", PLAYER]
    found: Any = run(*words, "--show", "fold-to-cbet", "--json").json
    assert found["n"] == len(found["decisions"])
    lines = run(*words, "--show", "fold-to-cbet").out.splitlines()
    assert lines[0].endswith(f"{found['k']} / {found['n']}")
    assert sum("[fold]" in line for line in lines) == found["k"]
    file = tmp_path / "river.spot"
    solved.save(file)
    report = run(*words, "--spot", str(file), "--seat", "ip", "--json").json
    assert report["coverage"]["seen"] + report["coverage"]["little"] + report["coverage"]["guessed"] == pytest.approx(
        1.0
    )
    assert "that is guessed" in run(*words, "--spot", str(file), "--seat", "ip").out
    assert "--spot needs --seat" in run(*words, "--spot", str(file)).err
    assert "oop or ip" in run(*words, "--seat", "button").err
