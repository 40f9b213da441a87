"""Look-aheads that a limit or Ctrl-C cuts short: they serve their hand, are never taken for finished, and go on."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import ContinualAgent, LookAhead
from counterplay.agents.factory import agent_factory, make_agent
from counterplay.agents.worlds.expanding import ExpandingSearch
from counterplay.agents.worlds.histories import CompiledSearch, ListedSearch
from counterplay.agents.worlds.spot import SpotSearch
from counterplay.lookahead.search import Search
from counterplay.solvers import iterates
from tests.support.search_agents import assembled, odd

MERGED = "leduc:merged=true"
_MANY = 200
"""Visits after which everything must be finished."""


@cache
def load(spec: str) -> cp.GameTree:
    return cp.load(spec)


def made(text: str, spec: str = "kuhn", seat: int = 0) -> Any:
    """The agent of a text in a game that is loaded once."""
    return make_agent.agent(load(spec), text, seat)


def visited(agent: Any, observation: str) -> dict[str, float]:
    """What an agent does there in a hand of its own."""
    agent.new_hand()
    return dict(agent.policy(observation))


def settled(agent: Any, observation: str) -> dict[str, float]:
    """The same once nothing is cut short any more; at least one visit was."""
    for visit in range(_MANY):
        before = len(agent.log)
        row = visited(agent, observation)
        if not any("came after" in line for line in list(agent.log)[before:]):
            assert visit > 0
            return row
    raise AssertionError("it was never finished")


# In a game in memory


@pytest.mark.parametrize(
    ("spec", "gadget", "gap", "most"),
    [
        ("kuhn", "full", 1e-3, 6),
        ("kuhn", "resolving", 1e-3, 6),
        ("kuhn", "max-margin", 1e-3, 6),
        (MERGED, "full", 0.05, 20),
    ],
)
def test_a_solve_cut_short_goes_on_until_it_is_that_of_an_unlimited_agent(
    spec: str, gadget: str, gap: float, most: int
) -> None:
    """After enough visits the whole strategy is worth what that of an agent without a limit is, to the gap."""
    game, model = load(spec), cp.opponent(load(spec), "random:3")
    text = f"cdrnr:p=0.5,depth=1,gadget={gadget},gap={gap}{{}},to=random:3"
    agent, unlimited = made(text.format(f",iterations={most}"), spec), made(text.format(""), spec)
    agent.log = deque()
    first = last = assembled(game, agent)
    assert any("goes on when it comes back" in line for line in agent.log)
    solved = any("is solved, at visit" in line for line in agent.log)
    while any("came after" in line for line in agent.log):
        agent.log.clear()
        last = assembled(game, agent)
        solved |= any("is solved, at visit" in line for line in agent.log)
    assert solved
    wanted = cp.evaluate(game, assembled(game, unlimited), against=model)
    found = cp.evaluate(game, last, against=model)
    assert np.abs(first.behaviour - last.behaviour).max() > 0.01
    assert found.gain == pytest.approx(wanted.gain, abs=20.0 * gap)
    assert found.exploitability == pytest.approx(wanted.exploitability, abs=20.0 * gap)


def test_the_first_hand_plays_what_the_limit_found() -> None:
    """A limit cuts the same iterates short that a number of iterations alone asks for, which are all of that solve."""
    short = made("cdrnr:p=0.5,depth=1,gap=1e-6,iterations=16,to=uniform")
    whole = made("cdrnr:p=0.5,depth=1,iterations=16,to=uniform")
    assert visited(short, "2") == pytest.approx(visited(whole, "2"), abs=1e-12)
    assert visited(short, "2") != pytest.approx(visited(whole, "2"), abs=1e-3)
    assert not any("came after" in line for line in whole.log)


def test_what_is_decided_in_a_hand_stays() -> None:
    """Ranges depend on it: within a hand the same question has the same answer, however short the solve was."""
    agent = made("resolve:gap=1e-6,iterations=16", MERGED)
    agent.new_hand()
    assert agent.policy("K") == agent.policy("K")
    assert visited(agent, "K") != agent.policy("J")


def test_an_agent_that_remembers_nothing_begins_anew() -> None:
    agent = made("resolve:gap=1e-6,iterations=16,remember=no", MERGED)
    assert visited(agent, "K") == visited(agent, "K")
    assert "begins anew when it comes back" in agent.log[-1]


def test_what_rests_on_an_unfinished_look_ahead_is_not_kept_either() -> None:
    """A later decision of the same hand is solved to its end, but for a range that is not final."""
    agent = made("resolve:gap=1e-6,iterations=16,depth=1", "kuhn")
    agent.new_hand()
    agent.policy("2pb")
    chain = agent.chain
    assert chain.decided.any()
    assert not chain.final.decided.any()
    agent.new_hand()
    assert not agent.chain.decided.any()


def test_a_saved_agent_begins_anew_with_what_was_cut_short(tmp_path: Path) -> None:
    """It is never saved as if it were finished."""
    agent = made("resolve:gap=0.001,iterations=16", MERGED)
    visited(agent, "K")
    agent.save(tmp_path / "agent.cpa")
    again = cp.resume(tmp_path / "agent.cpa", game=load(MERGED))
    assert isinstance(again, ListedSearch)
    assert not again.chain.decided.any()
    assert again.policy("K") == agent.policy("K")
    unlimited = made("resolve:gap=0.001", MERGED)
    assert settled(again, "K") == pytest.approx(visited(unlimited, "K"), abs=0.1)
    again.save(tmp_path / "agent.cpa")
    assert cp.resume(tmp_path / "agent.cpa", game=load(MERGED)).policy("K") == again.policy("K")


def test_a_game_expanded_on_the_way_goes_on_with_its_first_look_ahead() -> None:
    """The only one that it keeps."""

    def agent(stop: cp.Stop) -> ContinualAgent:
        search = Search(LookAhead(1, odd), 0.5, solver="cfr+", stop=stop)
        return ExpandingSearch(load(MERGED).rules, 0, search, "uniform")

    short, unlimited = agent(cp.Stop(1e-3, 16)), agent(cp.Stop(1e-3))
    for _ in range(_MANY):
        short.new_hand()
        row = short.policy("K")
        short.act("K")
        if "is solved, at visit" in short.log[-1]:
            break
    assert "came after" in short.log[0]
    assert "is solved, at visit" in short.log[-1]
    assert row == pytest.approx(visited(unlimited, "K"), abs=0.05)


_FRESH = """
import counterplay as cp
agent = cp.agent(cp.load("leduc"), "cdrnr:depth=1,p=0.5,seconds=0.05,to=uniform", 0)
for visit in range(400):
    before = len(agent.log)
    agent.new_hand()
    row = agent.policy("Ks")
    if len(agent.log) == before:
        break
