"""Solvers: when they stop, what Ctrl-C leaves, which methods there are, and the linear program's duals."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.solvers import equilibrium as equilibria
from counterplay.solvers import lp
from counterplay.solvers.best_response import best_response, gap
from counterplay.solvers.equilibrium import equilibrium, pick
from counterplay.solvers.lp import SequenceFormLP, solve_lp
from counterplay.solvers.minimiser import MINIMISERS, minimiser
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import reach
from tests.support import witness
from tests.support.random_games import MatchUp, Wrapped, match_ups
from tests.support.theorems import GameOf

METHODS = list(MINIMISERS)


# --- stopping ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("iterations", [0, 1, 7, 16, 17, 100, 333])
def test_iterations_are_exact(kuhn: cp.GameTree, method: str, iterations: int) -> None:
    found = cp.solve(kuhn, solver=method, stop=cp.Stop(iterations=iterations))
    assert found.solution.iterations == iterations
    assert not found.solution.interrupted
    for player, strategy in enumerate(found.strategies):
        assert strategy.player == player
    if iterations == 0:
        assert [s.table() for s in found.strategies] == [
            cp.opponent(kuhn, "uniform", player=player).table() for player in (0, 1)
        ]


@pytest.mark.parametrize("method", METHODS)
def test_exploitability_is_reached_and_not_overshot_by_much(leduc: cp.GameTree, method: str) -> None:
    coarse, fine = (cp.solve(leduc, solver=method, stop=cp.Stop(exploitability=e)) for e in (0.1, 0.01))
    assert 0.01 < coarse.exploitability <= 0.1
    assert 0.001 < fine.exploitability <= 0.01
    assert coarse.solution.iterations < fine.solution.iterations
    assert fine.nash_conv == pytest.approx(2.0 * fine.exploitability)


@pytest.mark.parametrize(
    "method", [pytest.param(one, marks=[pytest.mark.slow] * (one not in ("cfr", "pdcfr+"))) for one in METHODS]
)
def test_seconds_are_respected(leduc: cp.GameTree, method: str) -> None:
    cp.solve(leduc, solver=method, stop=cp.Stop(iterations=1))
    begin = time.perf_counter()
    found = cp.solve(leduc, solver=method, stop=cp.Stop(seconds=0.3))
    elapsed = time.perf_counter() - begin
    assert 0.25 <= found.solution.seconds <= elapsed < 1.5
    assert found.solution.iterations > 16


def test_the_first_criterion_stops(kuhn: cp.GameTree) -> None:
    by_count = cp.solve(kuhn, solver="cfr+", stop=cp.Stop(exploitability=1e-12, iterations=50, seconds=60.0))
    assert by_count.solution.iterations == 50
    by_gap = cp.solve(kuhn, solver="cfr+", stop=cp.Stop(exploitability=0.05, iterations=10**6, seconds=60.0))
    assert by_gap.exploitability <= 0.05
    assert by_gap.solution.iterations < 10**5
    assert cp.solve(kuhn, solver="cfr+", stop=cp.Stop(seconds=0.0)).solution.seconds < 1.0


def test_by_default_small_games_are_exact_and_a_stop_means_iterating(kuhn: cp.GameTree) -> None:
    assert cp.solve(kuhn).solution.method == "lp"
    iterated = cp.solve(kuhn, stop=cp.Stop(exploitability=1e-3))
    assert iterated.solution.method == pick(kuhn.subgame).name
    assert cp.solve(kuhn, solver="cfr").exploitability <= 1e-4 * kuhn.span


class Flat(Wrapped):
    """The same game, in which everything is worth the same."""

    def utility(self, state: object) -> float:
        return 0.1


@pytest.mark.parametrize("method", ["lp", *METHODS])
def test_games_without_a_stake_end(kuhn: cp.GameTree, method: str) -> None:
    """All payoffs alike: the span is 0, and rounding alone must not keep a solver running for ever."""
    flat = cp.load(Flat(kuhn.rules))
    assert cp.solve(flat, solver=method).value == pytest.approx(0.1)
    model = cp.opponent(flat, "random:3")
    assert cp.respond(flat, model, p=0.3, solver=method).gain == pytest.approx(0.0, abs=1e-12)


# --- progress and Ctrl-C ----------------------------------------------------------------------------------------------


def test_progress_tells_rising_iterations_and_the_exploitability(leduc: cp.GameTree) -> None:
    told: list[tuple[int, float]] = []
    found = cp.solve(leduc, solver="cfr+", stop=cp.Stop(iterations=500), progress=lambda n, e: told.append((n, e)))
    counts = [n for n, _ in told]
    assert counts == sorted(set(counts))
    assert counts[-1] == 500
    assert min(e for _, e in told) == pytest.approx(found.exploitability)


def test_the_best_average_is_kept_where_the_last_is_worse(game_of: GameOf) -> None:
    fell_back = 0
    for spec, method in (("kuhn", "cfr+"), ("kuhn", "dcfr"), ("rps:2", "dcfr"), ("cdrnr_fig2", "cfr")):
        told: list[float] = []
        found = cp.solve(
            game_of(spec), solver=method, stop=cp.Stop(iterations=500), progress=lambda _, e, to=told: to.append(e)
        )
        assert found.exploitability == pytest.approx(min(told))
        fell_back += told[-1] > 1.01 * min(told)
    assert fell_back > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("calls", [1, 5])
def test_ctrl_c_keeps_the_best_so_far(leduc: cp.GameTree, method: str, calls: int) -> None:
    told: list[float] = []

    def stop_soon(_: int, exploitability: float) -> None:
        told.append(exploitability)
        if len(told) == calls:
            raise KeyboardInterrupt

    found = cp.solve(leduc, solver=method, stop=cp.Stop(iterations=10**9), progress=stop_soon)
    assert found.solution.interrupted
    assert found.facts["interrupted"] is True
    assert found.exploitability == pytest.approx(min(told))
    loss = sum(cp.evaluate(leduc, strategy).exploitability for strategy in found.strategies)
    assert loss == pytest.approx(found.nash_conv, abs=1e-9)


def test_ctrl_c_in_a_response(leduc: cp.GameTree) -> None:
    def at_once(*_: float) -> None:
        raise KeyboardInterrupt

    model = cp.opponent(leduc, "uniform")
    for call in ({"p": 0.5}, {"method": "dbr", "p": 0.5}, {"max_exploitability": 0.2}):
        answer = cp.respond(leduc, model, solver="cfr+", progress=at_once, **call)
        assert answer.interrupted
        assert answer.gap > 0.0
        if "max_exploitability" in call:
            assert answer.exploitability <= 0.2 + 1e-8


def test_ctrl_c_ends_a_frontier_with_the_points_so_far(kuhn: cp.GameTree) -> None:
    told: list[int] = []

    def third(iterations: int, _: float) -> None:
        told.append(iterations)
        if len(set(told)) < len(told):  # a new solve began: the first one was let through
            raise KeyboardInterrupt

    model = cp.opponent(kuhn, "uniform")
    points = cp.frontier(kuhn, model, ("rnr",), points=6, solver="cfr+", progress=third)
    assert [point.dial for point in points] == pytest.approx([0.0, 0.5, 1.0])  # both ends, and where they tie


def test_an_interrupted_equilibrium_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_once(*_: float) -> None:
        raise KeyboardInterrupt

    game = cp.load("kuhn")
    monkeypatch.setattr(equilibria, "LP_UP_TO", 0)
    with pytest.raises(KeyboardInterrupt):
        equilibrium(game.subgame, at_once)
    again = equilibrium(game.subgame)
    assert not again.interrupted
    assert again.value == pytest.approx(-1 / 18, abs=1e-5)
    assert equilibrium(game.subgame) is again


# --- methods ----------------------------------------------------------------------------------------------------------


def test_nothing_after_the_colon_changes_nothing() -> None:
    assert minimiser("cfr:") == minimiser("cfr") == MINIMISERS["cfr"]


@pytest.mark.parametrize(
    "name",
    ["fictitious", "", "CFR", "cfr++", "dcfr:1,2", "dcfr:a,b,c", "dcfr:1,2,3,4", "cfr:sometimes", "dcfr:nan,0,2"],
)
def test_unknown_methods_are_refused(kuhn: cp.GameTree, name: str) -> None:
    with pytest.raises(cp.InputError, match=name.split(":")[0] or "method"):
        cp.solve(kuhn, solver=name)


def test_parameters_are_those_of_the_records(kuhn: cp.GameTree) -> None:
    stop = cp.Stop(iterations=40)
    named, written = (cp.solve(kuhn, solver=m, stop=stop) for m in ("dcfr", "dcfr:1.5,0,2"))
    assert named.strategies[0].table() == written.strategies[0].table()
    assert written.facts["method"] == "dcfr:1.5,0,2"
    others = [cp.solve(kuhn, solver=m, stop=stop) for m in ("dcfr:1,1,1", "cfr+:simultaneous", "cfr+", "cfr")]
    tables = [str(one.strategies[0].table()) for one in [named, *others]]
    assert len(set(tables)) == len(tables)


# --- one step of the definitions --------------------------------------------------------------------------------------


def test_vanilla_cfr_by_hand_on_a_matrix(game_of: GameOf) -> None:
    """Regret matching, written out: simultaneous moves, and the plain average of what each iteration plays."""
    game = game_of("matrix:3 -1 2/0 4 -2")
    A = np.array([[3.0, -1.0, 2.0], [0.0, 4.0, -2.0]])
    regret, total = [np.zeros(2), np.zeros(3)], [np.zeros(2), np.zeros(3)]

    def matching(r: np.ndarray) -> np.ndarray:
        positive = np.maximum(r, 0.0)
        return positive / positive.sum() if positive.sum() > 0.0 else np.full(len(r), 1.0 / len(r))

    x, y = matching(regret[0]), matching(regret[1])
    for _ in range(50):
        total[0] += x
        total[1] += y
        regret[0] += A @ y - x @ A @ y
        regret[1] += x @ A @ y - x @ A
        x, y = matching(regret[0]), matching(regret[1])
    for player, names in enumerate(("rows", "columns")):
        row = list(cp.opponent(game, "cfr:50,simultaneous", player=player).probabilities(names).values())
        assert row == pytest.approx(total[player] / total[player].sum(), abs=1e-9)


def test_cfr_plus_by_hand_on_a_matrix(game_of: GameOf) -> None:
    """Regrets floored at 0, the column player answers the new row strategy, weight t."""
    game = game_of("matrix:3 -1 2/0 4 -2")
    A = np.array([[3.0, -1.0, 2.0], [0.0, 4.0, -2.0]])
    regret, total = [np.zeros(2), np.zeros(3)], [np.zeros(2), np.zeros(3)]

    def matching(r: np.ndarray) -> np.ndarray:
        return r / r.sum() if r.sum() > 0.0 else np.full(len(r), 1.0 / len(r))

    y = matching(regret[1])
    for t in range(1, 31):
        x = matching(regret[0])
        total[0] += t * x
        total[1] += t * y
        regret[0] = np.maximum(regret[0] + A @ y - x @ A @ y, 0.0)
        x = matching(regret[0])
        y = matching(regret[1])
        regret[1] = np.maximum(regret[1] + x @ A @ y - x @ A, 0.0)
        y = matching(regret[1])
    for player, names in enumerate(("rows", "columns")):
        row = list(cp.opponent(game, "cfr+:30", player=player).probabilities(names).values())
        assert row == pytest.approx(total[player] / total[player].sum(), abs=1e-9)


# --- the linear program -----------------------------------------------------------------------------------------------


@given(match_ups(), st.sampled_from((0.0, 0.3, 0.9)))
def test_both_plans_of_a_restricted_program_are_a_saddle_point(match: MatchUp, p: float) -> None:
    """The duals are the opponent's plan: with the responder's it leaves nothing to win, restriction included."""
    game, tree = match.game, match.model.tree
    free = game.subgame
    whole = Restriction.of_plan(tree, match.model.behaviour, p)
    trust = np.random.default_rng(3).choice([0.0, 0.4, 1.0], size=tree.lanes)
    local = Restriction.local(tree, match.model.behaviour, trust)
    for restriction in (Restriction(), whole, local):
        problem = free.restricted(1 - match.seat, restriction)
        solution = solve_lp(problem)
        assert solution.nash_conv <= 1e-7 * game.span + 1e-12
        assert gap(problem, solution.plans)[0] == pytest.approx(solution.nash_conv, abs=1e-12 + 1e-12 * game.span)
        high = best_response(problem, match.seat, solution.plans[1 - match.seat]).value
        assert abs(high - (1 if match.seat == 0 else -1) * solution.value) <= 1e-7 * game.span + 1e-12


def test_both_restricted_is_refused(kuhn: cp.GameTree) -> None:
    problem = kuhn.subgame
    for player in (0, 1):
        model = cp.opponent(kuhn, "random:1", player=player)
        problem = problem.restricted(player, Restriction.of_plan(model.tree, model.behaviour, 0.5))
    with pytest.raises(cp.InputError, match="one restricted player"):
        solve_lp(problem)


@given(match_ups())
def test_both_may_be_restricted_for_a_regret_minimiser(match: MatchUp) -> None:
    """The doubly restricted value lies between those of the two problems with one restriction."""
    game = match.game
    other = cp.opponent(game, "random:1", player=match.seat)
    bound = Restriction.of_plan(match.model.tree, match.model.behaviour, 0.5)
    own = Restriction.of_plan(other.tree, other.behaviour, 0.5)
    problem = game.subgame.restricted(1 - match.seat, bound).restricted(match.seat, own)
    stop = cp.Stop(1e-3 * game.span, 50_000)
    found = equilibria.solve_by(problem, "pcfr+", stop)
    assert found.nash_conv <= 2e-3 * game.span + 1e-12
    sign = 1.0 if match.seat == 0 else -1.0
    upper = sign * solve_lp(game.subgame.restricted(1 - match.seat, bound)).value
    lower = sign * solve_lp(game.subgame.restricted(match.seat, own)).value
    assert lower - 3e-3 * game.span <= sign * found.value <= upper + 3e-3 * game.span


def test_the_program_holds_what_it_promises(leduc: cp.GameTree) -> None:
    model = cp.opponent(leduc, "random:1")
    rewards = leduc.payoff.product(0, model.plan)
    program = SequenceFormLP(leduc.subgame, 0)
    for weight, floor in ((1.0, -np.inf), (0.3, -np.inf), (0.0, -0.2), (0.0, -0.0857)):
        result = program.maximise(rewards, weight, floor)
        worst = -best_response(leduc.subgame, 1, result.plan).value
        assert worst >= floor - 1e-8
        reached = rewards @ result.plan + weight * worst
        for other in (leduc.trees[0].uniform(), cp.solve(leduc).strategies[0].behaviour):
            plan = reach(leduc.trees[0], other)
            least = -best_response(leduc.subgame, 1, plan).value
            if least >= floor:
                assert rewards @ plan + weight * least <= reached + 1e-8


def test_the_equilibrium_of_a_game_is_computed_once(kuhn: cp.GameTree) -> None:
    assert equilibrium(kuhn.subgame) is equilibrium(kuhn.subgame)
    assert equilibrium(kuhn.subgame).value == pytest.approx(witness.value(kuhn.rules))


@pytest.mark.parametrize(("name", "method"), [("CFRSolver", "cfr"), ("CFRPlusSolver", "cfr+")])
@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker"])
@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_checkpoints_are_those_of_openspiel(name: str, method: str, spec: str, iterations: int) -> None:
    """The average after N iterations is OpenSpiel's, infoset by infoset: same order of moves, same weights."""
    pyspiel = pytest.importorskip("pyspiel")
    game = cp.load(f"openspiel:{spec}")
    solver = getattr(pyspiel, name)(game.rules.game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    for player in (0, 1):
        theirs, ours = cp.opponent(game, policy, player), cp.opponent(game, f"{method}:{iterations}", player)
        reached = ours.plan[game.trees[player].predecessor] > 1e-9
        np.testing.assert_allclose(ours.behaviour[reached], theirs.behaviour[reached], atol=1e-9)


def test_a_linear_program_that_rounding_led_astray_is_solved_from_the_beginning(
    leduc: cp.GameTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the first attempt of each does nothing, as one that ends without a solution."""
    wanted, attempts, solve = SequenceFormLP(leduc.subgame, 0).maximise(None, 1.0), [], lp._run_interruptibly

    def attempt(model: Any) -> None:
        attempts.append(model)
        if len(attempts) % 2 == 0:
            solve(model)

    monkeypatch.setattr(lp, "_run_interruptibly", attempt)
    found = SequenceFormLP(leduc.subgame, 0).maximise(None, 1.0)
    assert len(attempts) == 2
    assert found.guarantees == pytest.approx(wanted.guarantees, abs=1e-12)


@pytest.mark.parametrize("fine", [10.0**power for power in (2, 5, 8, 11)])
def test_a_fine_for_what_nobody_does_changes_nothing(fine: float) -> None:
    """However large it is: value and safe answers of matching pennies with unequal stakes, 3/43 by hand."""
    game = cp.load(f"matrix:1 -1/-1 1.3/{-fine} {-fine}")
    assert solve_lp(game.subgame).value == pytest.approx(0.3 / 4.3, abs=1e-9)
    model = cp.opponent(game, "uniform", 1)
    for risk, gain in (
        (0.0, 0.0),
        (0.1, 0.1 * 0.15 / 2.0),
    ):  # 0.075 more of the second row wins 0.15 and risks 2 a unit
        found = cp.respond(game, model, cp.Safe(risk))
        assert (found.gain, found.exploitability) == pytest.approx((gain, risk), abs=1e-6)
    assert cp.respond(game, model, cp.BNE()).exploitability == pytest.approx(0.0, abs=1e-6)
