"""The memory of agents does not grow with the hands they play."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from typing import Any

import pytest

import counterplay as cp
from counterplay.agents import agent as agent_module
from counterplay.agents.agent import UniformAgent
from tests.support.search_agents import MERGED, hands, load, odd, searching


def growth(agent: Any, game: cp.GameTree, early: int, late: int) -> int:
    """Bytes that Python and NumPy hold more after `late` hands than after `early`."""
    other, held = UniformAgent(1 - agent.seat, 1), []
    hands(game, agent, early // 2, other)
    tracemalloc.start()
    try:
        for number in range(early // 2, late):
            hands(game, agent, 1, other, seed=number)
            if number + 1 in (early, late):
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return held[1] - held[0]


@pytest.mark.parametrize(("early", "late"), [(300, 700), pytest.param(1000, 10_000, marks=pytest.mark.slow)])
def test_memory_does_not_grow(early: int, late: int) -> None:
    """After the first hundreds of hands an agent takes no more memory."""
    agent = searching("kuhn", 0, "uniform", p=0.5)
    assert growth(agent, load("kuhn"), early, late) < 1 << 16


@pytest.mark.parametrize(
    ("lines", "early", "late"), [(100, 300, 600), pytest.param(1000, 1100, 1600, marks=pytest.mark.slow)]
)
def test_memory_does_not_grow_where_every_hand_is_logged(
    lines: int, early: int, late: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor where nothing is remembered, and the log is written to in each hand; so many lines of it are kept."""
    assert agent_module.LINES == 1000
    monkeypatch.setattr(agent_module, "LINES", lines)
    agent = searching("kuhn", 0, "uniform", p=0.5, stop=cp.Stop(iterations=0))
    agent.remember = False
    assert growth(agent, load("kuhn"), early, late) < 1 << 16
    assert len(agent.log) == lines


@pytest.mark.slow
@pytest.mark.parametrize("way", [False, True])
def test_memory_does_not_grow_in_leduc(way: bool) -> None:
    """The same with look-aheads, in memory and expanded on the way."""
    agent = searching(MERGED, 0, "uniform", p=0.5, way=way, leaf=odd, stop=cp.Stop(iterations=4))
    agent.remember = False
    assert growth(agent, load(MERGED), 100, 600) < 1 << 20


LARGE = """
import random, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from counterplay.agents.factory.make_agent import agent as make
from counterplay.agents.factory.agent_factory import PlayableGame
from counterplay.agents.agent import UniformAgent
from counterplay.measure.play_hand import play_hand
from counterplay.measure.match import deal
ground = PlayableGame(sys.argv[1])
for seat in (0, 1):
    agent = make(ground, sys.argv[2], seat)
    other = UniformAgent(1 - seat, 3)
    for number in range(3):
        play_hand(ground.rules, (agent, other) if seat == 0 else (other, agent), deal(1, number))
    print(*agent.log, sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["goofspiel:7", "liars_dice:2,4"])
@pytest.mark.parametrize("gadget", ["full", "resolving"])
def test_large_games_are_played_within_four_gib(spec: str, gadget: str) -> None:
    """Games that are expanded on the way are played legally, and every look-ahead is solved."""
    text = f"cdrnr:p=0.5,depth=1,gadget={gadget},expand=way,leaf=rollout:5,iterations=50,to=uniform"
    words = [sys.executable, "-c", LARGE, spec, text]
    done = subprocess.run(words, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "not solved" not in done.stdout