print(row["Call"])
"""


def test_in_a_fresh_process_an_agent_with_a_limit_plays_as_one_without() -> None:
    """Kernels are loaded before the first decision, and what the limit cuts short is not kept as it is."""
    done = subprocess.run([sys.executable, "-c", _FRESH], capture_output=True, text=True, check=True, timeout=500)
    unlimited = visited(made("cdrnr:depth=1,p=0.5,to=uniform", "leduc"), "Ks")
    assert float(done.stdout) == pytest.approx(unlimited["Call"], abs=0.03)


def test_seconds_are_a_limit_and_not_a_spend() -> None:
    """The gap that ends a solve where nothing is said ends it too where seconds are."""
    agent = made("cdrnr:p=0.5,depth=1,seconds=60,to=uniform", MERGED)
    begin = time.process_time()
    row = visited(agent, "K")
    assert time.process_time() - begin < 5.0
    assert row == visited(made("cdrnr:p=0.5,depth=1,to=uniform", MERGED), "K")


@pytest.fixture
def ctrl_c(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Ctrl-C after a number of pieces of a solve."""
    real = iterates.Pace.advance

    def press(after: int) -> None:
        left = [after]

        def advance(self: Any, iterates: Any, goal: int) -> None:
            left[0] -= 1
            if left[0] == -1:
                raise KeyboardInterrupt
            real(self, iterates, goal)

        monkeypatch.setattr(iterates.Pace, "advance", advance)

    return press


