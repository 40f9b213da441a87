"""AIVAT: the correction has mean zero whatever the value function is, and takes out most of the luck if it is a good one."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.measure.aivat import make_aivat
from counterplay.measure.aivat.histories import HistoryAivat, Policy, values_of_histories
from tests.support.commands import Runner
from tests.support.covering import covering
from tests.support.hands import every_hand, mean_and_variance

GAMES = ("kuhn", "liars_dice:1,2", "goofspiel:3", "leduc:2")


@cache
def policies(spec: str, texts: tuple[str, str]) -> tuple[Policy, Policy]:
    game = cp.load(spec)
    one, two = (cp.opponent(game, text, player).probabilities for player, text in enumerate(texts))
    return one, two


def noise(state: Any) -> float:
    """A value function that knows nothing."""
    return random.Random(state.tobytes() if isinstance(state, np.ndarray) else repr(state)).uniform(-5.0, 5.0)


@pytest.mark.parametrize(("spec", "known"), covering(GAMES, [0, 1]))
def test_the_mean_over_all_hands_is_the_exact_value_for_any_value_function(spec: str, known: int) -> None:
    rules, played = cp.load(spec).rules, policies(spec, ("random:3", "random:8,0.3"))
    aivat = HistoryAivat(rules, played, noise)
    hands = list(every_hand(rules, played))
    exact, _ = mean_and_variance([(hand.won(known), odds) for hand, odds in hands])
    found, _ = mean_and_variance([(aivat.chips(hand, known), odds) for hand, odds in hands])
    assert sum(odds for _, odds in hands) == pytest.approx(1.0, abs=1e-12)
    assert found == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("spec", ["kuhn", "leduc:2"])
def test_values_of_another_opponent_take_out_most_of_the_variance(spec: str) -> None:
    """The known side meets `random:8`, and the values are those against uniform play."""
    rules = cp.load(spec).rules
    played, assumed = policies(spec, ("nash", "random:8,0.3")), policies(spec, ("nash", "uniform"))
    aivat = HistoryAivat(rules, played, values_of_histories(rules, assumed))
    hands = list(every_hand(rules, played))
    _, plain = mean_and_variance([(hand.won(0), odds) for hand, odds in hands])
    _, corrected = mean_and_variance([(aivat.chips(hand, 0), odds) for hand, odds in hands])
    assert corrected <= 0.5 * plain


def test_uniform_play_is_a_known_strategy(run: Runner) -> None:
    found = run("match", "kuhn", "uniform", "cdbr:depth=1,to=uniform", "--hands", "200", "--aivat", "--json").json
    assert found["aivat"]["known"] == "A"
    assert found["aivat"]["interval"][0] <= found["aivat"]["mean"] <= found["aivat"]["interval"][1]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ("kuhn", "cdbr:depth=1,to=uniform", "cdbr:depth=1,to=uniform"),
            "AIVAT needs one side whose strategy is known",
        ),
        (("leduc", "uniform", "uniform"), "AIVAT takes games of at most 100 terminal histories"),
        (("river.toml", "uniform", "uniform"), "AIVAT lists the histories of a game"),
    ],
)
def test_what_has_no_aivat_is_said_in_a_sentence(
    run: Runner, words: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_aivat, "MOST_TERMINALS", 100)
    game = words[0] if words[0] != "river.toml" else str(Path(__file__).parents[2] / "examples" / "river.toml")
    found = run("match", game, *words[1:], "--aivat", "--hands", "4")
    assert found.code == 2
    assert reason in found.err
