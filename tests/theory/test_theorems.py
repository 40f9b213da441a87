"""What the theory says, on every small game of the catalogue and on random games, each number found in two ways.

Tolerances are shares of the span of payoffs. `witness` computes from the rules alone.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay.measure.frontier_point import is_cut, lines
from counterplay.responses.matchup import Matchup, trust_of
from counterplay.solvers.best_response import best_response
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.treeplex.restriction import Restriction
from tests.support import witness
from tests.support.covering import covering
from tests.support.random_games import KINDS, MatchUp, Renamed, Scaled, Swapped, games, match_ups, random_table
from tests.support.theorems import GameOf

EXACT = 1e-7
SMALL = [
    "kuhn",
    "kuhn:5",
    "goofspiel:3",
    "goofspiel:4",
    "liars_dice:1,2",
    "liars_dice:1,3",
    "battleships:2,2,1x1",
    "rps:2",
    "matrix:3 -1 2/0 4 -2",
    "matching_pennies:2,1,0",
    "ses_matrix",
    "cdrnr_fig2",
    "cdrnr_fig3",
    "cdrnr_fig10",
    "ggse_fig1",
    "ggse_fig5",
    "ggse_fig8",
    "ggse_fig11",
]
METHODS = list(MINIMISERS)


def slack(game: cp.GameTree, share: float = EXACT) -> float:
    """A share of the span, and the last digits of the largest payoff."""
    return share * game.span + 1e-14 * float(abs(game.histories.utility).max())


def close(a: float, b: float, game: cp.GameTree, share: float = EXACT) -> bool:
    return abs(a - b) <= slack(game, share)


def weight_of(answer: cp.Answer, p: float) -> float:
    """What a restricted Nash response maximises: p · value against the model + (1-p) · value against the worst case."""
    return p * answer.value_against_model + (1.0 - p) * (answer.game_value - answer.exploitability)


# --- solving ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*SMALL, "leduc", "liars_dice:1,4", "goofspiel:5"])
@pytest.mark.parametrize("method", METHODS)
def test_regret_minimisers_and_the_linear_program_agree_on_the_value(game_of: GameOf, spec: str, method: str) -> None:
    game = game_of(spec)
    exact = cp.solve(game, solver="lp")
    assert exact.nash_conv <= 1e-8 * game.span
    reached = 2e-3 * game.span
    found = cp.solve(game, solver=method, stop=cp.Stop(exploitability=reached, iterations=20_000, seconds=20.0))
    assert found.exploitability <= reached
    assert abs(found.value - exact.value) <= found.nash_conv + 1e-9 * game.span
    # Each average alone is an approximate equilibrium strategy.
    losses = [cp.evaluate(game, strategy).exploitability for strategy in found.strategies]
    assert sum(losses) == pytest.approx(found.nash_conv, abs=1e-8 * game.span)


@pytest.mark.parametrize("spec", SMALL)
def test_the_value_is_that_of_the_dense_program(game_of: GameOf, spec: str) -> None:
    game = game_of(spec)
    assert close(cp.solve(game).value, witness.value(game.rules), game)


@given(games())
def test_all_methods_agree_on_random_games(rules: object) -> None:
    game = cp.load(rules)
    value = witness.value(rules)
    exact = cp.solve(game, solver="lp")
    assert exact.nash_conv <= 1e-9 * max(game.span, 1.0)
    assert close(exact.value, value, game)
    for method in METHODS:
        stop = cp.Stop(exploitability=1e-3 * game.span, iterations=100_000)
        found = cp.solve(game, solver=method, stop=stop)
        assert found.exploitability <= stop.exploitability
        assert abs(found.value - value) <= found.nash_conv + slack(game)


@given(match_ups(), st.integers(0, 10**6), st.sampled_from(KINDS))
def test_values_and_exploitability_are_those_of_the_recursion(match: MatchUp, seed: int, kind: str) -> None:
    game, seat = match.game, match.seat
    table = random_table(match.rules, seat, kind, seed)
    strategy = cp.opponent(game, table.__getitem__, player=seat)
    measured = cp.evaluate(game, strategy, match.model)
    sign = 1.0 if seat == 0 else -1.0
    tables = (table, match.table) if seat == 0 else (match.table, table)
    value, worst = witness.value(match.rules, seat), -witness.best_response(match.rules, 1 - seat, table)[0]
    best = witness.best_response(match.rules, seat, match.table)[0]
    won = sign * witness.expected(match.rules, *tables)
    expected = [value, worst, value - worst, won, won - value, best - value, best - worst]
    names = ["game_value", "worst_case", "exploitability", "value_against_model", "gain", "model_exploitability"]
    for name, number in zip([*names, "nash_conv"], expected, strict=True):
        assert close(getattr(measured, name), number, game), name


@given(games(), st.integers(0, 1))
def test_an_equilibrium_strategy_holds_its_value_in_the_recursion(rules: object, seat: int) -> None:
    game = cp.load(rules)
    strategy = cp.solve(game).strategies[seat]
    loses = witness.best_response(rules, 1 - seat, strategy.table())[0]
    assert close(-loses, witness.value(rules, seat), game)


# --- responses --------------------------------------------------------------------------------------------------------


@given(match_ups())
def test_the_best_response_wins_what_the_recursion_wins(match: MatchUp) -> None:
    answer = cp.respond(match.game, match.model)
    worth, pure = witness.best_response(match.rules, match.seat, match.table)
    assert close(answer.value_against_model, worth, match.game)
    mine = cp.opponent(match.game, lambda infoset: pure[infoset], player=match.seat)
    assert close(cp.evaluate(match.game, mine, match.model).gain or 0.0, answer.gain, match.game)
    assert answer.gain >= -slack(match.game)


@given(match_ups(), st.floats(0.02, 0.98))
def test_restriction_is_the_two_copy_game(match: MatchUp, p: float) -> None:
    game, seat = match.game, match.seat
    copies = witness.TwoCopies(match.rules, 1 - seat, match.table, p)
    exact = witness.restricted_value(match.rules, seat, match.table, p)
    assert close(witness.value(copies, seat), exact, game)
    drawn_out = cp.solve(cp.load(copies)).value
    assert close(drawn_out if seat == 0 else -drawn_out, exact, game)
    bound = Restriction.of_plan(match.model.tree, match.model.behaviour, p)
    restricted = solve_lp(game.subgame.restricted(1 - seat, bound)).value
    assert close(restricted if seat == 0 else -restricted, exact, game)
    by_lp = cp.respond(game, match.model, p=p)
    assert close(weight_of(by_lp, p), exact, game)
    by_cfr = cp.respond(game, match.model, p=p, solver="pcfr+", stop=cp.Stop(1e-4 * game.span, 20_000))
    assert by_cfr.gap <= 2e-4 * game.span
    assert -slack(game) <= exact - weight_of(by_cfr, p) <= by_cfr.gap + slack(game)
    # What the answer says of itself is what its strategy does in the two-copy game.
    loses = witness.best_response(copies, 1 - seat, by_lp.strategy.table())[0]
    assert close(-loses, exact, game)


@given(match_ups())
def test_restricted_nash_response_all_along_p(match: MatchUp) -> None:
    for p in (0.0, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.0):
        exact = witness.restricted_value(match.rules, match.seat, match.table, p)
        assert close(weight_of(cp.respond(match.game, match.model, p=p), p), exact, match.game), p


@given(match_ups(), st.integers(0, 10**6))
def test_local_restriction_is_the_game_with_trembles(match: MatchUp, seed: int) -> None:
    """Trust differs from infoset to infoset, 0 and 1 included, through the counts of observations."""
    game, seat, tree = match.game, match.seat, match.model.tree
    rng = np.random.default_rng(seed)
    counts = rng.choice([0.0, 1.0, 4.0, 7.0, 10.0, 50.0], size=tree.lanes)
    model = cp.Strategy(tree, match.model.behaviour, counts=counts)
    p = float(rng.choice([0.3, 0.9, 1.0]))
    labels = tree.labels
    trust = dict.fromkeys(labels.infosets, 0.0)
    for text, lane in zip(labels.infosets, labels.lanes, strict=True):
        if lane >= 0:
            trust[text] = p * min(1.0, counts[lane] / 10.0)
    trembles = witness.Trembles(match.rules, 1 - seat, match.table, trust)
    exact = witness.value(trembles, seat)
    bound = Restriction.local(tree, model.behaviour, trust_of(model, p))
    restricted = solve_lp(game.subgame.restricted(1 - seat, bound)).value
    assert close(restricted if seat == 0 else -restricted, exact, game)
    for solver in ("lp", "cfr+"):
        answer = cp.respond(game, model, method="dbr", p=p, solver=solver, stop=cp.Stop(1e-4 * game.span, 20_000))
        guaranteed = -witness.best_response(trembles, 1 - seat, answer.strategy.table())[0]
        assert -slack(game) <= exact - guaranteed <= answer.gap + slack(game)


@given(match_ups())
def test_data_biased_response_without_trust_is_nash_and_with_full_trust_a_best_response(match: MatchUp) -> None:
    for solver in ("lp", "dcfr"):
        stop = cp.Stop(1e-4 * match.game.span, 20_000)
        none, full = (cp.respond(match.game, match.model, method="dbr", p=p, solver=solver, stop=stop) for p in (0, 1))
        assert none.exploitability <= none.gap + slack(match.game)
        best = witness.best_response(match.rules, match.seat, match.table)[0]
        assert -slack(match.game) <= best - full.value_against_model <= full.gap + slack(match.game)


@given(match_ups())
def test_the_trade_of_gain_and_exploitability_along_p(match: MatchUp) -> None:
    game, rounding = match.game, slack(match.game)
    grid = (0.0, 0.15, 0.4, 0.6, 0.85, 0.97, 1.0)
    along = [cp.respond(game, match.model, p=p) for p in grid]
    assert along[0].exploitability <= rounding
    assert close(along[-1].gain, cp.respond(game, match.model).gain, game)
    for p, answer in zip(grid, along, strict=True):
        assert answer.gain >= -rounding
        assert (1.0 - p) * answer.exploitability <= p * answer.gain + rounding
    for low, high in pairwise(along):
        assert high.gain >= low.gain - rounding
        # At p = 1 any best response is right; only below it does a larger p cost more.
        assert high.exploitability >= low.exploitability - rounding


@given(match_ups(), st.sampled_from((0.0, 0.01, 0.1, 0.3)))
def test_the_safe_response_is_within_epsilon_and_above_all_others(match: MatchUp, share: float) -> None:
    game, rounding = match.game, slack(match.game)
    epsilon = share * game.span
    safe = cp.respond(game, match.model, max_exploitability=epsilon)
    assert safe.exploitability <= epsilon + rounding
    most = witness.safe_value(match.rules, match.seat, match.table, epsilon)
    assert close(safe.value_against_model, most, game, 1e-6)
    along = [cp.respond(game, match.model, p=p) for p in (0.0, 0.2, 0.5, 0.7, 0.9, 1.0)]
    for low, high in pairwise(along):
        for weight in (0.0, 0.25, 0.5, 1.0):  # a mixture of two is at most as exploitable as interpolation says
            at = (1.0 - weight) * low.exploitability + weight * high.exploitability
            if at <= epsilon:
                assert safe.gain >= (1.0 - weight) * low.gain + weight * high.gain - 10.0 * rounding
    for method in ("rnr", "mix", "dbr"):
        other = cp.respond(game, match.model, method=method, max_exploitability=epsilon)
        assert other.exploitability <= epsilon + rounding
        assert other.gain <= safe.gain + slack(game, 1e-6)


@given(match_ups(), st.sampled_from((0.02, 0.1, 0.3)))
def test_the_safe_response_by_bisection_comes_close_to_the_linear_program(match: MatchUp, share: float) -> None:
    game = match.game
    exact = cp.respond(game, match.model, max_exploitability=share * game.span)
    stop = cp.Stop(1e-5 * game.span, 20_000)
    found = cp.respond(game, match.model, max_exploitability=share * game.span, solver="dcfr", stop=stop)
    assert found.exploitability <= share * game.span + slack(game)
    assert exact.gain - 5e-3 * game.span <= found.gain <= exact.gain + slack(game)


@given(match_ups())
def test_the_best_equilibrium(match: MatchUp) -> None:
    game, rounding = match.game, slack(match.game)
    best = cp.respond(game, match.model, method="bne")
    assert best.exploitability <= rounding
    assert close(best.gain, cp.respond(game, match.model, max_exploitability=0.0).gain, game, 1e-6)
    most = witness.safe_value(match.rules, match.seat, match.table, 0.0)
    assert close(best.value_against_model, most, game, 1e-6)
    some = cp.evaluate(game, cp.solve(game, solver="lp").strategies[match.seat], match.model)
    assert best.gain >= (some.gain or 0.0) - rounding >= -2.0 * rounding


@given(match_ups())
def test_a_mixture_gains_linearly_and_risks_convexly(match: MatchUp) -> None:
    game, rounding = match.game, slack(match.game)
    grid = (0.0, 0.25, 0.5, 0.75, 1.0)
    along = [cp.respond(game, match.model, method="mix", p=p) for p in grid]
    for p, answer in zip(grid, along, strict=True):
        assert close(answer.gain, (1.0 - p) * along[0].gain + p * along[-1].gain, game)
        assert answer.exploitability <= p * along[-1].exploitability + rounding
        assert answer.gain >= -rounding
    for before, here, after in zip(along[:-2], along[1:-1], along[2:], strict=True):
        assert 2.0 * here.exploitability <= before.exploitability + after.exploitability + rounding
    assert along[0].exploitability <= rounding
    assert close(along[-1].gain, cp.respond(game, match.model).gain, game)


@given(games(), st.integers(0, 1))
def test_nothing_is_won_from_an_equilibrium_model(rules: object, seat: int) -> None:
    game = cp.load(rules)
    model = cp.opponent(game, "nash", player=1 - seat)
    for call in ({}, {"method": "bne"}, {"p": 0.6}, {"max_exploitability": 0.1 * game.span}):
        assert abs(cp.respond(game, model, **call).gain) <= slack(game)
    assert cp.evaluate(game, model).exploitability <= slack(game)


@given(match_ups())
def test_against_a_best_responder_to_ones_own_strategy_gain_is_minus_exploitability(match: MatchUp) -> None:
    game, seat = match.game, match.seat
    own = random_table(match.rules, seat, "mixed", 5)
    strategy = cp.opponent(game, own.__getitem__, player=seat)
    response = best_response(game.subgame, 1 - seat, strategy.plan)
    rival = cp.Strategy(game.trees[1 - seat], response.behaviour)
    measured = cp.evaluate(game, strategy, rival)
    assert close(-(measured.gain or 0.0), measured.exploitability, game)


# --- symmetries -------------------------------------------------------------------------------------------------------

CALLS = [{}, {"p": 0.3}, {"p": 0.8}, {"method": "bne"}, {"method": "mix", "p": 1.0}, {"method": "dbr", "p": 1.0}]


def _objective(answer: cp.Answer, call: dict) -> float:
    return weight_of(answer, call["p"]) if answer.method == "rnr" else answer.value_against_model


@given(match_ups())
def test_names_and_orders_change_no_value(match: MatchUp) -> None:
    rules = Renamed(match.rules)
    game, seat = cp.load(rules), match.seat
    known = {f"({text[::-1]})": row for text, row in match.table.items()}
    model = cp.opponent(game, lambda text: {f"to {a}": q for a, q in known[text].items()}, player=1 - seat)
    for call in [*CALLS, {"max_exploitability": 0.1 * game.span}]:
        before, after = cp.respond(match.game, match.model, **call), cp.respond(game, model, **call)
        assert close(after.game_value, before.game_value, game)
        assert close(_objective(after, call), _objective(before, call), game, 1e-6)


@given(match_ups())
def test_changing_seats_changes_no_value(match: MatchUp) -> None:
    game = cp.load(Swapped(match.rules))
    assert close(cp.solve(game).value, -cp.solve(match.game).value, game)
    model = cp.opponent(game, match.table.__getitem__, player=match.seat)
    for call in [*CALLS, {"max_exploitability": 0.1 * game.span}]:
        before, after = cp.respond(match.game, match.model, **call), cp.respond(game, model, **call)
        assert after.seat == 1 - before.seat
        assert close(_objective(after, call), _objective(before, call), game, 1e-6)


@pytest.mark.parametrize("factor", [1e-9, *(pytest.param(x, marks=pytest.mark.slow) for x in (1e-4, 2.0, 1e5)), 1e9])
@given(match=match_ups())
def test_the_currency_does_not_matter(factor: float, match: MatchUp) -> None:
    game = cp.load(Scaled(match.rules, factor))
    assert close(cp.solve(game).value, factor * cp.solve(match.game).value, game)
    model = cp.opponent(game, match.table.__getitem__, player=1 - match.seat)
    for call in [*CALLS, {"max_exploitability": 0.1}]:
        scaled = {k: factor * v if k == "max_exploitability" else v for k, v in call.items()}
        before, after = cp.respond(match.game, match.model, **call), cp.respond(game, model, **scaled)
        assert close(_objective(after, call), factor * _objective(before, call), game, 1e-6)


# --- the frontier -----------------------------------------------------------------------------------------------------


@given(match_ups())
def test_the_frontier_repeats_the_single_answers(match: MatchUp) -> None:
    points = cp.frontier(match.game, match.model, points=4)
    corners = [point for point in points if point.method == "rnr"]
    assert 1 <= len(corners) <= 4
    assert [p.method for p in points[len(corners) :]] == ["safe"] * 4 + ["mix"] * 4 + ["bne", "br"]
    for point in points:
        if point.method == "safe":
            assert point.exploitability <= (point.dial or 0.0) + slack(match.game)
            call = {"max_exploitability": max(0.0, point.dial or 0.0)}
        else:
            call = {"method": point.method, "p": point.dial} if point.dial is not None else {"method": point.method}
        alone = cp.respond(match.game, match.model, **call)
        if point.method != "rnr":
            assert close(point.gain, alone.gain, match.game, 1e-6)
        else:
            p = point.dial or 0.0
            assert close(p * point.gain - (1.0 - p) * point.exploitability,
                         p * alone.gain - (1.0 - p) * alone.exploitability, match.game)  # fmt: skip
    safe = [p for p in points if p.method == "safe"]
    steps = np.diff([p.gain for p in safe])
    assert steps.min() >= -slack(match.game)
    assert close(safe[0].gain, points[-2].gain, match.game, 1e-6)
    assert close(safe[-1].gain, points[-1].gain, match.game, 1e-6)


@settings(max_examples=15)
@given(match_ups())
def test_corners_are_those_of_the_most_that_can_be_won(match: MatchUp) -> None:
    """Each is the response at every p of its interval, the intervals meet, and between two corners no strategy gains more
    than the straight line."""
    found = cp.frontier(match.game, match.model, ("rnr",), points=50)
    assert not is_cut(found)
    assert (found[0].dial_low, found[-1].dial_high) == (0.0, 1.0)
    for one in found:
        assert (one.dial_low or 0.0) <= (one.dial or 0.0) <= (one.dial_high or 0.0)
        for p in (one.dial_low or 0.0, one.dial, one.dial_high):
            alone = cp.respond(match.game, match.model, method="rnr", p=p)
            worth = [p * x.gain - (1.0 - p) * x.exploitability for x in (one, alone)]
            assert close(worth[0], worth[1], match.game)
    for one, other in pairwise(found):
        assert one.dial_high == other.dial_low
        assert one.gain < other.gain
        assert one.exploitability < other.exploitability
        middle = cp.respond(
            match.game, match.model, max_exploitability=0.5 * (one.exploitability + other.exploitability)
        )
        assert close(middle.gain, 0.5 * (one.gain + other.gain), match.game, 1e-6)


@settings(max_examples=20)
@given(match_ups(), st.sampled_from([2, 3, 4, 9]))
def test_no_line_is_drawn_above_safe(match: MatchUp, points: int) -> None:
    """And safe's own line is not above what can be won."""
    methods = ["rnr", "safe", "mix", "bne", "br", "dbr"]
    found = cp.frontier(match.game, match.model, methods, points=points)
    drawn = lines(found)
    top = drawn["safe"]
    slopes = [(g2 - g1) / (e2 - e1) for (e1, g1), (e2, g2) in pairwise(top) if e2 > e1]
    assert all(g2 >= g1 for (_, g1), (_, g2) in pairwise(top))
    assert all(after <= before * (1.0 + 1e-9) for before, after in pairwise(slopes))
    costs, gains = zip(*top, strict=True)
    for line in drawn.values():
        for (e1, g1), (e2, g2) in pairwise([line[0], *line]):
            for share in (0.0, 0.3, 0.5, 1.0):
                at, height = (1 - share) * e1 + share * e2, (1 - share) * g1 + share * g2
                assert height <= np.interp(at, costs, gains) + 1e-9 * max(1.0, match.game.span)
    for share in (0.2, 0.7):
        most = cp.respond(match.game, match.model, max_exploitability=share * costs[-1])
        assert np.interp(share * costs[-1], costs, gains) <= most.gain + slack(match.game, 1e-6)