def test_ctrl_c_ends_a_search_which_goes_on_later(ctrl_c: Callable[[int], None]) -> None:
    agent, unlimited = (made("resolve:gap=0.001", MERGED) for _ in range(2))
    ctrl_c(3)
    agent.new_hand()
    with pytest.raises(KeyboardInterrupt):
        agent.policy("K")
    assert "Ctrl-C came after" in agent.log[-1]
    assert sum(agent.policy("K").values()) == pytest.approx(1.0)
    assert visited(agent, "K") == pytest.approx(visited(unlimited, "K"), abs=0.1)
    assert "is solved, at visit 2" in agent.log[-1]


# In spots


def spot() -> cp.Spot:
    return cp.Spot("Qs Jh 2h 8d 3c", "QQ,KQs,T9s,76s", "JJ,AQs,98s,65s", 100, 200, "75%, a", raises=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["cdrnr:p=0.5,gap=0.1{},to=uniform", "resolve:gap=0.1{}"])
def test_in_a_spot_a_street_cut_short_goes_on(text: str) -> None:
    short, unlimited = (cp.agent(spot(), text.format(more), 0) for more in (",iterations=16", ""))
    assert isinstance(short, ContinualAgent)
    assert isinstance(short, SpotSearch)
    first = visited(short, "KhQh")
    assert short.policy("KhQh") == first
    assert not short.final.done
    last = settled(short, "KhQh")
    assert first != pytest.approx(last, abs=1e-3)
    assert last == pytest.approx(visited(unlimited, "KhQh"), abs=0.05)
    assert short.final.done
    assert any("at visit" in line for line in short.log)


def test_in_a_spot_nothing_unfinished_is_saved_as_finished(tmp_path: Path) -> None:
    agent = cp.agent(spot(), "resolve:gap=0.05,iterations=16", 0)
    visited(agent, "KhQh")
    agent.save(tmp_path / "agent.cpa")
    again = cp.resume(tmp_path / "agent.cpa")
    assert isinstance(again, SpotSearch)
    assert not again.done


def test_in_a_spot_another_model_and_p_count_from_the_next_hand() -> None:
    agent = cp.agent(spot(), "cdrnr:p=0.5,solver=lp,to=uniform", 0)
    before = visited(agent, "KhQh")
    agent.p, agent.model = 0.9, "bias:fold=3:uniform"
    assert agent.policy("KhQh") == before
    wanted = cp.agent(spot(), "cdrnr:p=0.9,solver=lp,to=bias:fold=3:uniform", 0)
    for hand in ("KhQh", "7s6s", "QdQc"):
        assert visited(agent, hand) == pytest.approx(visited(wanted, hand), abs=1e-6)
    with pytest.raises(cp.InputError, match="p must be between 0 and 1, not 2"):
        agent.p = 2.0


# What may be asked of an agent


