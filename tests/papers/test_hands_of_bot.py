"""Shares of the true model's gain at equal exploitability, and models of a bot from its hands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.opponents.counting.terminal_infosets import SHOWN
from counterplay.opponents.counts import EM, FREQUENCIES
from counterplay.opponents.tilting.tilted_model import CATEGORIES, ROWS
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.poker.whole_game.walks.response_on_flops import ALL
from counterplay_papers import bot_hands
from counterplay_papers.bot_hands import (
    COVERED,
    NO_HANDS,
    TRUTH,
    HandsSetting,
    Learned,
    _base,
    gain_at,
    model_of,
    nats,
    restricted,
    search_flops,
    share_in_cards,
    share_of_curve,
)
from counterplay_papers.experiment import Cell
from counterplay_papers.refined_flops import search_all_flops, ses_search
from counterplay_papers.reproductions.models_from_hands import FHP_OPPONENTS, fhp_learned, fhp_rows

POINTS = st.lists(st.tuples(st.floats(0.0, 100.0), st.floats(-50.0, 100.0)), min_size=1, max_size=6)


@example([(0.0, -1e-13), (10.0, 3.0)], 0.0, 1.0)
@given(POINTS, st.floats(0.0, 120.0), st.floats(0.0, 120.0))
def test_the_curve_is_concave_above_all_points_and_rises(
    points: list[tuple[float, float]], one: float, two: float
) -> None:
    def gain(risk: float) -> float:
        found = gain_at(risk, points)
        assert found is not None
        return found

    assert all(gain(risk) >= won - 1e-6 for risk, won in points)
    low, high = sorted((one, two))
    assert 0.0 <= gain(low) <= gain(high) + 1e-9
    assert gain(0.5 * (low + high)) >= 0.5 * (gain(low) + gain(high)) - 1e-6
    assert gain(1e9) == pytest.approx(max(0.0, *(gain for _, gain in points)))


def test_models_from_hands_predict_better_than_none_and_the_truth_best() -> None:
    setting = HandsSetting("holdem:deck=20,stack=10bb,bets=fcpa,last=flop,buckets=4", lambda: "uniform", 20, 4, 150)
    bot = "bias:fold=0.2:random:1"
    found = [nats(setting, Learned(bot, "all", hands)) for hands in (NO_HANDS, 300, TRUTH)]
    assert found == sorted(found)
    assert share_in_cards(setting, Learned(bot, "all", TRUTH)).value == pytest.approx(100.0)
    assert share_in_cards(setting, Learned(bot, "all", 300)).value < 100.0 + 1e-9


def test_the_true_model_as_seen_is_the_bot_with_the_trust_of_its_hands() -> None:
    setting = HandsSetting("holdem:deck=20,stack=10bb,bets=fcpa,last=flop,buckets=4", lambda: "uniform", 20, 4, 150)
    bot = "bias:fold=0.2:uniform"
    known, wide, seen, true = (
        bot_hands.model_of(setting, Learned(bot, "all", hands, by, trust))
        for hands, by, trust in ((200, EM, ROWS), (200, EM, CATEGORIES), (200, COVERED, ROWS), (TRUTH, EM, ROWS))
    )
    assert isinstance(known, ObservedStrategy)
    assert isinstance(wide, ObservedStrategy)
    assert isinstance(seen, ObservedStrategy)
    for place in (0, 1):
        np.testing.assert_array_equal(seen.preflop[place], true.preflop[place])
        np.testing.assert_array_equal(seen.counts.preflop[place], known.counts.preflop[place])
        assert (wide.counts.preflop[place] >= known.counts.preflop[place] - 1e-9).all()
    assert max(table.max() for table in seen.counts.preflop) > 1.0


def test_responses_begin_from_a_blueprint_that_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The blueprint is that of the text, its solve is in the cache and is not done again, and few iterations gain."""
    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    spec = "holdem:deck=20,stack=4bb,bets=a,last=turn,buckets=4"
    setting = HandsSetting(spec, lambda: "", 60, 4, 150, training=300)
    learned = Learned("bias:fold=0.1:blueprint:method=public,iterations=300,buckets=4", "all", TRUTH)
    (found,) = restricted(setting, learned, (0.9,))
    assert found.gain.value > 0.0
    (file,) = (tmp_path / "blueprints").iterdir()
    text = cp.opponent(setting.rules, "blueprint:method=public,iterations=300,buckets=4", player=1)
    base = bot_hands._base(setting)
    for mine, theirs in zip(base.preflop, text.play.preflop, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)
    before = file.read_bytes()
    bot_hands._trained.cache_clear()
    monkeypatch.setattr(PublicSampling, "sample", None)  # it would fail
    np.testing.assert_array_equal(bot_hands._base(setting).preflop[0], base.preflop[0])
    assert file.read_bytes() == before