@pytest.mark.parametrize(
    ("spec", "seat"), covering(["kuhn", "ggse_fig5", "cdrnr_fig10", "goofspiel:4", "liars_dice:1,3", "rps:2"], [0, 1])
)
def test_catalogue_games_hold_the_same_theorems(game_of: GameOf, spec: str, seat: int) -> None:
    game = game_of(spec)
    table = random_table(game.rules, 1 - seat, "sparse", 11)
    model = cp.opponent(game, table.__getitem__, player=1 - seat)
    for p in (0.25, 0.6, 0.95):
        exact = witness.restricted_value(game.rules, seat, table, p)
        assert close(weight_of(cp.respond(game, model, p=p), p), exact, game)
    for epsilon in (0.0, 0.02 * game.span, 0.2 * game.span):
        exact = witness.safe_value(game.rules, seat, table, epsilon)
        answer = cp.respond(game, model, max_exploitability=epsilon)
        assert close(answer.value_against_model, exact, game, 1e-6)
        assert answer.exploitability <= epsilon + slack(game)
    worth = witness.best_response(game.rules, seat, table)[0]
    assert close(cp.respond(game, model).value_against_model, worth, game)


def test_a_match_up_may_be_asked_in_any_order(kuhn: cp.GameTree) -> None:
    """The linear program is kept between solves; earlier floors and weights leave no trace."""
    model = cp.opponent(kuhn, "random:4")
    match = Matchup(kuhn, model)
    first = [match.value_against_model(match.restricted_nash(p).plan) for p in (0.2, 0.7)]
    tight = match.value_against_model(match.best_equilibrium().plan)
    loose = match.value_against_model(match.guaranteeing(match.game_value - 0.1).plan)
    again = [match.value_against_model(match.restricted_nash(p).plan) for p in (0.2, 0.7)]
    assert again == pytest.approx(first, abs=1e-9)
    assert match.value_against_model(match.best_equilibrium().plan) == pytest.approx(tight, abs=1e-9)
    assert tight + 1e-3 < loose


