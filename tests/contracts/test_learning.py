"""Learning: it goes on where it was interrupted, to the same bits; without torch it is refused in one sentence."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import SolvedValue
from counterplay.learning import learn_value as learning
from counterplay.learning.hand_response import HandSettings, learn_hand_response
from counterplay.learning.learn_by_play import RESPONSE, SELF_PLAY, learn_by_self_play, learn_response, measure_response
from counterplay.learning.learn_policy import PolicySettings, learn_policy, nash_conv
from counterplay.learning.learn_public_value import PublicSettings, learn_public_value
from counterplay.learning.learn_value import (
    BorderValues,
    ValueSamples,
    learn_value,
    measure_network,
    used_places,
)
from counterplay.learning.recipe import stage
from counterplay.learning.settings import ValueSettings
from counterplay.learning.torch_layers import check_torch
from counterplay.networks.value_network import load_value_network
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.whole_game.boards.board import RunOutDraws
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.learned_hands import LearnedHands
from counterplay.poker.whole_game.strategy import uniform
from counterplay.poker.whole_game.values.measure import value
from counterplay.work.work_record import WorkRecord

SMALL = ValueSettings("kuhn", "1", samples=600, asked=100, solver="cfr+:50", width=8, layers=1, epochs=3)


@pytest.mark.parametrize("piece", [600, pytest.param(6000, marks=pytest.mark.slow)])
def test_samples_are_solutions_scaled_to_ranges_that_sum_to_one(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row is an exact solution of its public state, up to the solver's error: both claims cancel."""
    monkeypatch.setattr(BorderValues, "piece", piece)
    recipe = BorderValues(SMALL)
    found = stage(recipe).compute("samples 1")
    assert found["inputs"].sum(axis=1) == pytest.approx(2.0, abs=1e-5)
    assert (found["inputs"] * found["targets"]).sum(axis=1) == pytest.approx(0.0, abs=1e-3)
    border, rows = recipe.borders[0], recipe.states.rows(recipe.borders[0])
    evaluate = SolvedValue().at(border)
    for inputs, targets in zip(found["inputs"][:20], found["targets"][:20], strict=True):
        held = [rows.collect(i, part) for i, part in enumerate(np.split(inputs[None], [rows.widths[0]], axis=1))]
        claim = held[0] @ evaluate(*held)[0] / rows.chance[0]
        assert inputs[: rows.widths[0]] @ targets[: rows.widths[0]] == pytest.approx(claim, abs=1e-3)


