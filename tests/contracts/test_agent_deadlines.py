"""The seconds of an agent count from the question, posing included; without time left the previous answer plays."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import counterplay as cp
from counterplay.agents.worlds import whole_game
from counterplay.budget import limited_seconds, time_left
from counterplay.lookahead import step
from counterplay.responses.street_lookahead import StreetResponder
from tests.support.agents import seated_agent
from tests.support.flop_holdem_agents import rules
from tests.support.spots import turn_spot

_SECONDS = 0.3


def _slow(real: Callable[..., Any], *, wait: float = 2 * _SECONDS) -> Callable[..., Any]:
    """A function that first takes longer than a decision may."""

    def slowed(*args: Any, **named: Any) -> Any:
        time.sleep(wait)
        return real(*args, **named)

    return slowed


def _timed(act: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    return act(), time.perf_counter() - begin


def test_seconds_of_a_solve_end_with_those_around_it() -> None:
    game = cp.load("leduc")
    with limited_seconds(0.2):
        found, took = _timed(lambda: cp.solve(game, stop=cp.Stop(iterations=10**9, seconds=60.0)))
        assert time_left() == 0.0
        at_once, nothing = _timed(lambda: cp.solve(game, stop=cp.Stop(iterations=10**9, seconds=60.0)))
    assert took < 5.0
    assert found.facts["iterations"] > 0
    assert nothing < 2.0
    assert at_once.facts["iterations"] <= found.facts["iterations"]


def test_posing_counts_and_an_enumerated_game_falls_back_on_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"resolve:depth=1,gap=0,seconds={_SECONDS}"
    agent = cp.agent(cp.load("leduc"), text, 0)
    first = next(iter(cp.load("leduc").trees[0].labels.infosets))
    agent.policy(first)  # kernels are loaded
    agent = cp.agent(cp.load("leduc"), text, 0)
    monkeypatch.setattr(step, "_cut", _slow(step._cut))
    monkeypatch.setattr(step, "_whole", _slow(step._whole))
    odds, took = _timed(lambda: agent.policy(first))
    assert took < 10 * _SECONDS
    assert set(odds.values()) == {1 / len(odds)}  # nothing was planned before
    assert any("no time was left for an iteration" in line for line in agent.log)
    monkeypatch.undo()
    agent.new_hand()
    agent.policy(first)  # the problem is posed already
    assert "no time" not in agent.log[-1]
    assert "goes on when it comes back" in agent.log[-1]


def test_posing_counts_in_a_spot(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = cp.agent(turn_spot(), f"resolve:seconds={_SECONDS},gap=0", 1)
    agent.act("x x 3d x | QhQd")
    agent = cp.agent(turn_spot(), f"resolve:seconds={_SECONDS},gap=0", 1)
    monkeypatch.setattr(StreetResponder, "pose", _slow(StreetResponder.pose))
    odds, took = _timed(lambda: agent.policy("x | QhQd"))
    assert took < 10 * _SECONDS
    assert sum(odds.values()) == pytest.approx(1.0)
    assert any("no time was left to solve from the root" in line for line in agent.log)
    monkeypatch.undo()
    agent.new_hand()
    agent.policy("x | QhQd")
    assert "no time" not in agent.log[-1]


def test_posing_counts_in_a_whole_game_where_the_blueprint_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"resolve:seconds={_SECONDS},gap=0,blueprint=[blueprint:buckets=6,iterations=50,method=dcfr]"
    agent: Any = seated_agent(rules(), text, 0, seed=0, draws=1)
    monkeypatch.setattr(whole_game, "pose_subtree", _slow(whole_game.pose_subtree))
    asked = "JhQh | call, check | Jc Qd Kh"
    odds, took = _timed(lambda: agent.policy(asked))
    assert took < 10 * _SECONDS
    assert any("the blueprint plays" in line for line in agent.log)
    blueprint = seated_agent(rules(), "blueprint:buckets=6,iterations=50,method=dcfr", 0, seed=0, draws=1)
    assert odds == pytest.approx(blueprint.policy(asked), abs=1e-6)
    agent.new_hand()
    agent.policy(asked)  # the problem is posed already
    ((posed, _),) = agent.kept.values()
    assert posed.solve.iterations > 0
