"""Results: what every one of them has, and what public functions take and return is public."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.result import ResultRecord, known_facts
from tests.support.stored_spots import RIVER

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """A result of each kind that a small game gives."""
    game = cp.load("kuhn")
    counts = cp.Counts(game, 1)
    made = {
        "solve": cp.solve(game),
        "respond": cp.respond(game, "uniform", "rnr:0.5"),
        "evaluate": cp.evaluate(game, "nash", "uniform"),
        "frontier": cp.frontier(game, "uniform", ["rnr", "mix"], points=3),
        "misread": cp.misread(game, ["uniform", "nash"], ["br"]),
        "match": cp.match(game, "nash", "uniform", hands=20),
        "resolve": cp.resolve(game, "uniform", "moves:1"),
        "spot": cp.solve_spot(RIVER, iterations=10),
        "coverage": cp.coverage(game, counts.strategy()),
        "cross fit": cp.cross_fit(counts, lambda part: part.strategy(), lambda model: cp.respond(game, model).strategy),
        "value error": cp.value_error(game, "cfr:2", samples=2),
    }
    made["point"], made["misreading"] = made["frontier"][0], made["misread"][0]
    return made


KINDS = (
    "solve", "respond", "evaluate", "frontier", "misread", "match", "resolve", "spot", "coverage", "cross fit",
    "value error", "point", "misreading",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_is_facts_a_line_a_document_and_a_table(results: dict[str, Any], kind: str) -> None:
    result = results[kind]
    assert isinstance(result, ResultRecord)
    assert kind == result.KIND
    assert "\n" not in repr(result)
    assert len(repr(result)) <= 120
    document = result.to_dict()
    assert (document["kind"], document["version"]) == (kind, cp.__version__)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert None not in document.values()
    assert len(result.to_frame()) == (len(result) if isinstance(result, list) else 1)
    assert "<table" in result._repr_html_() or "<svg" in result._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["value", "exploitability", "strategies"])
def test_every_result_has_its_numbers_or_says_why_not(results: dict[str, Any], kind: str, name: str) -> None:
    result = results[kind]
    if name in type(result).LACKS:
        with pytest.raises(AttributeError, match=f"has no '{name}': .{{20}}"):
            getattr(result, name)
    else:
        value = getattr(result, name)
        assert len(value) == 2 if name == "strategies" else value is None or np.isfinite(value)


def test_names_of_the_numbers_agree_with_the_facts(results: dict[str, Any]) -> None:
    assert results["respond"].value == results["respond"].facts["value_against_model"]
    assert results["evaluate"].value == results["evaluate"].facts["value_against_model"]
    assert results["match"].value == results["match"].facts["mean"]
    assert results["resolve"].exploitability == results["resolve"].facts["after"]
    solved = results["spot"]
    assert (solved.value, solved.exploitability) == (solved.facts["value"], solved.facts["exploitability"])
    assert [strategy.player for strategy in solved.strategies] == [0, 1]


def test_numbers_that_are_not_known_are_absent() -> None:
    facts = {"a": float("nan"), "b": None, "c": [1.0, float("inf")], "d": {"e": float("-inf"), "f": 0}}
    assert known_facts(facts) == {"c": [1.0, None], "d": {"f": 0}}


def test_pictures_are_drawn_into_given_axes(results: dict[str, Any]) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for kind in ("frontier", "spot"):
        figure, axes = pyplot.subplots()
        assert results[kind].plot(axes) is axes
        assert axes.has_data()
        pyplot.close(figure)
    with pytest.raises(cp.InputError, match="no player acts at"):
        results["spot"].plot(path="x x")


def test_a_strategy_is_a_mapping_from_infosets(results: dict[str, Any]) -> None:
    strategy = results["solve"].strategies[0]
    assert dict(strategy) == strategy.table()
    assert list(strategy) == strategy.keys() == list(strategy.table())
    assert len(strategy) == len(strategy.table())
    infoset = strategy.keys()[0]
    assert infoset in strategy
    assert strategy[infoset] == strategy.probabilities(infoset)
    with pytest.raises(KeyError, match="did you mean"):
        strategy["no such infoset"]
    with pytest.raises(cp.InputError):
        strategy["no such infoset"]
    table = strategy.to_frame()
    assert table.loc[infoset].dropna().to_dict() == strategy[infoset]


def test_strategies_are_equal_by_content(results: dict[str, Any]) -> None:
    strategy = results["solve"].strategies[0]
    again = cp.Strategy.from_table(cp.load("kuhn").trees[0], strategy.table())
    assert strategy == cp.Strategy(strategy.tree, strategy.behaviour.copy(), {"other": "facts"})
    assert hash(strategy) == hash(cp.Strategy(strategy.tree, strategy.behaviour.copy()))
    assert np.allclose(again.behaviour, strategy.behaviour)
    assert strategy != results["solve"].strategies[1]
    assert strategy != cp.Strategy.uniform(strategy.tree)
    assert strategy != 3


def test_array_of_a_strategy(results: dict[str, Any]) -> None:
    strategy = results["solve"].strategies[1]
    infosets = strategy.keys()[:2]
    names = list(strategy[infosets[0]])
    rows = strategy.array(infosets, [*names, "no such action"])
    assert rows.shape == (2, len(names) + 1)
    assert rows[0, :-1].tolist() == list(strategy[infosets[0]].values())
    assert np.isnan(rows[:, -1]).all()
    assert np.allclose(np.nansum(strategy.array(), axis=1), 1.0)


def test_a_matrix_of_numbers_is_a_game() -> None:
    game = cp.load(cp.matrix_game(np.array([[2.0, -1.0], [-1.0, 1.0]])))
    assert cp.solve(game).value == pytest.approx(0.2)
    assert cp.solve(cp.matrix_game([[2, -1], [-1, 1]])).value == pytest.approx(0.2)


def _types(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and not typing.get_args(hint):
        yield hint
    for inner in hint if isinstance(hint, list) else (typing.get_origin(hint), *typing.get_args(hint)):
        if inner is not None and inner is not hint:
            yield from _types(inner)


@pytest.mark.parametrize("name", [name for name in cp.__all__ if inspect.isfunction(getattr(cp, name))])
def test_types_of_public_functions_are_public(name: str) -> None:
    public = {getattr(cp, one) for one in cp.__all__ if isinstance(getattr(cp, one), type)}
    hints = typing.get_type_hints(inspect.unwrap(getattr(cp, name)))
    ours = {one for hint in hints.values() for one in _types(hint) if one.__module__.startswith("counterplay")}
    assert ours <= public
