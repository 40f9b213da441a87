"""Models of the opponent are records: their texts are the shell's notation of them, and old texts mean what they meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import counterplay as cp
from counterplay.opponents import REGISTRY
from counterplay.opponents.given_strategy import GivenStrategy
from counterplay.opponents.model import MODELS
from tests.support.drawn_opponents import METHODS, MODEL
from tests.support.opponent_texts import TEXTS
from tests.support.theorems import GameOf

RIVER = cp.Spot("Qs Jh 2h 8d 3c", "QQ,KQs,T9s,76s", "JJ,AQs,98s,65s", 100, 200, "75%, a", raises=2)  # type: ignore[arg-type]
GOLDEN = [
    ("leduc", "random:7,0.2", 1, 0.014767533996972408),
    ("leduc", "cfr+:10", 1, 8.217565961425034),
    ("leduc", "dcfr:1,0,2:10", 0, 0.3486311976149532),
    ("leduc", "cfr:simultaneous:10", 1, 4.357095938875796),
    ("leduc", "pcfr+:10,current,simultaneous", 0, -7.157435576236658),
    ("leduc", "noise:0.2:random:3", 1, -4.956415697402144),
    ("leduc", "shuffle:0.7,4:cfr+:10", 1, 7.303999888357335),
    ("leduc", "observed:50,3:cfr+:10", 0, 6.652034736634981),
    ("leduc", "noise:0.1:shuffle:0.5,1:observed:100:random:2", 1, -1.1033645805790004),
    ("leduc", "br:noise:0.5:br:random:1", 1, 15.56654413761572),
    ("leduc", "noise:0.1:s1", 0, -1.0677563286830676),
    ("leduc", "bias:fold=10,call=0.5:random:1", 1, 5.784251160552302),
    ("leduc", "random", 0, -12.786759428576277),
    ("battleships:2,2,1x1", "last:A1,0.5", 1, 0.4148006132272099),
    ("battleships:2,2,1x1", "noise:0.3:even", 0, -1.5302438044752162),
    ("river", "random:7,0.2", 1, -3.176829159457355),
    ("river", "cfr+:10", 0, 3.131221240332461),
    ("river", "shuffle:0.7,4:cfr+:10", 1, -5.595081016620004),
    ("river", "br:uniform", 0, 1.641283228675744),
]
"""Strategies before there were records: game, text, seat, and the sum of behaviour times the cosine of its place."""


@given(MODEL)
def test_a_model_is_what_its_text_says(model: cp.OpponentModel) -> None:
    assert MODELS.parse(str(model)) == model
    assert hash(MODELS.parse(str(model))) == hash(model)


@given(METHODS)
def test_a_minimiser_is_what_its_text_says(method: cp.Minimiser) -> None:
    assert cp.Minimiser.from_text(str(method)) == method


def test_every_registered_model_is_among_these() -> None:
    """A new one must come into the property above."""
    drawn = {cp.Uniform, cp.Nash, cp.GamePlayer, cp.Random, cp.Checkpoint, cp.LeducPlayer, cp.TrainedBlueprint}
    assert set(REGISTRY.values()) == drawn | {
        cp.Noise,
        cp.Shuffle,
        cp.Observed,
        cp.BestResponseTo,
        cp.QuantalResponse,
        cp.Bias,
        cp.Incentive,
        cp.Locked,
        cp.HandsModel,
        cp.Profile,
        cp.LearnedPlayer,
    }


@pytest.mark.parametrize(
    ("spec", "text", "player", "golden"), GOLDEN, ids=[" ".join(map(str, row[:3])) for row in GOLDEN]
)
def test_old_texts_mean_what_they_meant(game_of: GameOf, spec: str, text: str, player: int, golden: float) -> None:
    game: Any = RIVER if spec == "river" else game_of(spec)
    behaviour = cp.opponent(game, text, player, seed=5).behaviour
    assert behaviour @ np.cos(np.arange(len(behaviour))) == pytest.approx(golden, abs=1e-12)


class Silent:
    """A bot."""

    def sample(self, state: Any, rng: Any) -> None:
        """No action."""


@pytest.mark.parametrize("text", TEXTS)
def test_a_record_and_its_text_are_one_strategy(kuhn: cp.GameTree, text: str) -> None:
    record = MODELS.parse(text)
    first, second = cp.opponent(kuhn, text, seed=3), cp.opponent(kuhn, record, seed=3)
    assert np.array_equal(first.behaviour, second.behaviour)
    assert second.facts["method"] == str(record)


def test_records_nest_whatever_stands_for_a_player(kuhn: cp.GameTree) -> None:
    def bold(_: str) -> dict[str, float]:
        return {"Pass": 0.1, "Bet": 0.9}

    assert cp.Noise(0.5, "nash") == cp.Noise(0.5, cp.Nash())  # type: ignore[arg-type]
    mixed = cp.opponent(kuhn, cp.Noise(0.5, bold))  # type: ignore[arg-type]
    assert mixed.probabilities("0p") == pytest.approx({"Pass": 0.3, "Bet": 0.7})
    assert np.array_equal(mixed.behaviour, cp.opponent(kuhn, cp.Noise(0.5, cp.opponent(kuhn, bold))).behaviour)  # type: ignore[arg-type]
    with pytest.raises(cp.InputError, match="noise: the weight must be between 0 and 1"):
        cp.Noise(2.0, cp.Nash())
    with pytest.raises(cp.InputError, match=r"must be a text, .* not 3"):
        cp.Noise(0.5, 3)  # type: ignore[arg-type]


def test_a_table_is_an_opponent(kuhn: cp.GameTree) -> None:
    truth = cp.opponent(kuhn, "random:3")
    assert np.allclose(cp.opponent(kuhn, truth.table()).behaviour, truth.behaviour)
    table = truth.table()
    del table["1p"]
    with pytest.raises(cp.InputError, match="the infoset '1p' of player 1 is missing"):
        cp.opponent(kuhn, table)
    with pytest.raises(cp.InputError, match="no infoset 'nowhere'"):
        cp.opponent(kuhn, {**truth.table(), "nowhere": {}})
    river = cp.load(RIVER)
    plan = cp.opponent(river, "random:3")
    assert np.allclose(cp.opponent(RIVER, plan.table()).behaviour, plan.behaviour)


def test_files_are_found_behind_any_other_model(
    kuhn: cp.GameTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cp.opponent(kuhn, "random:3", player=0).save("model.json")
    best = cp.opponent(kuhn, "br:model.json")
    assert np.array_equal(best.behaviour, cp.opponent(kuhn, cp.BestResponseTo(cp.Random(3))).behaviour)
    with pytest.raises(cp.InputError, match="a solved spot cannot be an opponent in kuhn"):
        GivenStrategy(cp.solve_spot(RIVER, iterations=1)).strategy(kuhn, 1)


def test_code_in_a_spot_is_asked_by_path_or_by_infoset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python a function gets path and hand, by its text the infoset; a bot has no states to play."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spot_models_here.py").write_text(
        "def even(infoset, names):\n    return [1 / len(names)] * len(names)\n"
    )
    asked = []

    def even(path: str, hand: str, names: tuple[str, ...]) -> list[float]:
        asked.append((path, hand))
        return [1 / len(names)] * len(names)

    uniform = cp.opponent(RIVER, "uniform").behaviour
    assert np.allclose(cp.opponent(RIVER, even).behaviour, uniform)
    assert np.allclose(cp.opponent(RIVER, "spot_models_here:even").behaviour, uniform)
    assert len(set(asked)) == len(asked) > 0
    assert asked[0][0] in ("check", "")
    with pytest.raises(cp.InputError, match="needs states of a game, which spot"):
        cp.opponent(RIVER, Silent())


def test_a_minimiser_of_ones_own_solves_wherever_a_solver_is_taken(kuhn: cp.GameTree) -> None:
    """Games, responses, frontiers, look-ahead, blueprints, spots; and it is the one that its text names."""
    linear = cp.Minimiser("linear", alpha=1.0, beta=1.0, gamma=1.0)
    stop, model = cp.Stop(iterations=20), cp.opponent(kuhn, "random:3")
    solved, told = (cp.solve(kuhn, solver=one, stop=stop) for one in (linear, "cfr:1,1,1"))
    assert np.array_equal(solved.strategies[0].behaviour, told.strategies[0].behaviour)
    assert solved.solution.method == "linear"
    for asked in ({"p": 0.5}, {"method": "cdrnr", "p": 0.5, "depth": 1, "leaf": "cfr:5"}):
        answers = [cp.respond(kuhn, model, solver=one, stop=stop, **asked) for one in (linear, str(linear))]  # type: ignore[arg-type]
        assert answers[0].gain == answers[1].gain
    points = [cp.frontier(kuhn, model, ["rnr"], points=2, solver=one, stop=stop) for one in (linear, str(linear))]
    assert [point.gain for point in points[0]] == [point.gain for point in points[1]]
    again = [cp.resolve(kuhn, "uniform", at="moves:1", solver=one, stop=stop) for one in (linear, str(linear))]
    assert again[0].strategy.table() == again[1].strategy.table()
    spots = [cp.solve_spot(RIVER, solver=one, iterations=5) for one in (linear, str(linear))]
    assert np.array_equal(spots[0].plans.reach(0)[:], spots[1].plans.reach(0)[:])


@pytest.mark.parametrize("name", ["file", "player"])
def test_a_model_of_hands_needs_names(name: str) -> None:
    with pytest.raises(cp.InputError, match=rf"^hands: the {name} must not be empty$"):
        cp.HandsModel(**{"file": "hands.phhs", "player": "bob", name: ""})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bias:fold=2,:nash", "bias takes ACTION=FACTOR, as in bias:fold=10:nash, not ''"),
        ("bias:fold=:nash", "bias takes ACTION=FACTOR, as in bias:fold=10:nash, not 'fold='"),
        ('bias:"fold=2:nash', "has no closing quote before a comma"),
        ("profile:VPIP", "not 'VPIP'"),
        ("incentive:", "incentive takes ACTION=AMOUNT, as in incentive:call=0.5bb, not ''"),
        ("incentive:call=1,fold", "incentive takes ACTION=AMOUNT, as in incentive:call=0.5bb, not 'fold'"),
    ],
)
def test_pairs_that_do_not_fit_are_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(cp.InputError) as found:
        MODELS.parse(text)
    assert sentence in str(found.value)