@pytest.mark.parametrize("piece", [1500, pytest.param(6000, marks=pytest.mark.slow)])
def test_samples_are_as_many_of_each_kind(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Goofspiel 3 has kinds of one to three public states; each solution of a border is a sample of one of each."""
    monkeypatch.setattr(BorderValues, "piece", piece)
    settings = ValueSettings("goofspiel:3", "1", samples=600, asked=0, solver="cfr+:20")
    recipe = BorderValues(settings)
    known = recipe.states
    states = [np.bincount(known.rows(border).kinds, minlength=known.count) for border in recipe.borders]
    assert np.ptp(sum(states)) > 0
    counts = np.bincount(stage(recipe).compute("samples 1")["kinds"], minlength=known.count)
    assert counts.min() > 0.95 * counts.max()
    rows, rng = known.rows(recipe.borders[-1]), np.random.default_rng(0)
    met = sum(rows.some_of_each_kind(rng).astype(int) for _ in range(300))
    mean = 300.0 * rows.of_each_kind / np.bincount(rows.kinds)[rows.kinds]
    assert (abs(met - mean) < 60).all()


def test_unused_places_of_a_kind_have_no_part_in_the_fit() -> None:
    """A kind with fewer infosets than the widest has places that none of its ranges reaches."""
    inputs = np.array([[0.5, 0.5, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.3, 0.7]], np.float32)
    samples = ValueSamples(np.array([0, 0, 1], np.int32), inputs, np.zeros((3, 4), np.float32))
    assert used_places(samples, 2).tolist() == [[1, 1, 1, 0], [1, 0, 1, 1]]


def test_each_round_asks_over_the_network_of_the_one_before(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    settings = replace(SMALL, rounds=2, responses=True)
    record = WorkRecord(tmp_path / "kuhn.work", settings.identity())
    net = learn_value(settings, record=record)
    assert [name for name in record.results if name.startswith(("network", "asked"))] == [
        "network 1", "asked 1", "network 2", "asked 2", "network 3",
    ]  # fmt: skip
    asked = [len(record.results[f"asked {k}"]["kinds"]) for k in (1, 2)]
    assert min(asked) > 0
    drawn = sum(len(found["kinds"]) for name, found in record.results.items() if name.startswith("samples"))
    assert net.about["samples"] == drawn + sum(asked)


def test_best_responses_ask_at_the_ranges_of_weak_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each asks of both seats' players what their own strategy brings to the border, whatever the responder does; records of
    other searches stay readable."""
    kuhn, net = cp.load("kuhn"), load_value_network(Path("tests/files/kuhn.cpn"))
    met: list[cp.Strategy] = []

    def remembered(game: cp.GameTree, source: str, player: int, **options: Any) -> cp.Strategy:
        met.append(cp.opponent(game, source, player, **options))
        return met[-1]

    monkeypatch.setattr(learning, "opponent", remembered)
    asked = 0
    for border, ranges in learning.respond_and_record(kuhn, net, 0, 400, np.random.default_rng(1)):
        assert len(ranges) > 1
        for both in ranges:
            assert both[met[-1].player] == pytest.approx(border.range(met[-1].player, met[-1].plan), abs=1e-12)
        asked += len(ranges)
    assert asked >= 80
    assert [one.player for one in met] == [1, 1, 0, 0, 1, 1, 0, 0]
    assert replace(SMALL, responses=True).identity() != SMALL.identity()


def test_learning_needs_torch_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(cp.InputError, match="training needs torch: pip install"):
        check_torch()


def test_learning_goes_on_from_its_record(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "kuhn.work"
    whole = learn_value(SMALL, record=WorkRecord(path, SMALL.identity()))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    again = learn_value(SMALL, record=WorkRecord(path, SMALL.identity()))
    for one, other in zip(whole.network, again.network, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    about = measure_network(again, cp.load("kuhn")).about
    assert about["errors"]["gap"] < 1e-6


def test_learning_by_public_states_goes_on_from_its_record(tmp_path: Path) -> None:
    """What look-aheads over the first network ask for is learned in a second round, and no game below is large."""
    pytest.importorskip("torch")
    settings = PublicSettings(
        "leduc:2,2,cap=1", "round", samples=100, asked=12, solver="cfr+:50", width=8, layers=1, epochs=3
    )
    path = tmp_path / "leduc.work"
    whole = learn_public_value(settings, record=WorkRecord(path, settings.identity()))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    again = learn_public_value(settings, record=WorkRecord(path, settings.identity()))
    for one, other in zip(whole.network, again.network, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    assert whole.about == again.about
    assert whole.about["errors"]["held out"] >= 100


def test_rounds_of_look_aheads_reach_games_that_are_too_large_to_solve() -> None:
    """Only after the highest bids of liar's dice do at most 12 histories follow."""
    pytest.importorskip("torch")
    known = []
    for rounds in (0, 1):
        settings = PublicSettings(
            "liars_dice:1,3", "1", 60, 20, "cfr+:50", width=8, layers=1, epochs=2, rounds=rounds, largest=12
        )
        known.append(learn_public_value(settings).seen[1].sum())
    assert known[0] < known[1]


def test_a_policy_is_copied_to_the_same_bits(kuhn: cp.GameTree) -> None:
    pytest.importorskip("torch")
    settings = PolicySettings("pdcfr+:500", width=32, layers=1, steps=1200)
    first, again = learn_policy(kuhn, settings), learn_policy(kuhn, settings)
    assert all((a == b).all() for a, b in zip(first.network.weights, again.network.weights, strict=True))
    assert first.about["figures"]["NashConv"] == pytest.approx(nash_conv(kuhn, first))
    assert nash_conv(kuhn, first) < 0.2


@pytest.mark.parametrize("what", ["copy", "self-play", "response"])
def test_a_policy_goes_on_from_its_record_to_the_same_bits(kuhn: cp.GameTree, tmp_path: Path, what: str) -> None:
    """The record is cut between two states, as when the process is killed, and the last line torn."""
    pytest.importorskip("torch")
    rules: Any = kuhn.rules
    copied = PolicySettings("pdcfr+:500", width=24, layers=1, steps=60)
    played = replace(SELF_PLAY if what == "self-play" else RESPONSE, rounds=60, decisions=64, width=16, layers=1)
    path, identity = tmp_path / "kuhn.work", {"learned": what}

    def learn() -> Any:
        record = WorkRecord(path, identity)
        if what == "copy":
            return learn_policy(kuhn, copied, record=record)
        if what == "self-play":
            return learn_by_self_play(rules, played, measure=lambda net: nash_conv(kuhn, net), record=record)
        return learn_response(rules, 0, "uniform", played, record=record)

    whole = learn()
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) > 20
    path.write_bytes(b"".join(lines[:9]) + lines[9][:100])
    again = learn()
    assert len(path.read_bytes().splitlines()) < len(lines) + 3
    for one, other in zip(whole.network, again.network, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    assert whole.about == again.about
    done = path.read_bytes()
    assert learn().about == whole.about
    assert path.read_bytes() == done


def test_a_policy_does_not_go_on_from_another_network(kuhn: cp.GameTree, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path, settings = tmp_path / "kuhn.work", PolicySettings("uniform", width=8, layers=1, steps=3)
    learn_policy(kuhn, settings, record=WorkRecord(path))
    with pytest.raises(cp.InputError, match="cannot go on: the record holds a state of another training"):
        learn_policy(kuhn, replace(settings, width=9), record=WorkRecord(path))


def test_a_response_wins_nearly_all_that_can_be_won(kuhn: cp.GameTree) -> None:
    pytest.importorskip("torch")
    rules: Any = kuhn.rules
    settings = replace(RESPONSE, rounds=150, decisions=512, width=32, layers=1)
    for seat in (0, 1):
        found = measure_response(kuhn, learn_response(rules, seat, "uniform", settings)).about["figures"]
        assert 0.9 * found["best response"] < found["value"] <= found["best response"] + 1e-9


def test_self_play_comes_closer_to_an_equilibrium(kuhn: cp.GameTree) -> None:
    pytest.importorskip("torch")
    rules: Any = kuhn.rules
    settings = replace(SELF_PLAY, rounds=400, decisions=512, passes=3, follow=0.05, width=32, layers=1)
    looks = learn_by_self_play(rules, settings, measure=lambda net: nash_conv(kuhn, net)).about["looks"]
    assert len(looks) == 10
    assert looks[-1][1] < 0.6 * looks[0][1]


def test_inputs_that_no_sample_uses_do_not_stop_the_training() -> None:
    """Their rows of the gradient are 0, and half of such matrices have no eigenvectors by LAPACK in float32."""
    torch: Any = pytest.importorskip("torch")
    from counterplay.learning.torch_layers import RotatedAdam, tensor_of

    for seed in range(20):
        parameter = torch.zeros(90, 80, requires_grad=True)
        update, draw = RotatedAdam(parameter), torch.Generator().manual_seed(seed)
        parameter.grad = torch.zeros(90, 80)
        parameter.grad[::12] = 0.1 * torch.randn(8, 80, generator=draw)
        update.step(0.01)
        for basis in update.state()["bases"]:
            turned = np.asarray(tensor_of(basis))
            assert turned.T @ turned == pytest.approx(np.eye(len(turned)), abs=1e-4)
        assert torch.isfinite(parameter).all()


def test_a_record_of_a_response_knows_the_opponent_by_its_play() -> None:
    """And not by the name of its file, which may move or change."""
    rules: Holdem = cp.load("holdem:deck=20,stack=4bb,bets=fcpa")
    game, settings = rules.game, HandSettings(rules.name, "one.cpb")
    plays = [uniform(game), strategy_of(game, "uniform"), strategy_of(game, "bias:fold=2:uniform")]
    known = [settings.identity(game, play) for play in plays]
    assert replace(settings, to="moved.cpb").identity(game, plays[0]) == known[0] == known[1] != known[2]


@pytest.mark.slow
def test_a_response_in_hold_em_wins_after_few_boards() -> None:
    """From a player who acts at random, in both seats together; what it begins with wins nothing."""
    pytest.importorskip("torch")
    rules: Holdem = cp.load("holdem:deck=20,stack=4bb,bets=fcpa")
    game, theirs = rules.game, uniform(rules.game)
    settings = HandSettings("holdem:deck=20,stack=4bb,bets=fcpa", "uniform", boards=12)
    found = LearnedHands.of(game, learn_hand_response(rules, theirs, settings))
    draws = RunOutDraws(game.boards, game.last, 99)
    won = [value(game, found, theirs, draws[k]) - value(game, theirs, found, draws[k]) for k in range(20)]
    assert np.mean(won) > 4.0 * np.std(won) / np.sqrt(len(won))
