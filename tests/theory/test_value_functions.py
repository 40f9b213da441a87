"""Value functions at the limit of a look-ahead, each against the game below the limit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import Rollouts, SolvedValue
from counterplay.gadgets.gadget import unsafe_entry
from counterplay.gametree.compile.levels import history_levels, least_by_lane
from counterplay.lookahead.step import value_leaves
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.subgames.cut import cut
from counterplay.subgames.cut_game import Border, build_gadget_game
from counterplay.treeplex.restriction import Restriction
from counterplay.value_functions.estimates import Heuristic
from counterplay.value_functions.leaf_value import linear, value_function
from tests.support import witness
from tests.support.random_games import Knobs, MatchUp, RandomGame, Wrapped, games, match_ups
from tests.support.theorems import FEW, SMALL, GameOf, same, slack, weighed


def root_of(game: cp.GameTree) -> int:
    """The public state in which the game begins."""
    return int(game.public[0][game.histories.info[0][0]])


def limit(game: cp.GameTree, levels: int) -> Border:
    """Where a look-ahead of so many levels from the root stops."""
    return cut(game, [root_of(game)], 0, history_levels(game) <= levels).limit


class Arrived(Wrapped):
    """What is left of a game below some histories when both players play tables above them; other ends pay nothing."""

    def __init__(self, game: Any, border: list[Any], tables: dict[int, witness.Table]) -> None:
        super().__init__(game)
        self.tables, todo, self.below = tables, list(border), set()
        while todo:
            state = todo.pop()
            self.below.add(id(state))
            if game.player(state) != cp.TERMINAL:
                todo.extend(game.child(state, action) for action in game.actions(state))

    def player(self, state: Any) -> int:
        who = self.game.player(state)
        return cp.CHANCE if who in (0, 1) and id(state) not in self.below else who

    def chance(self, state: Any) -> Any:
        return [odds for odds, _ in witness.branches(self.game, state, self.tables)]

    def utility(self, state: Any) -> float:
        return self.game.utility(state) if id(state) in self.below else 0.0


def parted(game: cp.GameTree, levels: int) -> bool:
    """Whether a limit of so many levels leaves some infoset on both sides."""
    table, beyond_it = game.histories, history_levels(game) > levels
    for player in (0, 1):
        here = table.player == player
        if np.intersect1d(table.info[player][here & beyond_it], table.info[player][here & ~beyond_it]).size:
            return True
    return False


@FEW
@given(match_ups(), st.integers(0, 3), st.integers(0, 96), st.sampled_from((0.0, 0.3, 0.8)))
def test_the_nested_value_is_that_of_the_game_below_the_limit(match: MatchUp, levels: int, seed: int, p: float) -> None:
    """Range times CFV is what the dense program of the game below says, at a range that mixes model and everybody else."""
    game, seat, rules = match.game, match.seat, match.rules
    border = limit(game, levels)
    if not len(border.histories) or parted(game, levels):
        return
    own, other = (cp.opponent(game, f"random:{seed}", player=player) for player in (seat, 1 - seat))
    mixed = p * match.model.plan + (1.0 - p) * other.plan
    plans = (own.plan, mixed) if seat == 0 else (mixed, own.plan)
    tables = {i: cp.Strategy.from_plan(game.trees[i], plan).table() for i, plan in enumerate(plans)}
    rest = Arrived(rules, [game.state(h) for h in border.histories.tolist()], tables)
    ranges = border.range(0, plans[0]), border.range(1, plans[1])
    cfvs = SolvedValue().at(border)(*ranges)
    for player in (0, 1):
        assert ranges[player] @ cfvs[player] == pytest.approx(witness.value(rest, player), abs=slack(game))
    # A CFV is a supergradient: at no other own range is more to be had than it says.
    elsewhere = border.range(seat, cp.opponent(game, f"random:{seed + 1}", player=seat).plan)
    there = [*ranges]
    there[seat] = elsewhere
    worth = elsewhere @ SolvedValue().at(border)(there[0], there[1])[seat]
    assert worth <= elsewhere @ cfvs[seat] + slack(game)


@FEW
@given(match_ups(), st.integers(1, 3), st.sampled_from((0.0, 0.3, 0.8)))
def test_a_look_ahead_over_nested_solves_has_the_value_of_the_joint_program(
    match: MatchUp, levels: int, p: float
) -> None:
    """The first look-ahead with value function `lp`, asked at the mixed range, is the linear program of everything."""
    game, seat = match.game, match.seat
    expanded = history_levels(game) <= levels
    piece = cut(game, [root_of(game)], seat, expanded)
    if not len(piece.limit.histories) or parted(game, levels):
        return
    followed = least_by_lane(game, 1 - seat, expanded.astype(np.int32)) == 1
    bound = Restriction.until(match.model.tree, match.model.behaviour, p, followed)
    exact = solve_lp(game.subgame.restricted(1 - seat, bound), seat).value
    problem = build_gadget_game(piece, unsafe_entry(1, np.ones(1)), np.ones(game.trees[seat].size))
    trusted = problem.trusting(p, match.model.behaviour, match.model.plan, followed).subgame
    nested = replace(trusted, beyond=value_leaves(problem, SolvedValue().at(piece.limit)))
    found = solve_cfr(nested, minimiser("cfr+"), cp.Stop(1e-3 * game.span, 100))
    assert abs(found.value - exact) <= found.nash_conv + slack(game)
    assert found.nash_conv <= 0.1 * game.span


def test_a_limit_that_parts_an_infoset_changes_no_value() -> None:
    """Re-solving over nested exact values is safe also where an infoset holds histories of two levels."""
    game = cp.load(RandomGame(Knobs(depth=4, seed=63, lonely=2, named=False, utilities="whole")))
    assert parted(game, 1)
    model = cp.opponent(game, "uniform", player=0)
    exact = cp.respond(game, model, method="resolve", depth=1)
    assert exact.exploitability <= slack(game)
    nested = cp.respond(game, model, method="resolve", depth=1, leaf="lp", stop=cp.Stop(1e-3 * game.span, 300))
    assert nested.gap <= 0.01 * game.span
    assert nested.exploitability <= 0.05 * game.span  # it is 0.1 of the span


@pytest.mark.parametrize("spec", SMALL)
def test_the_nested_exact_value_has_no_error(game_of: GameOf, spec: str) -> None:
    """Text `lp` is the exact value function, for every public state and range."""
    game = game_of(spec)
    for depth in (1,) if spec == "kuhn" else (1, 2):
        errors = cp.value_error(game, "lp", depth=depth, samples=3, seed=depth)
        assert max(errors.mean, errors.worst, errors.gap) <= slack(game)
        assert (errors.name, errors.samples) == ("lp", 3)


def test_exact_is_no_value_function_that_has_an_error(kuhn: cp.GameTree) -> None:
    """Text `exact` asks nothing at the limit, so there is nothing to measure; nor is there where no limit is."""
    with pytest.raises(cp.InputError, match="exact value function has no error"):
        cp.value_error(kuhn, "exact")
    with pytest.raises(cp.InputError, match="depth 9 sees all of kuhn"):
        cp.value_error(kuhn, "lp", depth=9)


@pytest.mark.parametrize("spec", SMALL)
def test_iterated_values_come_to_the_exact_one(game_of: GameOf, spec: str) -> None:
    """The errors of cfr:N fall with N towards 0, and what both players claim together is never less than 0."""
    game = game_of(spec)
    errors = [cp.value_error(game, f"cfr:{n}", samples=3) for n in (1, 10, 100, 1000)]
    for what in ("mean", "gap"):
        series = [getattr(e, what) for e in errors]
        assert all(after < 0.5 * before for before, after in pairwise(series))
        assert series[-1] <= 1e-4 * game.span
    # A best response claims at least the value: the error is at most what both claim together.
    assert all(e.mean <= e.gap + slack(game) for e in errors)
    assert all(e.mean <= e.worst + slack(game) for e in errors)


@FEW
@given(match_ups(), st.integers(0, 2), st.integers(0, 96), st.sampled_from((1, 7, 60)))
def test_iterated_claims_lie_above_the_value(match: MatchUp, levels: int, seed: int, iterations: int) -> None:
    """Whatever N, each player's claim at cfr:N is at least the value, since it is a best response to some strategy."""
    game = match.game
    border = limit(game, levels)
    if not len(border.histories):
        return
    ranges = [border.range(i, cp.opponent(game, f"random:{seed}", player=i).plan) for i in (0, 1)]
    rough, exact = (value.at(border)(ranges[0], ranges[1]) for value in (SolvedValue(iterations), SolvedValue()))
    for player in (0, 1):
        assert ranges[player] @ rough[player] >= ranges[player] @ exact[player] - slack(game)


