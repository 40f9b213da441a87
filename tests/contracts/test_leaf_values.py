"""Value functions are records: their texts are the shell's notation of them, and both give the same answers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.responses import matchup
from counterplay.value_functions import REGISTRY
from counterplay.value_functions.leaf_value import LEAF_VALUES, LeafValue, is_fixed_value, value_function
from tests.support.drawn_opponents import METHODS, MODEL

COUNTS = st.integers(1, 10**9 - 1)
SOURCES = st.one_of(
    st.lists(st.just("pure") | MODEL, min_size=1, max_size=3),
    st.tuples(st.lists(MODEL, min_size=1, max_size=2), st.lists(MODEL, min_size=1, max_size=2)),
)
VALUE = st.one_of(
    st.builds(cp.SolvedValue, st.none(), st.just(cp.Minimiser("cfr+", floor=True, gamma=1.0))),
    st.builds(cp.SolvedValue, COUNTS, METHODS),
    st.builds(cp.Rollouts, COUNTS, st.integers(0, 10**9 - 1)),
    st.just(cp.ExactLeaf()),
    st.just(cp.Equity()),
    st.builds(cp.NetworkValue, st.sampled_from(["leduc.cpn", "a folder/x,y:z.cpn"])),
    st.builds(cp.Portfolio, SOURCES),
    st.builds(cp.SampledPortfolio, SOURCES, COUNTS, st.integers(0, 10**9 - 1)),
)


@given(VALUE)
def test_a_value_function_is_what_its_text_says(value: LeafValue) -> None:
    assert LEAF_VALUES.parse(str(value)) == value
    assert value.name == str(value)


def test_every_registered_value_function_is_among_these() -> None:
    """A new one must come into the property above."""
    assert set(REGISTRY.values()) == {
        cp.ExactLeaf, cp.SolvedValue, cp.Rollouts, cp.Equity, cp.Portfolio, cp.SampledPortfolio,
        cp.NetworkValue,
    }  # fmt: skip


OLD: list[tuple[str, Any]] = [
    ("exact", cp.ExactLeaf()),
    ("lp", cp.SolvedValue()),
    ("cfr:20", cp.SolvedValue(20, "cfr+")),  # type: ignore[arg-type]
    ("cfr+:20", cp.SolvedValue(20)),
    ("dcfr:7", cp.SolvedValue(7, "dcfr")),  # type: ignore[arg-type]
    ("rollout:20", cp.Rollouts(20)),
    ("rollout:20,7", cp.Rollouts(20, 7)),
    ("equity", cp.Equity()),
    ("portfolio:uniform; nash;", cp.Portfolio((cp.Uniform(), cp.Nash()))),
    ("portfolio:uniform|nash;pure", cp.Portfolio((("uniform",), ("nash", "pure")))),
    ("portfolio:bias:raise=2:nash", cp.Portfolio([cp.Bias({"raise": 2.0}, cp.Nash())])),  # type: ignore[arg-type,list-item]
    ("sampled:20,1:uniform;noise:0.2:nash", cp.SampledPortfolio((cp.Uniform(), cp.Noise(0.2, cp.Nash())), 20, 1)),
]


@pytest.mark.parametrize(("text", "value"), OLD, ids=[text for text, _ in OLD])
def test_texts_mean_what_they_meant(text: str, value: LeafValue) -> None:
    assert value_function(text) == value
    assert is_fixed_value(None, str(value))


@pytest.mark.parametrize("value", [cp.SolvedValue(10), cp.Rollouts(5, 2), cp.Portfolio(("uniform", "nash"))], ids=str)
def test_a_record_and_its_text_are_one_look_ahead(
    kuhn: cp.GameTree, value: LeafValue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matchup, "ITERATIONS", 100)
    asked: dict[str, Any] = {"method": "abd" if isinstance(value, cp.Portfolio) else "cdrnr", "p": 0.5, "depth": 1}
    model = cp.opponent(kuhn, "random:3")
    first, second = (cp.respond(kuhn, model, leaf=one, **asked) for one in (value, str(value)))
    assert (first.gain, first.exploitability) == (second.gain, second.exploitability)


def test_strategies_without_a_text_stay_out_of_it(kuhn: cp.GameTree) -> None:
    """A file that holds such a name does not get another strategy of that name: it is asked for."""

    def nash(infoset: str, names: tuple[str, ...]) -> list[float]:
        return [1.0 / len(names)] * len(names + (infoset,)[1:])

    value = cp.Portfolio((nash, "uniform"))
    assert value.name == "portfolio"
    assert not is_fixed_value(kuhn.rules, value.name)
    assert not is_fixed_value(kuhn.rules, str(value))
    assert cp.Portfolio((cp.opponent(kuhn, "nash"),)).name == "portfolio"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rollout", "rollout needs samples, as in rollout:10"),
        ("rollout:0", "rollout: samples must be a whole number of at least 1, not '0'"),
        ("rollout:5,x", "rollout: seed must be a whole number of at least 0, not 'x'"),
        ("cfr+", "cfr+: iterations below the limit must be a whole number of at least 1, not ''"),
        ("equity:3", "equity: '3' is one word too many; it takes none"),
        ("net", "'net' lacks a .cpn file, as in net:leduc.cpn"),
        ("exat", "there is no value function 'exat'; did you mean 'exact'?"),
        ("equitty", "there is no value function 'equitty'; did you mean 'equity'?"),
        ("portfolio:uniform|", "a portfolio needs at least one strategy of each player"),
    ],
)
def test_a_text_that_is_none_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(cp.InputError) as found:
        value_function(text)
    assert sentence in str(found.value)