# --- depth-limited look-ahead -----------------------------------------------------------------------------------------


@given(match_ups(), st.integers(1, 4), st.sampled_from((0.0, 0.2, 0.5, 0.9)))
def test_depth_limited_responses_keep_their_bounds(match: MatchUp, depth: int, p: float) -> None:
    """Milec et al. 2024: gain ≥ 0, exploitability ≤ gain · p/(1-p); no look-ahead reaches more than the whole game."""
    game, rounding = match.game, slack(match.game)
    limited = cp.respond(game, match.model, method="cdrnr", p=p, depth=depth)
    assert limited.gain >= -rounding
    assert (1.0 - p) * limited.exploitability <= p * limited.gain + rounding
    assert weight_of(limited, p) <= witness.restricted_value(match.rules, match.seat, match.table, p) + rounding
    alone = cp.respond(game, match.model, method="cdbr", depth=depth)
    assert alone.gain >= -rounding
    assert alone.value_against_model <= witness.best_response(match.rules, match.seat, match.table)[0] + rounding
    certain = cp.respond(game, match.model, method="cdrnr", p=1.0, depth=depth)
    assert close(certain.gain, alone.gain, game)
    mixed = cp.respond(game, match.model, method="cdbr-ne", p=0.5, depth=depth)
    nash = cp.evaluate(game, cp.solve(game, solver="lp").strategies[match.seat], match.model)
    assert close(mixed.gain, 0.5 * (alone.gain + (nash.gain or 0.0)), game)


@given(match_ups(), st.sampled_from((0.0, 0.3, 0.7, 1.0)))
def test_looking_ahead_to_the_end_is_the_whole_game(match: MatchUp, p: float) -> None:
    game = match.game
    whole = cp.respond(game, match.model, p=p)
    ahead = cp.respond(game, match.model, method="cdrnr", p=p, depth=10)
    assert close(weight_of(ahead, p), weight_of(whole, p), game)
    best = cp.respond(game, match.model, method="cdbr", depth=10)
    assert close(best.gain, cp.respond(game, match.model).gain, game)