def test_limit_games_have_models_and_shown_hands_alone_mislead() -> None:
    """In flop hold'em, whose bets are fixed: a hand that folds is not shown, so that shown hands alone say "never folds"."""
    setting = HandsSetting("holdem:flop,deck=20,buckets=4", lambda: "uniform", 20, 4, 150)
    bot = "bias:fold=3:uniform"
    seen = (NO_HANDS, "showdown", EM), (200, "showdown", EM), (TRUTH, "all", EM)
    found = [nats(setting, Learned(bot, reveal, hands, by)) for hands, reveal, by in seen]
    assert found == sorted(found)
    assert nats(setting, Learned(bot, "showdown", 200, FREQUENCIES)) < found[1] - 0.05
    assert nats(setting, Learned(bot, "none", 200, FREQUENCIES)) == found[0]  # no hand is left: the prior


def test_a_search_of_all_flops_wins_what_the_enumerated_measure_says() -> None:
    """And a search that trusts the model more wins more from it."""
    setting = HandsSetting("holdem:flop,deck=12,buckets=4", lambda: "uniform", 20, ALL)
    learned, game = Learned("bias:fold=3:uniform", SHOWN, TRUTH), setting.rules.game
    base, model = _base(setting), model_of(setting, learned)
    found = []
    for alpha in (0.0, 0.9):
        search = ses_search(alpha, 20)
        play = search_all_flops(game, base, 0, model, range(len(game.flops)), search)
        risk = search_flops(setting, learned, search)
        lost = best_response_value(game, play, 1) - best_response_value(game, base, 1)
        assert risk.gain.value == pytest.approx(value(game, play, model) - value(game, base, model), abs=1e-5)
        assert risk.exploitability.value == pytest.approx(lost, abs=1e-5)
        found.append(risk.gain.value)
    assert found[0] < found[1]


def test_rows_of_flop_holdem_are_complete() -> None:
    """Each opponent has a row for each number of hands and sight; estimates that are one are made once."""
    cells = [cell for cell in fhp_rows() if isinstance(cell, Cell)]
    rows = {cell.row for cell in cells}
    assert len(rows) == len(FHP_OPPONENTS) * 3 * 4
    assert len(FHP_OPPONENTS) == 20
    assert all(cell.slow for cell in cells)
    assert fhp_learned("x", "all", 100, FREQUENCIES) == fhp_learned("x", "all", 100, EM)
    assert fhp_learned("x", "none", 100, FREQUENCIES) == fhp_learned("x", "none", 1000, FREQUENCIES)
    assert fhp_learned("x", "showdown", 100, FREQUENCIES) != fhp_learned("x", "showdown", 100, EM)


def test_a_share_of_nothing_is_no_number() -> None:
    truth, found = ["safe", "bold"], {"gain": [1.0, 4.0, 6.0], "exploitability": [0.0, 2.0, 9.0]}
    assert share_of_curve(truth, found) is None
    assert share_of_curve(truth, {**found, "exploitability": [-1.0, 2.0, 9.0]}) is None
    assert share_of_curve(truth, {"gain": [1.0, 2.0, 6.0], "exploitability": [-1.0, -1.0, 9.0]}) == 50.0
    assert share_of_curve(truth, {**found, "exploitability": [2.0, 2.0, 9.0]}) == 25.0
    assert share_of_curve(truth, {name: numbers[1:] for name, numbers in found.items()}) is None
