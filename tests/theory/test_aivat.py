"""AIVAT: the correction has mean zero whatever the value function is, and takes out most of the luck if it is a good one."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import CHANCE, TERMINAL
from counterplay.measure import make_aivat
from counterplay.measure.make_aivat import HistoryAivat, Policy, values_of_histories
from tests.support.commands import Runner
from tests.support.covering import covering
from tests.support.hands import every_hand, mean_and_variance
from tests.support.random_games import RandomGame, Wrapped, games, random_table

GAMES = ("kuhn", "liars_dice:1,2", "goofspiel:3", "leduc:2", "battleships:2,1,1x1")


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


@given(games(), st.integers(0, 1), st.integers(0, 10**6))
def test_the_mean_is_exact_in_random_games(rules: RandomGame, known: int, seed: int) -> None:
    """Also where a hand ends for some of the hidden histories alone, and after what the other side learned by an action."""
    described = Wrapped(rules)
    described.augmented = True
    one, two = (random_table(rules, player, "mixed", seed).__getitem__ for player in (0, 1))
    aivat = HistoryAivat(
        described, (one, two), lambda state: random.Random(str((seed, state.known))).uniform(-5.0, 5.0)
    )
    hands = list(every_hand(described, (one, two)))
    exact, _ = mean_and_variance([(hand.won(known), odds) for hand, odds in hands])
    found, _ = mean_and_variance([(aivat.chips(hand, known), odds) for hand, odds in hands])
    assert found == pytest.approx(exact, abs=1e-9)


class Insider:
    """One who may look at a coin before choosing; the other one, who does not see it, answers."""

    name, augmented = "insider", True

    def root(self) -> tuple[str, ...]:
        return ()

    def player(self, state: tuple[str, ...]) -> int:
        return (CHANCE, 1, 1, 0, TERMINAL)[len(state)]

    def actions(self, state: tuple[str, ...]) -> tuple[str, ...]:
        return (("heads", "tails"), ("look", "guess"), ("x", "y"), ("x", "y"))[len(state)]

    def chance(self, _: tuple[str, ...]) -> tuple[float, ...]:
        return 0.5, 0.5

    def child(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def infoset(self, state: tuple[str, ...], player: int) -> str:
        coin = state[0] if state[1:2] == ("look",) and player == 1 else "coin"
        return " ".join((coin, *state[1:2], *(state[2:3] if player == 1 else ()), *(state[3:] if player == 0 else ())))

    def utility(self, state: tuple[str, ...]) -> float:
        return (3.0 if state[0] == "heads" else -1.0) * (1 + (state[2] == "y")) + (state[3] == "x")


def test_what_the_other_side_learns_by_its_own_action_is_luck() -> None:
    """Who looks knows the coin from then on, and answers to it."""
    rules = Insider()

    def insider(infoset: str) -> dict[str, float]:
        if infoset == "coin":
            return {"look": 0.7, "guess": 0.3}
        return {"x": 1.0, "y": 0.0} if infoset.startswith("heads") else {"x": 0.0, "y": 1.0}

    played: tuple[Policy, Policy] = (lambda _: {"x": 0.5, "y": 0.5}, insider)
    hands = list(every_hand(rules, played))
    aivat = HistoryAivat(rules, played, noise)
    exact, _ = mean_and_variance([(hand.won(0), odds) for hand, odds in hands])
    found, _ = mean_and_variance([(aivat.chips(hand, 0), odds) for hand, odds in hands])
    assert found == pytest.approx(exact, abs=1e-12)


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
