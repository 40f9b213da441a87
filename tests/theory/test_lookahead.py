"""Depth-limited responses: the published table, the worked example, and the theorems that tie them to BR and RNR."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE
from counterplay.gametree.compile.levels import history_levels, lane_levels
from tests.support.covering import covering

GAMES = ("kuhn", "leduc:merged=true", "goofspiel:4", "liars_dice:1,3", "cdrnr_fig10")


@cache
def load(spec: str) -> cp.GameTree:
    return cp.load(spec)


@pytest.mark.parametrize(
    ("spec", "gain", "shares"),
    [
        ("leduc", 2.173106, {1: 74.4, 3: 96.0, 5: 97.1}),
        ("goofspiel:4", 2.5, {1: 98.5, 3: 100.0, 5: 100.0}),
        ("goofspiel:5", 4.0, {1: 93.5, 3: 100.0, 5: 100.0}),
    ],
)
def test_table_1_of_the_cdrnr_paper(spec: str, gain: float, shares: dict[int, float]) -> None:
    """Percent of the best response's gain against the uniform player, as printed."""
    game = load(spec)
    model = cp.opponent(game, "uniform", player=1)
    assert cp.respond(game, model).gain == pytest.approx(gain, abs=5e-7)
    for depth, share in shares.items():
        answer = cp.respond(game, model, method="cdbr", depth=depth)
        assert 100.0 * answer.gain / gain == pytest.approx(share, abs=0.05)


def test_figure_10_looking_ahead_less_than_needed() -> None:
    """Against h with 2/3 and always x: best response 10/3, an equilibrium 2, CDBR with the cut before x/y 2/3."""
    game = load("cdrnr_fig10")
    labels = game.trees[1].labels
    table = {}
    for infoset, actions in zip(labels.infosets, labels.actions, strict=True):
        table[infoset] = {"h": 2 / 3, "t": 1 / 3} if set(actions) == {"h", "t"} else {"x": 1.0, "y": 0.0}
    model = cp.Strategy.from_table(game.trees[1], table)
    won = {
        "br": cp.respond(game, model).value_against_model,
        "cdbr": cp.respond(game, model, method="cdbr", depth=1).value_against_model,
        "far": cp.respond(game, model, method="cdbr", depth=2).value_against_model,
    }
    assert won == pytest.approx({"br": 10 / 3, "cdbr": 2 / 3, "far": 10 / 3}, abs=1e-9)
    nash = cp.solve(game).strategies[0]
    assert cp.evaluate(game, nash, against=model).value_against_model == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "opponent", "seat"),
    covering(GAMES, ("uniform", "random:3", "cfr+:5"), (0, 1)),
)
def test_theorems(spec: str, opponent: str, seat: int) -> None:
    """Gain is never negative; exploitability is at most gain p/(1-p); without a limit CDBR is BR and CDRNR is RNR; and a
    limited look-ahead never beats RNR's objective."""
    game = load(spec)
    model = cp.opponent(game, opponent, player=1 - seat)
    deep, tiny = 100, 1e-7 * game.span
    best = cp.respond(game, model)
    assert cp.respond(game, model, method="cdbr", depth=deep).gain == pytest.approx(best.gain, abs=tiny)
    for depth in (1, 2):
        assert cp.respond(game, model, method="cdbr", depth=depth).gain >= -tiny
        for p in (0.3, 0.7):
            answer = cp.respond(game, model, method="cdrnr", p=p, depth=depth)
            whole = cp.respond(game, model, method="rnr", p=p)
            assert answer.gain >= -tiny
            assert answer.exploitability <= answer.gain * p / (1.0 - p) + 10.0 * tiny
            assert _objective(answer, p) <= _objective(whole, p) + 10.0 * tiny
    whole, unlimited = (
        cp.respond(game, model, method=method, p=0.5, depth=depth) for method, depth in (("rnr", None), ("cdrnr", deep))
    )
    assert _objective(unlimited, 0.5) == pytest.approx(_objective(whole, 0.5), abs=10.0 * tiny)


def _objective(answer: cp.Answer, p: float) -> float:
    return p * answer.gain - (1.0 - p) * answer.exploitability


@pytest.mark.parametrize("spec", GAMES)
def test_full_trust_makes_cdrnr_cdbr(spec: str) -> None:
    game = load(spec)
    model = cp.opponent(game, "random:5", player=1)
    for depth in (1, 2, 3):
        sides = (("cdbr", None), ("cdrnr", 1.0))
        first, second = (cp.respond(game, model, method=method, p=p, depth=depth) for method, p in sides)
        np.testing.assert_array_equal(first.strategy.behaviour, second.strategy.behaviour)


def test_no_trust_makes_cdrnr_an_equilibrium() -> None:
    game = load("leduc:merged=true")
    model = cp.opponent(game, "uniform", player=1)
    answer = cp.respond(game, model, method="cdrnr", p=0.0, depth=1)
    assert answer.exploitability == pytest.approx(0.0, abs=1e-7)


def test_a_requested_exploitability_is_kept() -> None:
    game = load("leduc:merged=true")
    model = cp.opponent(game, "uniform", player=1)
    for method in ("cdrnr", "cdbr-ne"):
        answer = cp.respond(game, model, method=method, max_exploitability=0.2, depth=1)
        assert 0.0 < answer.exploitability <= 0.2 + 1e-8
        assert answer.gain > 0.7


def test_levels_count_public_chance_but_not_deals() -> None:
    """In Leduc the two deals add no level, and every move and the board card add one."""
    game = load("leduc")
    levels, table = history_levels(game), game.histories
    for history in range(0, len(table), 37):
        path, at = [], history
        while at:
            at = int(table.parent[at])
            path.append(int(table.player[at]))
        if table.player[history] != cp.TERMINAL:
            assert levels[history] == len(path) - min(2, path.count(CHANCE))  # the third event of chance is the card


def test_every_infoset_has_one_level() -> None:
    game = load("goofspiel:4")
    for player in (0, 1):
        levels = lane_levels(game, player)
        assert set(levels[levels >= 0].tolist()) == set(range(player, 6, 2))


@pytest.mark.parametrize(
    "words",
    [{"method": "cdbr", "depth": 0}, {"method": "br", "depth": 1}, {"method": "cdrnr", "depth": 1}],
)
def test_mistakes(words: dict) -> None:
    game = load("kuhn")
    with pytest.raises(cp.InputError, match=r"depth|needs either p"):
        cp.respond(game, cp.opponent(game, "uniform"), **words)