@pytest.mark.parametrize("seat", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_response_with_nested_values_comes_to_the_exact_one(game_of: GameOf, seat: int) -> None:
    """CDBR with cfr:N at the limit wins what it wins with the exact value, the nearer the larger N."""
    game = game_of("liars_dice:1,3,wild=false")
    model = cp.opponent(game, "random:2", player=1 - seat)
    exact = cp.respond(game, model, method="cdbr", depth=1)
    for value, share in (("lp", 1e-2), ("cfr:500", 1e-2)):
        stop = cp.Stop(1e-4 * game.span, 25)
        answer = cp.respond(game, model, method="cdbr", depth=1, leaf=value, stop=stop)
        assert answer.leaf == {"cfr:500": "cfr+:500"}.get(value, value)
        assert answer.gain == pytest.approx(exact.gain, abs=share * game.span)


def test_texts_of_value_functions() -> None:
    """Every text names its result; an invalid one is rejected in a line that repeats it."""
    assert value_function("exact") == value_function(None) == cp.ExactLeaf()
    for text in ("exact", "lp", "cfr+:20", "dcfr:3", "rollout:5"):
        found = value_function(text)
        assert found.name == text
    for wrong in ("cfr", "cfr:", "cfr:0", "cfr:-3", "cfr:x", "rollout:", "rollout:3,x", "best", "nomodule_here:f"):
        with pytest.raises(cp.InputError) as refused:
            value_function(wrong)
        assert wrong.partition(":")[0] in str(refused.value)
    with pytest.raises(cp.InputError, match="value function must be"):
        value_function(3)


def test_a_value_function_of_the_user_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game_of: GameOf) -> None:
    """Named as module:function, or passed as it is, it is the same; it is asked for states of the rules."""
    (tmp_path / "my_values.py").write_text("def half(state):\n    return len(repr(state)) % 7 - 3.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    game = game_of("leduc:merged=true")
    model = cp.opponent(game, "uniform", player=1)
    words: dict[str, Any] = {"method": "cdrnr", "p": 0.4, "depth": 1}
    named = cp.respond(game, model, leaf="my_values:half", **words)
    passed = cp.respond(game, model, leaf=lambda state: len(repr(state)) % 7 - 3.0, **words)
    same(named, passed)
    assert named.leaf == "my_values:half"
    for broken in (lambda state: state.nothing, lambda _: float("nan"), lambda _: "much"):
        with pytest.raises(cp.InputError, match="the value function <lambda>"):
            cp.respond(game, model, leaf=broken, **words)


@FEW
@given(match_ups(), st.integers(0, 2), st.integers(0, 96))
def test_an_estimate_as_leaves_gives_one_what_it_takes_from_the_other(match: MatchUp, levels: int, seed: int) -> None:
    """Ranges times the CFVs of a heuristic are the expected chips at the limit, and opposite for the two players."""
    game = match.game
    border = limit(game, levels)
    if not len(border.histories):
        return
    chips = Heuristic(lambda state: len(state.children) + 0.5).chips(border)
    plans = [cp.opponent(game, f"random:{seed}", player=i).plan for i in (0, 1)]
    ranges = border.range(0, plans[0]), border.range(1, plans[1])
    cfvs = linear(border, chips)(*ranges)
    reach = [plans[i][game.sequences[i][border.histories]] for i in (0, 1)]
    expected = float((border.chance * reach[0] * reach[1]) @ chips)
    assert ranges[0] @ cfvs[0] == pytest.approx(expected, abs=1e-9)
    assert ranges[1] @ cfvs[1] == pytest.approx(-expected, abs=1e-9)


@FEW
@given(games(), st.integers(0, 1))
def test_a_perfect_estimate_makes_a_perfect_look_ahead(rules: Any, seat: int) -> None:
    """Against a model that is known all the way down, a heuristic that knows what the rest is worth gains nothing less
    than the joint solution: with one action left below the limit, both agree."""
    game = cp.load(rules)
    model = cp.opponent(game, "random:3", player=1 - seat)
    levels = int(history_levels(game).max()) - 1
    if levels < 1:
        return
    # At the last level but one only ends follow; where chance decides them, their mean is the exact worth.
    here = limit(game, levels)
    if not len(here.histories) or (game.histories.player[here.histories] != cp.CHANCE).any():
        return

    def worth(state: Any) -> float:
        return sum(p * child.utility for p, child in zip(state.odds, state.children, strict=True))

    p = 0.4
    exact, known = (cp.respond(game, model, method="cdrnr", p=p, depth=levels, leaf=value) for value in (None, worth))
    assert weighed(known, p) == pytest.approx(weighed(exact, p), abs=slack(game))


@pytest.mark.parametrize("spec", ["kuhn", "leduc:merged=true", "goofspiel:4"])
def test_rollouts_are_reproducible(game_of: GameOf, spec: str) -> None:
    """Equal seeds give equal estimates and answers, other seeds others; more samples come nearer to uniform play."""
    game = game_of(spec)
    border = limit(game, 1)
    first, again, other = (Rollouts(20, seed).chips(border) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    model = cp.opponent(game, "uniform", player=1)
    both = [cp.respond(game, model, method="cdbr", depth=1, leaf="rollout:20,5") for _ in range(2)]
    same(*both)
    truth = np.zeros(len(border.histories))
    for at, history in enumerate(border.histories.tolist()):
        truth[at] = uniform_worth(game.rules, game.state(history))
    errors = [np.abs(Rollouts(n, 1).chips(border) - truth).mean() for n in (4, 400, 40_000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] <= 0.01 * game.span


def uniform_worth(rules: Any, state: Any) -> float:
    """Chips of player 0 when both play uniformly from a state on, by one recursion."""
    who = rules.player(state)
    if who == cp.TERMINAL:
        return float(rules.utility(state))
    actions = rules.actions(state)
    odds = rules.chance(state) if who == cp.CHANCE else [1.0 / len(actions)] * len(actions)
    return sum(p * uniform_worth(rules, rules.child(state, a)) for p, a in zip(odds, actions, strict=True))
