"""Agents of hands: they play what `respond` computes, within their time, and go on after they were saved."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay import ContinualAgent, InputError, LookAhead
from counterplay.agents.worlds.spot import SpotAgent, SpotSearch
from counterplay.lookahead.search import Search
from tests.support.spots import river, turn_spot

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("resolve:solver=lp", {"method": "resolve"}),
        pytest.param("resolve:solver=lp,gadget=max-margin", {"method": "resolve", "gadget": "max-margin"}, marks=SLOW),
        pytest.param("cdrnr:p=0.5,solver=lp,to=noise:0.5:nash", {"method": "cdrnr", "p": 0.5}, marks=SLOW),
        ("cdrnr:p=0.5,gadget=resolving,to=noise:0.5:nash", {"method": "cdrnr", "p": 0.5, "gadget": "resolving"}),
        ("cdbr:leaf=equity,to=noise:0.5:nash", {"method": "cdbr", "leaf": "equity"}),
        ("ses:alpha=0.5,solver=lp,to=noise:0.5:nash", {"method": "ses", "alpha": 0.5}),
    ],
)
def test_agents_of_hands_play_what_respond_computes(text: str, how: dict[str, Any]) -> None:
    """On the way through one card they decide as the complete strategy does."""
    spot = turn_spot()
    agent = cp.agent(spot, text, 0)
    assert isinstance(agent, ContinualAgent)
    answer = cp.respond(spot, cp.opponent(spot, "noise:0.5:nash"), depth="round", **how)
    whole = SpotAgent(spot, answer.strategy)
    for path in ("", "x x Ah | ", "x x 2c | ", "x x Qs | "):
        for hand in ("AcKc", "QdJd"):
            assert agent.policy(path + hand) == pytest.approx(whole.policy(path + hand), abs=1e-9)
    assert sum(agent.policy("x x 2d | AcKc").values()) == pytest.approx(1.0)
    assert agent.act("check, check, river | 2d | AcKc") in ("check", "all-in 100")


def test_a_decision_within_its_time() -> None:
    agent = cp.agent(turn_spot(), "resolve:seconds=0.2", 1)
    agent.act("x x 3d x | QhQd")  # kernels are compiled
    begin = time.perf_counter()
    agent.act("x x 2d x | QhQd")
    assert time.perf_counter() - begin < 1.5


def test_the_rules_of_a_spot_are_the_spot() -> None:
    """A third way to its value: hands, cards and bets one by one, compiled as any game is."""
    game = cp.load(turn_spot())
    enumerated = cp.load(game.rules)
    assert cp.solve(enumerated).value == pytest.approx(cp.solve(game).value, abs=1e-9)
    for player in (0, 1):
        known = set(game.trees[player].labels.infosets)
        assert set(enumerated.trees[player].labels.infosets) <= known


def test_matches_come_to_the_expected_value() -> None:
    spot = river()
    game = cp.load(spot)
    nash, other = (lambda seat, text=text: cp.agent(spot, text, seat) for text in ("nash", "uniform"))
    result = cp.match(spot, nash, other, 600, seed=1)
    plans = [[cp.opponent(spot, text, seat).plan for seat in (0, 1)] for text in ("nash", "uniform")]
    expected = game.payoff.value(plans[0][0], plans[1][1]) - game.payoff.value(plans[1][0], plans[0][1])
    assert result.interval is not None
    spread = (result.interval[1] - result.interval[0]) / 2 / 1.96
    assert abs(result.mean - expected / 2) < 4.0 * spread


def test_agents_of_hands_are_saved_and_go_on(tmp_path: Path) -> None:
    spot = turn_spot()
    agent: Any = cp.agent(spot, "ses:alpha=0.5,to=noise:0.5:nash", 0, seed=3)
    before = agent.policy("x x Ah | AcKc")
    agent.save(tmp_path / "half.cpa")
    again = cp.resume(tmp_path / "half.cpa")
    assert isinstance(again, SpotSearch)
    assert again.done == agent.done
    assert again.policy("x x Ah | AcKc") == before
    path = "x x 2c | AcKc"
    assert again.policy(path) == agent.policy(path)
    assert [again.act(path) for _ in range(5)] == [agent.act(path) for _ in range(5)]
    with pytest.raises(InputError, match="another size"):
        cp.resume(tmp_path / "half.cpa", game=river())


def test_what_an_agent_believes() -> None:
    """The model's range, less what the own hand holds."""
    spot = turn_spot()
    agent = cp.agent(spot, "cdbr:to=uniform", 0)
    found = agent.belief("x | AcKc")
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["QdQc"] == pytest.approx(1 / 10)  # 6 pairs of queens and 4 of JTs, played alike


def test_a_search_without_a_depth_decides_streets() -> None:
    searches = [Search(LookAhead(depth)) for depth in (None, "round")]
    usual, asked = (SpotSearch(turn_spot(), 0, search) for search in searches)
    assert usual.policy("| AcKc") == asked.policy("| AcKc")


@pytest.mark.parametrize(
    ("text", "observation", "said"),
    [
        ("resolve:solver=lp", "7c2d", "cannot hold '7c2d' at the root"),
        ("resolve", "x | AcKc", "does not act"),
        ("resolve", "x | KK", "is not one hand"),
        ("cdrnr:p=0.5", "AcKc", "needs a model"),
        ("cdrnr:to=uniform", "AcKc", "needs either p or max_exploitability"),
        ("resolve:seconds=0", "AcKc", "seconds must be above 0"),
        ("resolve:depth=1", "AcKc", "the depth is 'round'"),
        ("resolve:expand=way", "AcKc", "has no option 'expand'"),
        ("abd:p=0.5,to=uniform", "AcKc", "needs a portfolio"),
        ("s1", "AcKc", "play Leduc poker"),
    ],
)
def test_agents_of_hands_refuse(text: str, observation: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cp.agent(turn_spot(), text, 0).policy(observation)
