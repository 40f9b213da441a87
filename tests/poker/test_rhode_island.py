"""Rhode Island hold'em on public trees, against the game listed card by card."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, RhodeIsland
from counterplay.poker.cards.hand_rank import three_card_ranks
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import CFR_PLUS, minimiser
from tests.support.commands import Runner
from tests.support.covering import covering
from tests.support.rhode_island_rules import RhodeIslandRules, strength


def test_all_hands_are_in_order() -> None:
    hands = np.array(list(combinations(range(52), 3)))
    ranks = three_card_ranks(hands)
    assert len(hands) == 22_100
    assert (np.unique(ranks, return_inverse=True)[1] == _numbered([strength(hand) for hand in hands.tolist()])).all()
    counts = np.bincount(ranks // 13**3)
    assert counts.tolist() == [16_440, 3_744, 1_096, 720, 52, 48]


def _numbered(strengths: list[tuple[Any, ...]]) -> list[int]:
    numbers = {repr(one): k for k, one in enumerate(sorted({repr(one): one for one in strengths}.values()))}
    return [numbers[repr(one)] for one in strengths]


def test_the_public_tree_is_the_game_listed_card_by_card() -> None:
    spec, deck = RhodeIsland(ante=3, small=4, big=7, raises=1), (38, 39, 42, 43, 50, 51)  # two suits of J, Q, A
    cards = replace(spec.cards, deck=deck, hands=spec.cards.hands[list(deck)], weights=np.ones((2, len(deck))))
    tree = public_tree(spec.betting, cards, alike=True)
    assert tree.is_folded
    listed = cp.load(RhodeIslandRules(deck, 1, 3, (4, 7, 7)), say=lambda _: None)
    found = []
    for problem in (tree.subgame, listed.subgame):
        iterates = Iterates(problem, CFR_PLUS)
        gaps = [gap(problem, iterates.average())]
        iterates.advance(40)
        found.append([*gaps, gap(problem, iterates.average())])
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


@pytest.mark.parametrize(("method", "boards"), covering(["cfr+", "dcfr:1.5,0,4"], ["alike", "all"]))
def test_bundled_boards_are_the_boards_one_by_one(boards: str, method: str) -> None:
    """All last boards after one board as one row of lanes, with hands alike once and small matrices for showdowns: the
    iterations of whole arrays, where each hand of each board has its lane."""
    spec, alike = RhodeIsland(deck=12, raises=1 if boards == "all" else 2), boards == "alike"
    tree = public_tree(spec.betting, spec.cards, alike=alike)
    layout = CompactLayout(spec.betting, tree.tables)
    assert layout.bundled
    run, single, half = (CompactRun(layout, minimiser(method), kind) for kind in ("double", "single", "half"))
    whole = Iterates(tree.subgame, minimiser(method))
    for count in (1, 1, 6):
        run.advance(count)
        whole.advance(count)
        wanted = gap(tree.subgame, whole.average())
        assert run.gap() == pytest.approx(wanted, abs=1e-9)
        if run.done <= 2:  # later on rounding decides ties
            for other, tolerance in ((single, 1e-4), (half, 0.02)):
                other.advance(count)
                assert other.gap() == pytest.approx(wanted, abs=tolerance)


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("rhode_island:deck=16", "auto"),
        ("rhode_island:deck=12,raises=2", "dcfr:1.5,0,4,single"),
        ("rhode_island:deck=8,raises=1,boards=all", "cfr+"),
    ],
)
def test_a_solve_in_the_store_gives_plans_of_the_tree(text: str, method: str) -> None:
    """A best response in arrays wins from them as much as is said."""
    game = cp.load(text)
    found = cp.solve(game, solver=method, stop=cp.Stop(exploitability=0.05))
    assert found.solution.method == (METHOD if method == "auto" else method)
    assert found.exploitability <= 0.05
    measured = gap(game.subgame, found.solution.plans)
    assert measured == pytest.approx((found.nash_conv, found.solution.value), abs=1e-8)
    first, second = found.solution.plans
    assert found.value == pytest.approx(game.payoff.value(first[:], second[:]), abs=1e-8)
    if method == "auto":  # so is the equilibrium that opponents and answers ask for
        known = game.equilibrium()
        assert known.exploitability <= game.fine
        assert gap(game.subgame, known.plans)[0] == pytest.approx(known.nash_conv, abs=1e-8)


@cache
def exact_value() -> float:
    """Of the game with eight cards and one raise."""
    return cp.solve(cp.load("rhode_island:deck=8,raises=1"), solver="lp").value


def test_the_text_names_the_game() -> None:
    assert RhodeIsland.from_text("rhode_island:deck=20") == RhodeIsland(deck=20)
    assert str(RhodeIsland(deck=20)) == "rhode_island:deck=20"
    game = cp.load("rhode_island:deck=8,raises=1")
    solved = cp.solve(game, stop=cp.Stop(exploitability=0.01))
    assert solved.exploitability <= 0.01
    assert exact_value() == pytest.approx(solved.value, abs=0.01)
    with pytest.raises(InputError, match="deck is a number of cards"):
        cp.load("rhode_island:deck=7")
    with pytest.raises(InputError, match="not played hand by hand"):
        _ = game.rules


@pytest.mark.parametrize(
    ("accuracy", "agent"), [(0.02, "random:1"), pytest.param(1e-4, "nash", marks=pytest.mark.slow)]
)
def test_hands_are_played_on_all_boards(accuracy: float, agent: str, run: Runner) -> None:
    """The mean of many hands is the value of the strategies, which all boards do not change."""
    text = "rhode_island:deck=8,raises=1,boards=all"
    game = cp.load(text)
    assert str(RhodeIsland.from_text(text)) == text
    solved = cp.solve(game, stop=cp.Stop(exploitability=accuracy))
    assert solved.value == pytest.approx(exact_value(), abs=2.0 * accuracy)
    mine, theirs = (cp.opponent(game, spec, player=seat) for seat, spec in enumerate(("random:1", "uniform")))
    found = run("match", text, "random:1", "uniform", "--hands", "100", "--seed", "1", "--json")
    assert found.code == 0, found.err
    other = cp.opponent(game, "random:1", player=1), cp.opponent(game, "uniform", player=0)
    expected = 0.5 * (game.payoff.value(mine.plan, theirs.plan) - game.payoff.value(other[1].plan, other[0].plan))
    low, high = found.json["interval"]
    assert low - (high - low) <= expected <= high + (high - low)
    player = cp.agent(game, agent, 0)
    assert sum(player.policy("Ah").values()) == pytest.approx(1.0)
    with pytest.raises(InputError, match="street by street are for spots"):
        cp.agent(game, "cdbr:to=uniform", 0)
