"""Spots with a rake: answers that can be derived by hand, a rake of 0, which changes nothing, and invalid input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import counterplay as cp
from counterplay import InputError, solve_spot
from counterplay.poker.betting.stakes import NO_BOUND, SOLUTION
from counterplay.poker.cards.deck import FULL, cards_of
from counterplay.poker.locking.exploit_leak import LeakAnswer, exploit_leak
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.poker.locking.report import report_leak

BETS = "ip: none; oop: a; ip raise: none; oop raise: a"
CAUGHT = cp.Spot("Ks 8h 8d 4c 2s", "KhKd,7h6h", "AcAd", 100, 100, BETS, rake=0.1)  # type: ignore[arg-type]
"""Oop has the nuts or nothing and may go all-in for the pot; ip catches bluffs. The house takes a tenth of every pot."""
CALLS = 90 / 190
"""Nothing wins 90 of a fold and loses 100 to a call, and is to win 0."""
BLUFFS = 100 / 170
"""How often nothing bets: a call loses 100 to the nuts and wins 270 - 100 from it, and is to win 0."""


def hand(text: str) -> int:
    return FULL.hand(*cards_of(text))


def test_the_equilibrium_of_a_bluff_catcher_under_a_rake() -> None:
    found = solve_spot(CAUGHT, percent_of_pot=0.001, iterations=20_000)
    top, faced = found.node(), found.node("a")
    assert faced.probabilities[hand("AcAd"), 1] == pytest.approx(CALLS, abs=0.01)
    assert top.probabilities[hand("7h6h"), 1] == pytest.approx(BLUFFS, abs=0.01)
    nuts = (1 - CALLS) * 90 + CALLS * 170
    assert found.facts["ev"] == pytest.approx([nuts / 2, (1 - BLUFFS) / 2 * 90], abs=0.1)
    assert found.facts["value"] == pytest.approx(found.facts["ev"][0] - 50)
    assert found.facts["rake"] == pytest.approx(100 - sum(found.facts["ev"]))
    assert found.facts["note"] == SOLUTION
    assert top.means == pytest.approx(found.facts["ev"], abs=1e-9)


@pytest.mark.parametrize("cap", [None, 12.0])
def test_best_responses_under_a_rake_by_hand(cap: float | None) -> None:
    """Who always calls is bet into with the nuts alone: 300 chips less the rake, of which 100 are one's own."""
    spot = replace(CAUGHT, rake_cap=cap)
    caller = cp.opponent(spot, lambda *_: {"fold": 0.0, "call": 1.0}, 1)
    found = cp.respond(spot, caller)
    won = 200 - (30 if cap is None else 12)
    assert found.value_against_model == pytest.approx(won / 2 - 50, abs=1e-9)
    assert found.facts["ev_against_model"] == pytest.approx(won / 2, abs=1e-9)
    assert found.strategy.probabilities("7h6h") == {"check": 1.0, "all-in 100": 0.0}
    assert found.note == NO_BOUND
    assert cp.evaluate(spot, found.strategy, caller).gain == pytest.approx(found.gain, abs=1e-9)


def test_exploitability_is_what_a_best_responder_wins_beyond_the_equilibrium() -> None:
    """Who bets only the nuts is never called; ip then has 90 of every pot that nothing checks, half of the time."""
    honest = cp.opponent(CAUGHT, lambda _, cards: [1.0, 0.0] if cards == "7h6h" else [0.0, 1.0], 0)
    found = cp.evaluate(CAUGHT, honest)
    assert found.exploitability == pytest.approx(45 - (1 - BLUFFS) / 2 * 90, abs=0.1)
    assert found.worst_case == pytest.approx(90 / 2 - 50, abs=1e-9)  # the nuts win what a fold leaves
    assert found.note == NO_BOUND


@pytest.fixture(scope="module")
def spots() -> Any:
    fair = cp.Spot("Qs Jh 2h 8d 3c", "QQ,KQs,T9s,76s", "JJ,AQs,98s,65s", 100, 200, "75%, a", raises=2)  # type: ignore[arg-type]
    return fair, replace(fair, rake=1e-9), replace(fair, rake=0.05)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_rake_of_nearly_nothing_changes_hardly_anything(spots: Any, seat: int) -> None:
    fair, hardly, _ = spots
    asked: dict[str, Any] = {"p": 0.5, "solver": "dcfr", "stop": cp.Stop(0.01)}
    one, two = (
        cp.respond(spot, cp.opponent(spot, "bias:fold=3:uniform", 1 - seat), **asked) for spot in (fair, hardly)
    )
    assert two.game_value == pytest.approx(one.game_value, abs=0.03)
    assert two.gain - two.exploitability == pytest.approx(one.gain - one.exploitability, abs=0.06)  # what p = .5 asks
    measured = [cp.evaluate(spot, cp.opponent(spot, "uniform", seat)).exploitability for spot in (fair, hardly)]
    assert measured[1] == pytest.approx(measured[0], abs=0.03)