@pytest.mark.parametrize("seat", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_another_p_counts_from_now_on(seat: int) -> None:
    """What is decided in the hand stays; the next one is that of an agent who had that p from the start."""
    text = "cdrnr:p={},depth=1,solver=lp,to=random:3"
    agent, wanted = made(text.format(0.1), MERGED, seat), made(text.format(0.9), MERGED, seat)
    infoset = load(MERGED).trees[seat].labels.infosets[0]
    before = visited(agent, infoset)
    agent.p = 0.9
    assert (agent.p, agent.policy(infoset)) == (0.9, before)
    agent.new_hand()
    np.testing.assert_allclose(assembled(load(MERGED), agent).plan, assembled(load(MERGED), wanted).plan, atol=1e-6)
    for wrong in (-0.1, 1.5, float("nan"), "x"):
        with pytest.raises(cp.InputError, match="p must be"):
            agent.p = wrong


def test_alpha_counts_too_and_needs_a_gadget_for_it() -> None:
    agent, wanted = (made(f"ses:alpha={a},depth=1,solver=lp,to=random:3", MERGED) for a in (0.1, 0.9))
    agent.alpha = 0.9
    np.testing.assert_allclose(assembled(load(MERGED), agent).plan, assembled(load(MERGED), wanted).plan, atol=1e-6)
    with pytest.raises(cp.InputError, match="alpha"):
        made("resolve").alpha = 0.5
    with pytest.raises(cp.InputError, match="no model of the opponent"):
        made("resolve").p = 0.5


@pytest.mark.parametrize("name", ["p", "alpha", "model"])
@pytest.mark.parametrize("text", ["nash", "uniform", "rnr:p=0.5,to=uniform"])
def test_what_an_agent_has_not_is_not_silently_set(text: str, name: str) -> None:
    with pytest.raises(cp.InputError, match=rf"the {name} of .* cannot be set; .*(cdrnr|ses)"):
        setattr(made(text), name, 0.5)


@pytest.mark.parametrize("text", ["nash", "rnr:p=0.5,to=uniform", "lbr:to=uniform", "cdbr-ne:p=0.5,depth=1,to=uniform"])
def test_agents_that_hold_a_strategy_say_it(text: str) -> None:
    agent = made(text, "leduc")
    agent.new_hand()
    assert sum(agent.policy("Ks").values()) == pytest.approx(1.0)
    if text.startswith("cdbr-ne"):
        agent.p = 1.0
        agent.new_hand()
        assert sum(agent.belief("Ks").values()) == pytest.approx(1.0)
        return
    with pytest.raises(cp.InputError, match="has no belief to show; agents that search have one"):
        agent.belief("Ks")
    with pytest.raises(cp.InputError, match="cannot be saved"):
        agent.save("nowhere.cpa")


@pytest.mark.parametrize("text", ["nash", "resolve"])
def test_wrong_observations_show_what_right_ones_look_like(text: str) -> None:
    agent = made(text, "leduc")
    with pytest.raises(cp.InputError, match=r"no infoset 'Ks Raise'.*; did you mean 'Ks"):
        agent.act("Ks Raise")
    for ask in (agent.act, agent.policy):
        with pytest.raises(cp.InputError, match=r"an observation must be the text of an infoset, .* not a list"):
            ask(["Ks"])


@pytest.mark.parametrize(
    "option",
    ["seconds=0", "iterations=0", "gap=-1", "gap=nan", "gap=inf", "gap=1e308", "seconds=1e308", "gap=", "gap=1,gap=2"],
)
@pytest.mark.parametrize("where", ["kuhn", "spot", "fhp"])
def test_absurd_limits_are_refused(option: str, where: str) -> None:
    source = spot() if where == "spot" else load("kuhn") if where == "kuhn" else "fhp"
    with pytest.raises(cp.InputError) as caught:
        cp.agent(source, f"resolve:{option}", 0)
    assert option.partition("=")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ctrl_c_while_agents_are_prepared_ends_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A p that was being looked for is not taken as found, nor is a strategy that was being computed."""
    real = agent_factory.respond

    def cut(*args: Any, **words: Any) -> Any:
        answer = real(*args, **words)
        object.__setattr__(answer, "interrupted", True)
        return answer

    monkeypatch.setattr(agent_factory, "respond", cut)
    for text in ("cdrnr:max_exploitability=0.1,to=uniform", "rnr:p=0.5,to=uniform"):
        with pytest.raises(KeyboardInterrupt):
            made(text)


def test_agents_know_their_whole_game_or_a_part() -> None:
    """An agent of a text in memory is one of `CompiledSearch`, and says how its look-aheads step."""
    agent = made("resolve")
    assert isinstance(agent, CompiledSearch)
    assert "steps: by own decision" in agent.log
