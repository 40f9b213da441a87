"""Methods as records: texts, keywords and errors; all notations of a method mean the same."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import given

import counterplay as cp
from counterplay.responses.method import METHOD, Method
from tests.support.drawn_methods import methods


@given(methods())
def test_a_method_is_read_back_from_its_text(method: Method) -> None:
    assert METHOD.parse(str(method)) == method


SAME: dict[str, tuple[Method, dict[str, Any]]] = {
    "br": (cp.BR(), {}),
    "rnr:p=0.5": (cp.RNR(0.5), {"p": 0.5}),
    "rnr:max_exploitability=0.1": (cp.RNR(max_exploitability=0.1), {"method": "rnr", "max_exploitability": 0.1}),
    "safe:max_exploitability=1%": (cp.Safe("1%"), {"max_exploitability": "1%"}),
    "mix:p=0.25": (cp.Mix(0.25), {"method": "mix", "p": 0.25}),
    "cdbr:depth=1": (cp.CDBR(cp.LookAhead(1)), {"method": "cdbr", "depth": 1}),
    "cdrnr:p=0.5,depth=1,leaf=rollout:20,gadget=max-margin": (
        cp.CDRNR(p=0.5, look=cp.LookAhead(depth=1, leaf="rollout:20", gadget="max-margin")),
        {"method": "cdrnr", "p": 0.5, "depth": 1, "leaf": "rollout:20", "gadget": "max-margin"},
    ),
    "ses:alpha=0.5,depth=1,solve=per-state": (
        cp.SES(0.5, cp.LookAhead(1, solve="per-state")),
        {"method": "ses", "alpha": 0.5, "depth": 1, "solve": "per-state"},
    ),
    "resolve:depth=2,prior=uniform": (
        cp.Resolve(cp.LookAhead(2, prior="uniform")),
        {"method": "resolve", "depth": 2, "prior": "uniform"},
    ),
}


@pytest.mark.parametrize("text", SAME)
def test_a_record_its_text_and_the_keywords_are_one_method(text: str) -> None:
    game = cp.load("kuhn")
    model = cp.opponent(game, "random:3")
    record, keywords = SAME[text]
    assert str(record) == text
    answers = [cp.respond(game, model, record), cp.respond(game, model, text), cp.respond(game, model, **keywords)]
    facts = [{**answer.facts, "seconds": 0.0} for answer in answers]
    assert facts[0] == facts[1] == facts[2]
    assert facts[0]["method"] == record.HEAD


def test_a_look_ahead_without_a_depth_sees_one_level() -> None:
    game = cp.load("kuhn")
    model = cp.opponent(game, "random:3")
    one, other = (cp.respond(game, model, cp.CDRNR(0.5, look)) for look in (cp.LookAhead(), cp.LookAhead(1)))
    assert {**one.facts, "seconds": 0.0} == {**other.facts, "seconds": 0.0}
    assert one.depth == 1


@pytest.mark.parametrize(
    ("words", "culprit"),
    [
        ({"method": cp.RNR(0.5), "p": 0.5}, "^p is a field of the method rnr:p=0.5 and must be given there$"),
        ({"method": "rnr:p=0.5", "depth": 1}, "^depth is a field of the method rnr:p=0.5 and must be given there$"),
        ({"method": "rnr:q=0.5"}, "^rnr has no option 'q'; it has p, max_exploitability$"),
        ({"method": "rnr:0.5,1%,2"}, "^rnr: '2' is one word too many; it takes p, max_exploitability$"),
        ({"method": "rnr:p=2"}, "^rnr: p must be between 0 and 1, not '2'$"),
        ({"depht": 1}, "^respond has no option 'depht'; did you mean 'depth'"),
        ({"method": "saef"}, "^there is no method 'saef'; did you mean 'safe'"),
        ({"method": "abd:p=0.5,depth=1"}, "^abd needs a portfolio"),
        ({"method": "cdbr:depth=1,gadget=full"}, "^cdbr faces the model alone and takes no gadget$"),
        ({"method": "cdrnr", "p": 0.5, "depth": 1, "solve": "alone"}, "solved joint or per-state, not 'alone'"),
    ],
)
def test_what_does_not_fit_is_refused(words: dict[str, Any], culprit: str) -> None:
    game = cp.load("kuhn")
    with pytest.raises(cp.InputError, match=culprit):
        cp.respond(game, cp.opponent(game, "uniform"), **words)


@pytest.mark.parametrize("method", [cp.RNR, cp.Safe, cp.SES, cp.CDRNR, cp.Mix])
def test_a_dial_must_be_set_before_a_method_is_computed(method: type[Method]) -> None:
    """Only `frontier` takes one whose dial is open."""
    game = cp.load("kuhn")
    assert not method().is_set
    with pytest.raises(cp.InputError, match=r"needs (either p|either alpha|a largest)"):
        cp.respond(game, cp.opponent(game, "uniform"), method())


def test_no_public_function_takes_more_than_eight_arguments() -> None:
    for function in filter(inspect.isfunction, (getattr(cp, name) for name in cp.__all__)):
        named = [one for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        assert len(named) <= 8, function
