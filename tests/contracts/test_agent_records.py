"""Agents as records: their texts; a record and its text play the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.agents import REGISTRY
from counterplay.agents.records import AGENTS, AgentRecord
from counterplay.responses import METHODS
from tests.support.drawn_methods import methods

MODELS = st.sampled_from(["uniform", "cfr+:10", "noise:0.2:nash", "bias:a=2,b=0.5:random:3,0.5", "br:uniform"])
SETTINGS = {
    "gain": st.floats(0.0, 10.0),
    "solver": st.sampled_from(["lp", "cfr+", "dcfr:1.5,0,2"]),
    "seconds": st.floats(0.1, 10.0),
    "iterations": st.integers(1, 1000),
    "gap": st.floats(0.001, 1.0),
    "expand": st.sampled_from(["whole", "way"]),
    "memory": st.floats(0.1, 4.0),
    "remember": st.booleans(),
    "budget": st.integers(1, 1000),
    "particles": st.integers(1, 1000),
}


@st.composite
def agents(draw: st.DrawFn) -> AgentRecord:
    method = draw(methods())
    to = None if method.HEAD == "resolve" else draw(MODELS)
    if not method.looks_ahead():
        return cp.ResponseBot(method, to)
    words: dict[str, Any] = draw(st.fixed_dictionaries({}, optional=SETTINGS))
    found = method.HEAD in ("cdrnr", "abd")
    if (method.look and method.look.joint) or (method.DIAL and method.trust is None and not found):
        return cp.SearchBot(cp.Resolve(), **words)
    return cp.SearchBot(method, to, **words)


@given(agents())
def test_an_agent_is_read_back_from_its_text(agent: AgentRecord) -> None:
    assert AGENTS.parse(str(agent)) == agent


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (cp.Nash(), "nash"),
        (cp.StrategyBot(cp.Noise(0.5, cp.Uniform())), "noise:0.5:uniform"),
        (cp.ResponseBot(cp.RNR(0.5), "uniform"), "rnr:p=0.5,to=uniform"),
        (cp.Resolve(), "resolve"),
        (
            cp.SearchBot(cp.CDRNR(0.5, cp.LookAhead(1, gadget=cp.MaxMargin())), cp.Uniform(), iterations=20),
            "cdrnr:p=0.5,depth=1,gadget=max-margin,iterations=20,to=uniform",
        ),
    ],
    ids=str,
)
def test_a_record_plays_as_its_text(record: Any, text: str) -> None:
    game = cp.load("kuhn")
    infoset = game.trees[0].labels.infosets[0]
    one, other = (cp.agent(game, source, 0) for source in (record, text))
    assert str(AGENTS.record(record)) == text
    assert one.policy(infoset) == other.policy(infoset)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("resolve:solve=joint", "^resolve: an agent solves each public state alone, not joint$"),
        ("ses:max_exploitability=1,to=uniform", "^ses needs alpha, as in ses:alpha=0.5,to=uniform$"),
        ("cdrnr:p=0.5,budget=3,to=uniform", "^cdrnr has no option 'budget'"),
        ("cdbr:gain=1,to=uniform", "^cdbr has no option 'gain'"),
        ("lbr:p=1,to=uniform", "^lbr has no option 'p'; it has to$"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, culprit: str) -> None:
    with pytest.raises(cp.InputError, match=culprit):
        cp.agent("kuhn", text, 0)


def test_every_method_is_an_agent() -> None:
    assert set(REGISTRY) == {*METHODS, "learn", "switch"}