@pytest.mark.parametrize("seat", [0, 1])
def test_trust_wins_more_from_the_model_with_a_rake_too(spots: Any, seat: int) -> None:
    raked = spots[-1]
    model = cp.opponent(raked, "bias:fold=3:uniform", 1 - seat)
    found = [cp.respond(raked, model, p=p) for p in (0.0, 0.3, 0.7, 1.0)]
    gains = [one.gain for one in found]
    assert gains == sorted(gains)
    assert found[0].exploitability < 0.1
    assert gains[-1] == pytest.approx(cp.respond(raked, model).gain)
    points = cp.frontier(raked, model, ("rnr", "mix", "br"), points=3)
    assert [point.gain for point in points if point.method == "br"] == pytest.approx([gains[-1]])


def locked(spot: cp.Spot, text: str, **dials: Any) -> LeakAnswer:
    return exploit_leak(
        lock_nodes(solve_spot(spot, percent_of_pot=0.01), Leaks.from_text(text)), accuracy=0.01, **dials
    )


def test_an_answer_to_a_leak_under_a_rake_by_hand() -> None:
    """Who folds 70 % is always bet into: the nuts win .7 · 90 + .3 · 170, nothing .7 · 90 - .3 · 100."""
    found = locked(CAUGHT, 'at "a": fold 70%')
    assert found.answered.node("").probabilities[hand("7h6h"), 1] == pytest.approx(1.0, abs=1e-4)
    assert found.value + found.gain + 50 == pytest.approx((0.7 * 90 + 0.3 * 170 + 0.7 * 90 - 0.3 * 100) / 2, abs=1e-3)
    assert found.most is None or found.most >= found.gain
    assert found.exploitability == pytest.approx((170 - 100) / 2 - (1 - BLUFFS) / 2 * 90, abs=0.1)  # who calls always
    text = "\n".join(report_leak(found))
    assert NO_BOUND in text
    assert "at least" not in text
    assert "at most" not in text


@pytest.mark.parametrize("p", [None, 0.5])
@pytest.mark.parametrize("leak", ["opponent ip\nfacing a bet: always call", "opponent oop\nfirst: always check"])
def test_locks_with_a_rake_of_nearly_nothing_are_those_without(spots: Any, leak: str, p: float | None) -> None:
    fair, hardly, raked = spots
    one, two, three = (locked(spot, leak, p=p) for spot in (fair, hardly, raked))
    weight = p or 1.0
    first, second = (weight * x.gain - (1.0 - weight) * x.exploitability for x in (one, two))
    assert second == pytest.approx(first, abs=0.1)
    assert three.value < one.value
    assert three.most is None or p is None


def test_the_house_has_its_part_of_every_hand(spots: Any) -> None:
    def played(spot: cp.Spot, text: str, hands: int) -> Any:
        return cp.match(
            spot, lambda seat: cp.agent(spot, text, seat), lambda seat: cp.agent(spot, "uniform", seat), hands
        )

    fair, *_, raked = spots
    found = played(raked, "rnr:p=0.5,to=uniform", 200)
    assert 5.0 < found.rake < 25.0  # of pots of 100 to 500 a twentieth
    both = played(raked, "uniform", 200)
    assert both.mean == pytest.approx(-both.rake / 2, abs=10.0)  # two who play alike pay alike
    assert played(fair, "uniform", 4).rake == 0.0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"max_exploitability": "1%"}, "no bound on the risk holds: safe counts on that; with a rake there are br"),
        ({"method": "rnr", "max_exploitability": 1.0}, "no bound on the risk holds: it takes p, and no"),
        ({"method": "bne"}, "bne counts on that; with a rake there are br, mix, dbr, rnr, lbr, and locks"),
        ({"method": "cdrnr", "p": 0.5, "depth": "round"}, "cdrnr counts on that"),
        ({"p": 0.5, "solver": "lp"}, "the linear program takes none"),
    ],
)
def test_what_needs_zero_sum_is_refused_in_a_sentence(spots: Any, asked: dict[str, Any], said: str) -> None:
    raked = spots[-1]
    with pytest.raises(InputError, match=f"^with a rake the spot is not zero-sum, and .*{said}"):
        cp.respond(raked, cp.opponent(raked, "uniform", 1), **asked)


def test_agents_and_blueprints_that_need_zero_sum_are_refused(spots: Any) -> None:
    raked = spots[-1]
    with pytest.raises(InputError, match="resolve counts on that"):
        cp.agent(raked, "resolve", 0)
    with pytest.raises(InputError, match="re-solving counts on that"):
        cp.resolve(raked, "nash", "round")
    with pytest.raises(InputError, match="safe counts on that"):
        cp.frontier(raked, cp.opponent(raked, "uniform", 1), ("rnr", "safe"), points=2)
